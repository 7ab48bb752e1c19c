import { ServerIdTaken } from './binlog-failure.js';
import { earliestPosition } from './gtid-position.js';
import type { LogEntry } from './log-entry.js';
import type { LoggedTable } from './logged-table.js';
import type { BinlogServer } from './read-binlog.js';

/** A table that receives entries of the log. */
interface BinlogSubscriber {
  readonly table: LoggedTable;
  /** Everything up to this position is reported. Later entries are needed; earlier entries do no harm. */
  readonly position: string;
  /** Called when the server sends the log. */
  onStart(): void;
  /** Receives an entry. If it returns a promise, the server waits until the promise resolves. It never rejects. */
  take(entry: LogEntry): Promise<unknown> | undefined;
}

/** Reads the binary log of a server once for all tables of a database. */
export interface BinlogReader {
  /**
   * Passes the entries of the log to the subscriber until the signal is aborted.
   *
   * @throws LogLost, LogUnavailable, ServerIdTaken; Error when the connection fails
   */
  follow(subscriber: BinlogSubscriber, signal: AbortSignal): Promise<void>;
}

/** @param serverIdOf server id of the reader. @param attempt number of ids that other readers already used */
export const createBinlogReader = (server: BinlogServer, serverIdOf: (attempt: number) => number): BinlogReader => {
  const failures = new Map<BinlogSubscriber, (error: unknown) => void>();
  let attempt = 0;
  let running: Promise<void> | undefined;
  let current = new AbortController();

  const run = async (): Promise<void> => {
    while (failures.size > 0) {
      current = new AbortController();
      const subscribers = [...failures.keys()];
      const reading = {
        server,
        serverId: serverIdOf(attempt),
        from: earliestPosition(subscribers.map(({ position }) => position)),
        tables: subscribers.map(({ table }) => table),
        onStart: () => {
          for (const subscriber of subscribers) subscriber.onStart();
        },
        onEntry: (entry: LogEntry) => {
          const taken = subscribers.map((subscriber) => subscriber.take(entry)).filter((one) => one !== undefined);
          return taken.length === 0 ? undefined : Promise.all(taken);
        },
      };
      try {
        // only adaptors that follow a log load the client
        const { readBinlog } = await import('./read-binlog.js');
        await readBinlog(reading, current.signal);
      } catch (error) {
        if (error instanceof ServerIdTaken) attempt += 1;
        for (const subscriber of subscribers) failures.get(subscriber)?.(error);
      }
    }
  };
  /** Reads the log again from the earliest position, because each new table begins at its own position. */
  const restart = (): void => {
    current.abort();
    running ??= run().finally(() => {
      running = undefined;
    });
  };

  return {
    follow: async (subscriber, signal) => {
      if (signal.aborted) return;
      try {
        await new Promise<void>((resolve, reject) => {
          failures.set(subscriber, reject);
          signal.addEventListener('abort', () => resolve(), { once: true });
          restart();
        });
      } finally {
        failures.delete(subscriber);
        if (failures.size === 0) {
          current.abort();
          await running;
        }
      }
    },
  };
};
