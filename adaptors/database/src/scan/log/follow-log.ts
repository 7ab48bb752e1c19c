import { LogicalReplicationService, PgoutputPlugin, type Pgoutput } from 'pg-logical-replication';
import type { ClientConfig } from 'pg';
import { addMessage } from './add-message.js';
import { createChangedKeys } from './changed-keys.js';
import type { LogListener } from './log-access.js';
import { laterLsn } from './lsn.js';
import { createChangeReporter } from './report-changes.js';

/** The slot of one table. */
export interface FollowedSlot {
  readonly connection: ClientConfig;
  /** Name of the slot and of the publication. */
  readonly name: string;
  /** Position that the slot has confirmed. */
  readonly confirmed: string;
  readonly keyColumns: readonly string[];
  /** Resolves when queries show the changes of these transactions. */
  untilVisible(transactions: ReadonlySet<number>, signal: AbortSignal): Promise<void>;
}

/**
 * Reads the log of a table until the signal is aborted. The slot is told to forget a transaction after every row of it was
 * reported durably: after a crash the log is read again from there.
 *
 * @throws Error when the connection fails, or the slot is gone or in use
 */
export const followLog = async (slot: FollowedSlot, listener: LogListener, signal: AbortSignal): Promise<void> => {
  const { name, keyColumns, untilVisible } = slot;
  const changes = createChangedKeys<number, string>();
  let { confirmed } = slot;
  // its own acknowledgement confirms what was received, which is not durable yet
  const service = new LogicalReplicationService(slot.connection, {
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
  const reporter = createChangeReporter({ changes, listener, untilVisible, confirm });

  service.on('start', () => listener.onStart());
  service.on('data', async (_lsn: string, message: Pgoutput.Message) => {
    addMessage(changes, keyColumns, message);
    if (changes.isEmpty) return;
    const busy = reporter.report();
    busy.catch((error: unknown) => service.emit('error', error));
    if (reporter.isFull) await busy.catch(() => undefined);
  });
  service.on('heartbeat', async (lsn: string) => {
    // nothing waits: everything up to there has been read and does not concern this table
    await confirm(reporter.isIdle && !changes.isWithinTransaction ? lsn : undefined);
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
    await reporter.stop();
    await service.stop().catch(() => undefined);
  }
};
