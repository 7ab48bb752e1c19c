import { LogicalReplicationService, PgoutputPlugin, type Pgoutput } from 'pg-logical-replication';
import type { ClientConfig } from 'pg';
import type { RowKey } from '../../source/row-key.js';
import { createChangedKeys, type ChangedKeys } from './changed-keys.js';
import { laterLsn } from './lsn.js';

/** What follows the log of one table. */
export interface LogFollower {
  readonly connection: ClientConfig;
  /** Name of the slot and of the publication. */
  readonly name: string;
  /** Position that the slot has confirmed. */
  readonly confirmed: string;
  readonly keyColumns: readonly string[];
  /** Most keys of one call. */
  readonly batchSize: number;
  /** Called when the log is being read. */
  readonly onStart: () => void;
  /** Resolves when queries show the changes of these transactions. */
  readonly untilVisible: (transactions: ReadonlySet<number>, signal: AbortSignal) => Promise<void>;
  /** Reports the current content of rows; resolves when that is durable. */
  readonly onKeys: (keys: readonly RowKey[]) => Promise<void>;
  /** The table was emptied. */
  readonly onTruncate: () => Promise<void>;
}

/** Keys that wait before the source is asked to wait too. */
const batchesInMemory = 4;

/**
 * Reads the log of a table until the signal is aborted. The slot is told to forget a transaction after every row of it was
 * reported durably: after a crash the log is read again from there.
 *
 * @throws Error when the connection fails, or the slot is gone or in use
 */
export const followLog = async (follower: LogFollower, signal: AbortSignal): Promise<void> => {
  const { name, keyColumns, batchSize } = follower;
  const changes: ChangedKeys = createChangedKeys(keyColumns);
  let { confirmed } = follower;
  let working: Promise<void> | undefined;
  const ending = new AbortController();
  // its own acknowledgement confirms what was received, which is not durable yet
  const service = new LogicalReplicationService(follower.connection, {
    acknowledge: { auto: false, timeoutSeconds: 0 },
    flowControl: { enabled: true },
  });
  const failure = new Promise<never>((_, reject) => {
    service.on('error', reject);
  });
  failure.catch(() => undefined);

  const confirm = async (lsn: string | undefined): Promise<void> => {
    if (lsn !== undefined) confirmed = laterLsn(confirmed, lsn);
    await service.acknowledge(confirmed);
  };
  const work = async (): Promise<void> => {
    while (!ending.signal.aborted && !changes.isEmpty) {
      const { keys, truncated, committed, transactions } = changes.take(batchSize);
      if (truncated || keys.length > 0) await follower.untilVisible(transactions, ending.signal);
      // changes that no query shows yet stay in the log
      if (ending.signal.aborted) return;
      if (truncated) await follower.onTruncate();
      if (keys.length > 0) await follower.onKeys(keys);
      await confirm(committed);
    }
  };
  const startWork = (): Promise<void> => {
    working ??= work().finally(() => {
      working = undefined;
    });
    return working;
  };

  service.on('start', follower.onStart);
  service.on('data', async (_lsn: string, message: Pgoutput.Message) => {
    changes.add(message);
    if (changes.isEmpty) return;
    const busy = startWork();
    busy.catch((error: unknown) => service.emit('error', error));
    if (changes.size > batchesInMemory * batchSize) await busy.catch(() => undefined);
  });
  service.on('heartbeat', async (lsn: string) => {
    // nothing waits: everything up to there has been read and does not concern this table
    await confirm(working === undefined && changes.isEmpty && !changes.isWithinTransaction ? lsn : undefined);
  });

  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  try {
    const reading = service
      .subscribe(new PgoutputPlugin({ protoVersion: 1, publicationNames: [name] }), name)
      .then(() => {
        if (!signal.aborted) throw new Error(`the database ended the reading of its log (slot ${name})`);
      });
    reading.catch(() => undefined);
    await Promise.race([reading, failure, aborted]);
  } finally {
    ending.abort();
    await working?.catch(() => undefined);
    await service.stop().catch(() => undefined);
  }
};
