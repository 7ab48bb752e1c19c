import type { EventMessage } from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import type { AdaptorHandlers } from '../handlers.js';
import { reasonOf } from '../reason-of.js';
import { applyEvent, type Attempts, type Outcome } from './apply-event.js';

export interface ApplyMessageContext extends Pick<Attempts, 'stopping' | 'aside' | 'othersWork'> {
  readonly handlers: AdaptorHandlers;
  readonly log: AdaptorLog;
}

/**
 * Applies an event and logs its failures.
 *
 * @returns undefined when the adaptor stopped before the event was done
 */
export const applyMessage = async (
  message: EventMessage<'down/data'>,
  { handlers, stopping, aside, othersWork, log }: ApplyMessageContext,
): Promise<Outcome | undefined> => {
  try {
    const outcome = await applyEvent(handlers, message, {
      stopping,
      aside,
      othersWork,
      onRetry: (error) =>
        log.warn(
          { drUuid: message.data.drUuid, sequence: message.sequence, reason: reasonOf(error) },
          'an event is tried again',
        ),
    });
    for (const report of outcome.reports ?? []) {
      if (!('error' in report) || report.error.level !== 'ERROR') continue;
      const { drUuid, sequence, message: reason } = report.error;
      log.error({ drUuid, sequence, reason }, 'an event could not be applied');
    }
    return outcome;
  } catch {
    return undefined;
  }
};
