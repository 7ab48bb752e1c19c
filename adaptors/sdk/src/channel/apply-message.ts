import type { EventMessage } from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import type { AdaptorHandlers } from '../handlers.js';
import type { ReportBody } from '../journal/build-reports.js';
import { reasonOf } from '../reason-of.js';
import { applyEvent, type Attempts } from './apply-event.js';

export interface ApplyMessageContext extends Pick<Attempts, 'stopping' | 'aside'> {
  readonly handlers: AdaptorHandlers;
  readonly log: AdaptorLog;
}

/**
 * Applies an event and logs its failures.
 *
 * @returns the reports that result from it; undefined when the adaptor stopped first, and the event is delivered again
 */
export const applyMessage = async (
  message: EventMessage<'down/data'>,
  { handlers, stopping, aside, log }: ApplyMessageContext,
): Promise<readonly ReportBody[] | undefined> => {
  try {
    const outcome = await applyEvent(handlers, message, {
      stopping,
      aside,
      onRetry: (error) =>
        log.warn(
          { drUuid: message.data.drUuid, sequence: message.sequence, reason: reasonOf(error) },
          'an event is tried again',
        ),
    });
    if (outcome.error !== undefined) {
      const { drUuid, sequence, message: reason } = outcome.error;
      log.error({ drUuid, sequence, reason }, 'an event could not be applied');
      return [{ error: outcome.error }];
    }
    const { kept, link, warning } = outcome;
    return [
      { kept },
      ...(link === undefined ? [] : [{ link }]),
      ...(warning === undefined ? [] : [{ error: warning }]),
    ];
  } catch {
    return undefined;
  }
};
