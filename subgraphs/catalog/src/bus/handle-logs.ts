import type { ServerBus } from '@fds/adaptor-bus';
import { createLogRate, describeFaults, maxLogLength, parseMessage, type LogRate } from '@fds/adaptor-protocol';
import type { Log } from '@fds/service';
import { maskedText } from '../domain/operations/masked-text.js';

export interface LogHandlingOptions {
  readonly bus: Pick<ServerBus, 'handle'>;
  /** Should this process handle the message? */
  readonly take: (adaptorUuid: string, messageId: string) => Promise<boolean>;
  readonly log: Log;
  readonly now: () => Date;
}

const methodOf = { ERROR: 'error', WARN: 'warn', INFO: 'info', DEBUG: 'debug' } as const;

/**
 * Handles `up/log`. Each entry becomes a line of the central log, cut to 2000 characters, with credentials masked, at
 * most 5 a second for each adaptor. The next line contains the number of entries that the limit dropped.
 */
export const handleLogs = ({ bus, take, log, now }: LogHandlingOptions): void => {
  const rates = new Map<string, LogRate>();
  const rateOf = (adaptorUuid: string): LogRate => {
    const rate = rates.get(adaptorUuid) ?? createLogRate();
    rates.set(adaptorUuid, rate);
    return rate;
  };

  bus.handle('log', async ({ adaptorUuid, payload }) => {
    const passed = rateOf(adaptorUuid).pass(now().getTime());
    if (passed === undefined) return;
    const parsed = parseMessage('up/log', payload);
    if (!parsed.ok) {
      log.warn({ adaptorUuid, kind: 'log', faults: describeFaults(parsed.faults) }, 'message of an adaptor refused');
      return;
    }
    const { id, data } = parsed.value;
    if (!(await take(adaptorUuid, id))) return;
    log[methodOf[data.level]](
      {
        entryType: data.level === 'ERROR' ? 'ADAPTOR_ERROR' : 'ADAPTOR_LOG',
        'source-adaptor-uuid': adaptorUuid,
        message: maskedText(data.message.slice(0, maxLogLength)),
        ...(passed.keptBack === 0 ? {} : { keptBack: passed.keptBack }),
      },
      'log entry of an adaptor',
    );
  });
};
