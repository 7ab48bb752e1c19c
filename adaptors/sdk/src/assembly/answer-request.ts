import type { AssemblyAnswer, AssemblyRequest } from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import type { AdaptorHandlers } from '../handlers.js';
import { answerInParts, failedAnswer } from './answer-in-parts.js';

/** The parts of the answer to a request, or an answer with the reason of the failure. Does not reject. */
export const answerRequest = async (
  handlers: Pick<AdaptorHandlers, 'assemble'>,
  request: AssemblyRequest,
  signal: AbortSignal,
  log: AdaptorLog,
): Promise<readonly AssemblyAnswer[]> => {
  const { requestUuid } = request;
  if (handlers.assemble === undefined)
    return [failedAnswer(requestUuid, 'NOT_SUPPORTED', 'this adaptor does not assemble')];
  try {
    return answerInParts(requestUuid, await handlers.assemble(request, signal));
  } catch (error) {
    log.error({ requestUuid, err: error }, 'an assembly request failed');
    return [failedAnswer(requestUuid, 'ADAPTOR_ERROR', error instanceof Error ? error.message : String(error))];
  }
};
