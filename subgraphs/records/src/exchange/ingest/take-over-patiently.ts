import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@fds/service';
import type { Leases } from '../relay/open-leases.js';

export interface TakeOver {
  readonly leases: Pick<Leases, 'holds'>;
  /** When it aborts, nothing is repeated. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Continues with the adaptor from its stored position. */
  readonly continueWith: (adaptorUuid: string) => Promise<void>;
}

const repeatMs = 500;

/** Continues with an adaptor that another process served. Repeats failures while this process has the adaptor's lease. */
export const takeOverPatiently = async (
  { leases, signal, log, continueWith }: TakeOver,
  adaptorUuid: string,
): Promise<void> => {
  while (!signal.aborted && leases.holds(adaptorUuid)) {
    try {
      await continueWith(adaptorUuid);
      return;
    } catch (error) {
      log.warn({ err: error, adaptorUuid }, 'a take-over failed, will repeat');
    }
    await delay(repeatMs, undefined, { signal }).catch(() => undefined);
  }
};
