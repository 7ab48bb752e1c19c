import { setTimeout as delay } from 'node:timers/promises';
import type { Closable, Log } from '@fds/service';
import { loadHead, readChanges, settleWriters } from './change-log-window.js';
import type { LoggedChange } from './change-log.js';
import { openNotificationListener } from './notification-listener.js';
import type { Database } from './open-database.js';
import { retryDelayMs } from './retry-delay.js';

export interface ChangeLogReaderOptions {
  readonly database: Database;
  /**
   * Where to begin: `now` gives every change committed after the reader has opened; a position gives the changes above
   * it, 0n the whole log.
   */
  readonly from: 'now' | bigint;
  /**
   * Takes a page of changes, in order of position, one page at a time. A page whose handler fails is given again, with
   * growing delay, until it succeeds: handlers must tolerate repetition. The signal aborts when the reader closes.
   */
  readonly onChanges: (changes: LoggedChange[], signal: AbortSignal) => Promise<void> | void;
  /** Types of resources whose changes are given; others cost nothing. Default: all. */
  readonly resourceTypes?: readonly string[];
  /**
   * Called as soon as a change of a type is known to be committed, before the page that holds it, in no order: for those who
   * only have to forget something. A lost notification comes with its page. Must not throw.
   */
  readonly onCommitted?: (resourceType: string) => void;
  readonly log: Log;
  /** Looks at least this often, in milliseconds. Default 1000. */
  readonly pollMs?: number;
  /** Changes in a page at most. Default 500. */
  readonly pageSize?: number;
}

const settleIntervalMs = 20;

/**
 * Follows the change log: each committed change once, in order of position, none left out whatever order transactions
 * commit in. A change waits for the transactions that wrote to the log before it was seen. Outages of the database are
 * waited out.
 *
 * @throws the database's error when the beginning cannot be read
 */
export const openChangeLogReader = async ({
  database,
  from,
  onChanges,
  resourceTypes,
  onCommitted,
  log,
  pollMs = 1_000,
  pageSize = 500,
}: ChangeLogReaderOptions): Promise<Closable> => {
  const closing = new AbortController();
  const { signal } = closing;
  const settle = (): Promise<void> =>
    settleWriters(database, {
      intervalMs: settleIntervalMs,
      signal,
      onSlow: (writers) => log.warn({ writers }, 'open transactions hold up the readers of the change log'),
    });

  const start = from === 'now' ? await loadHead(database) : from;
  if (from === 'now') await settle();
  let cursor = start;

  const hand = async (page: LoggedChange[]): Promise<void> => {
    for (let failures = 1; ; failures += 1) {
      try {
        return await onChanges(page, signal);
      } catch (error) {
        signal.throwIfAborted();
        log.error(
          { err: error, position: page[0]?.position.toString(), failures },
          'a reader of the change log failed',
        );
        await delay(retryDelayMs(failures), undefined, { signal });
      }
    }
  };

  const readWindow = async (): Promise<void> => {
    const upTo = await loadHead(database);
    if (upTo <= cursor) return;
    await settle();
    while (cursor < upTo) {
      signal.throwIfAborted();
      const page = await readChanges(database, { after: cursor, upTo, resourceTypes, limit: pageSize });
      if (page.length > 0) await hand(page);
      cursor = page.length < pageSize ? upTo : (page.at(-1)?.position ?? upTo);
    }
  };

  let running: Promise<void> | undefined;
  let wokenMeanwhile = false;
  const run = async (): Promise<void> => {
    try {
      do {
        wokenMeanwhile = false;
        await readWindow();
      } while (wokenMeanwhile);
    } catch (error) {
      // the cursor stays: the next poll continues from there
      if (!signal.aborted) log.warn({ err: error }, 'the change log could not be read');
    } finally {
      running = undefined;
    }
  };
  const wake = (): void => {
    if (signal.aborted) return;
    wokenMeanwhile = true;
    running ??= run();
  };

  const listener = await openNotificationListener({
    database,
    channel: 'fds_change_log',
    onWake: (changedType) => {
      if (changedType !== undefined) onCommitted?.(changedType);
      if (changedType === undefined || resourceTypes === undefined || resourceTypes.includes(changedType)) wake();
    },
    pollMs,
    log,
  });
  return {
    close: async () => {
      closing.abort();
      await listener.close();
      await running;
    },
  };
};
