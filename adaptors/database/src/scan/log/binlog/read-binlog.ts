import { connect, type Socket } from 'node:net';
import ZongJi, { type AnyBinlogEvent } from '@vlasky/zongji';
import type { ConnectionOptions } from 'mysql2';
import { binlogFailure } from './binlog-failure.js';
import type { LogEntry } from './log-entry.js';
import type { LoggedTable } from './logged-table.js';
import { createToLogEntries } from './to-log-entries.js';

/** The server whose log is read. */
export interface BinlogServer {
  readonly connection: ConnectionOptions & { readonly host: string; readonly port: number };
  /** Interval of the server's heartbeat while nothing changes. Default: 5 s. */
  readonly heartbeatMs?: number;
  /** A connection that receives no byte for this time counts as dead. Default: 20 s. */
  readonly silenceMs?: number;
}

/** Options of reading the log. */
interface BinlogReading {
  readonly server: BinlogServer;
  readonly serverId: number;
  /** The log is read after this position. */
  readonly from: string;
  /** Tables whose rows are read. */
  readonly tables: readonly LoggedTable[];
  /** Called when the server starts to send the log. */
  onStart(): void;
  /** Receives an entry. If it returns a promise, the server waits until the promise resolves. */
  onEntry(entry: LogEntry): Promise<unknown> | undefined;
}

const defaults = { heartbeatMs: 5_000, silenceMs: 20_000 };

const keepAliveMs = 60_000;

/** Time that the server waits when it cannot send, because a comparison of a whole table takes long. */
const netWriteTimeoutSeconds = 86_400;
/** The library does not use its second connection, which must stay open. */
const waitTimeoutSeconds = 31_536_000;

const includeEvents = [
  'rotate',
  'heartbeat',
  'mariadbgtid',
  'tablemap',
  'writerows',
  'updaterows',
  'deleterows',
  'query',
  'xid',
  'xaprepare',
  'unknown',
];

const schemasOf = (tables: readonly LoggedTable[]): Record<string, string[]> => {
  const schemas: Record<string, string[]> = {};
  for (const { schema, name } of tables) (schemas[schema] ??= []).push(name);
  return schemas;
};

/**
 * Reads the binary log until the signal is aborted.
 *
 * @throws LogLost when the server no longer has the position; ServerIdTaken; LogUnavailable without the right to read;
 * Error when the connection fails
 */
export const readBinlog = async (reading: BinlogReading, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return;
  const { server, serverId, from, tables } = reading;
  const { heartbeatMs = defaults.heartbeatMs, silenceMs = defaults.silenceMs } = server;
  const { host, port } = server.connection;
  const sockets: Socket[] = [];
  const stream = (): Socket => {
    const socket = connect(port, host).setNoDelay(true).setKeepAlive(true, keepAliveMs);
    sockets.push(socket);
    return socket;
  };
  const reader = new ZongJi({ ...server.connection, stream });
  const toLogEntries = createToLogEntries(from);
  let fail = (_error: unknown): void => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    fail = (error) => reject(binlogFailure(error instanceof Error ? error : new Error(String(error)), serverId));
  });

  let isStarted = false;
  let waiting = 0;
  const take = (event: AnyBinlogEvent): void => {
    if (!isStarted) reading.onStart();
    isStarted = true;
    for (const entry of toLogEntries(event, reader.options.filename ?? '')) {
      const taken = reading.onEntry(entry);
      if (taken === undefined) continue;
      waiting += 1;
      reader.connection?.pause();
      void taken.finally(() => {
        waiting -= 1;
        if (waiting === 0) reader.connection?.resume();
      });
    }
  };

  let received = { bytes: 0, atMs: performance.now() };
  // the last connection that the library opens is the one that receives the log
  const watchdog = setInterval(
    () => {
      const bytes = sockets.at(-1)?.bytesRead ?? 0;
      if (waiting > 0 || bytes !== received.bytes) received = { bytes, atMs: performance.now() };
      else if (performance.now() - received.atMs > silenceMs)
        fail(Object.assign(new Error(`the server sent nothing for ${silenceMs / 1000} s`), { code: 'ETIMEDOUT' }));
    },
    Math.min(1_000, heartbeatMs),
  );

  reader.on('error', (error) => fail(error));
  reader.on('ready', () => {
    // before the command that requests the log; the period is in nanoseconds
    const session = `SET @master_heartbeat_period = ${heartbeatMs * 1_000_000}, SESSION net_write_timeout = ${netWriteTimeoutSeconds}`;
    const done = (error: Error | null): void => {
      if (error !== null) fail(error);
    };
    reader.connection?.query(session, done);
    reader.ctrlConnection?.query(`SET SESSION wait_timeout = ${waitTimeoutSeconds}`, done);
  });
  reader.on('binlog', (event) => {
    try {
      take(event);
    } catch (error) {
      fail(error);
    }
  });
  try {
    reader.start({ gtidSet: from, serverId, includeEvents, includeSchema: schemasOf(tables) });
    await ended;
  } finally {
    clearInterval(watchdog);
    await new Promise<void>((done) => {
      reader.on('stopped', done);
      reader.stop();
    });
  }
};
