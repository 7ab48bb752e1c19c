import type { Pgoutput } from 'pg-logical-replication';
import type { ClientConfig } from 'pg';
import { addMessage } from './add-message.js';
import { createChangedKeys } from './changed-keys.js';
import type { LogListener } from './log-access.js';
import { laterLsn, lsnBefore } from './lsn.js';
import { repeat } from '../repeat.js';
import { createChangeReporter } from './report-changes.js';

/** The slot of one table. */
export interface FollowedSlot {
  readonly connection: ClientConfig;
  /** Name of the slot and of the publication. */
  readonly name: string;
  /** Last position that was confirmed to the slot. */
  readonly confirmed: string;
  readonly keyColumns: readonly string[];
  /** Resolves when queries can see the changes of these transactions. */
  untilVisible(transactions: ReadonlySet<number>, signal: AbortSignal): Promise<void>;
  /**
   * Checks regularly whether the log may still be read.
   *
   * @returns true when rows may have got other values without an entry in the log
   * @throws LogUnavailable, LogLost; any other error when the database does not answer
   */
  check(): Promise<boolean>;
}

/** Pause between two checks whether the log may still be read. */
const checkEveryMs = 1_000;

/**
 * Reads the log of a table until the signal is aborted. A transaction is confirmed to the slot after every row of it
 * was reported durably. After a crash the log is read again from the confirmed position.
 *
 * @throws Error when the connection fails, or the slot does not exist or is in use
 */
export const followLog = async (slot: FollowedSlot, listener: LogListener, signal: AbortSignal): Promise<void> => {
  const { name, keyColumns, untilVisible } = slot;
  const changes = createChangedKeys<number, string>();
  let { confirmed } = slot;
  // only adaptors that follow a log load the client
  const { LogicalReplicationService, PgoutputPlugin } = await import('pg-logical-replication');
  // disabled, because it would confirm received changes that are not durable yet
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
    // the library adds one byte; a server that shuts down waits for exactly the position that it has sent
    const before = lsnBefore(confirmed);
    if (before !== undefined) await service.acknowledge(before);
  };
  const reporter = createChangeReporter({ changes, listener, untilVisible, confirm });
  const report = (): Promise<void> => {
    const busy = reporter.report();
    busy.catch((error: unknown) => service.emit('error', error));
    return busy;
  };

  service.on('start', () => listener.onStart());
  service.on('data', async (_lsn: string, message: Pgoutput.Message) => {
    addMessage(changes, keyColumns, message);
    if (changes.isEmpty) return;
    const busy = report();
    if (reporter.isFull) await busy.catch(() => undefined);
  });
  service.on('heartbeat', async (lsn: string) => {
    // nothing is waiting: all changes up to this position were read and concern other tables
    await confirm(reporter.isIdle && !changes.isWithinTransaction ? lsn : undefined);
  });

  const ending = new AbortController();
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
    const checking = repeat(ending.signal, async () => {
      if (await slot.check()) {
        changes.addUnknown();
        report().catch(() => undefined);
      }
      return checkEveryMs;
    });
    checking.catch(() => undefined);
    await Promise.race([reading, failure, aborted, checking]);
    await reporter.stop();
  } finally {
    ending.abort();
    // first: a report can wait for the hub, and the server does not shut down while its log is read
    await service.stop().catch(() => undefined);
    await reporter.stop();
  }
};
