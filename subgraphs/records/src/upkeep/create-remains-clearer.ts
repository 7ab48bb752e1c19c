import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { clearRemains, findGoneAdaptors, type ClearingLimits } from '../store/channels/adaptor-remains.js';
import { createWakeable } from '../base/create-wakeable.js';

/** Removes the remains of deleted adaptors from the tables of this subgraph. */
export interface RemainsClearer extends Closable {
  /** Clears after every adaptor that is gone, in the background. A failed removal is repeated at the next call. */
  clear(): void;
}

export interface RemainsClearerOptions {
  readonly database: Database;
  readonly log: Log;
  /** Rows that one transaction removes at most, so that batches are not kept waiting. Default 500 links, 5000 deliveries. */
  readonly limits?: ClearingLimits;
}

const defaultLimits: ClearingLimits = { maxLinks: 500, maxDeliveries: 5_000 };

/** Several processes may clear at once. Closing finishes the transaction at hand. */
export const createRemainsClearer = (options: RemainsClearerOptions): RemainsClearer => {
  const { database, log, limits = defaultLimits } = options;
  const closing = new AbortController();

  const clearAll = async (): Promise<void> => {
    for (const adaptorUuid of await findGoneAdaptors(database.pool)) {
      let isClear = false;
      while (!isClear && !closing.signal.aborted) {
        isClear = await database.transaction((client) => clearRemains(client, adaptorUuid, limits));
      }
      if (isClear) log.info({ adaptorUuid }, 'removed the remains of a deleted adaptor');
    }
  };
  const clearing = createWakeable(clearAll, (error) =>
    log.warn({ err: error }, 'cannot remove the remains of deleted adaptors'),
  );

  return {
    clear: () => {
      if (!closing.signal.aborted) clearing.wake();
    },
    close: async () => {
      closing.abort();
      await clearing.settle();
    },
  };
};
