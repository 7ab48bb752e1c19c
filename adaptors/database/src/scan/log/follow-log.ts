import type { ClientConfig } from 'pg';
import { createChangedKeys } from './changed-keys.js';
import type { LogListener } from './log-access.js';
import { laterLsn, lsnBefore } from './lsn.js';
import { repeat } from '../repeat.js';
import { createChangeReporter } from './report-changes.js';
import { createMessageReader, type DecodedMessage } from './test-decoding.js';

/** The slot of one table. */
export interface FollowedSlot {
  readonly connection: ClientConfig;
  readonly name: string;
  /** Qualified and quoted name of the table. */
  readonly table: string;
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

/** Pause between two checks whether the log may still be read, and between confirmations of transactions of other tables. */
const checkEveryMs = 1_000;

/**
 * Reads the log of a table until the signal is aborted. A transaction is confirmed to the slot after every row of it
 * was reported durably. After a crash the log is read again from the confirmed position.
 *
 * @throws Error when the connection fails, or the slot does not exist or is in use
 */
export const followLog = async (slot: FollowedSlot, listener: LogListener, signal: AbortSignal): Promise<void> => {
  const { name, table, keyColumns, untilVisible } = slot;
  const changes = createChangedKeys<number, string>();
  let { confirmed } = slot;
  // only adaptors that follow a log load the client
  const { LogicalReplicationService, TestDecodingPlugin } = await import('pg-logical-replication');
  // disabled, because it would confirm received changes that are not durable yet
  const service = new LogicalReplicationService(slot.connection, {
    acknowledge: { auto: false, timeoutSeconds: 0 },
    flowControl: { enabled: true },
  });
  const failure = new Promise<never>((_, reject) => {
    service.on('error', reject);
  });
  failure.catch(() => undefined);

  let confirmedAtMs = 0;
  const confirm = async (lsn: string | undefined): Promise<void> => {
    confirmedAtMs = performance.now();
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
  /** Messages that the library has received and not passed on. */
  let unhandled = 0;
  const add = (lsn: string, message: DecodedMessage): void => {
    if (message.kind === 'BEGIN') changes.begin(message.transaction);
    // the position of this message is the end of its transaction
    else if (message.kind === 'COMMIT') changes.commit(lsn);
    else if (message.kind === 'UNKNOWN') changes.addUnknown();
    else if (message.kind === 'ROWS') for (const key of message.keys) changes.addKey(key);
  };
  const isDue = (): boolean =>
    changes.hasRows || (!changes.isEmpty && performance.now() - confirmedAtMs >= checkEveryMs);
  service.on('data', async (lsn: string, message: DecodedMessage) => {
    unhandled -= 1;
    add(lsn, message);
    if (!isDue()) return;
    const busy = report();
    if (reporter.isFull) await busy.catch(() => undefined);
  });
  service.on('heartbeat', async (lsn: string) => {
    // nothing is waiting: all changes up to this position were read and concern other tables
    const isIdle = unhandled === 0 && reporter.isIdle && !changes.isWithinTransaction;
    await confirm(isIdle ? lsn : undefined);
  });

  const ending = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  try {
    const plugin = new TestDecodingPlugin({ includeXids: true, skipEmptyXacts: true });
    // the bytes of a message are valid during the call only
    const readMessage = createMessageReader(table, keyColumns);
    plugin.parse = (message: Buffer): DecodedMessage => {
      unhandled += 1;
      return readMessage(message);
    };
    const reading = service.subscribe(plugin, name).then(() => {
      if (!signal.aborted) throw new Error(`the database ended the reading of its log (slot ${name})`);
    });
    reading.catch(() => undefined);
    const checking = repeat(ending.signal, async () => {
      if (await slot.check()) changes.addUnknown();
      if (!changes.isEmpty) report().catch(() => undefined);
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
