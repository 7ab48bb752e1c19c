import { setTimeout as delay } from 'node:timers/promises';
import type { Closable, Log } from '@fds/service';
import { loadHead, readChanges, settleWriters } from './change-log-window.js';
import type { LoggedChange } from './change-log.js';
import { openNotificationListener } from './notification-listener.js';
import type { Database } from './open-database.js';
import { retryDelayMs } from './retry-delay.js';

export interface ChangeLogReaderOptions {
  readonly database: Database;
  /** Name of the reader in figures. Default: it is in none. */
  readonly name?: string;
  /**
   * Start of the reader. `now`: changes that are committed after the reader was opened. A position: changes after it;
   * 0n: the whole log.
   */
  readonly from: 'now' | bigint;
  /**
   * Handles a page of changes, in order of position. Pages are handled one at a time. If the handler fails, the same
   * page is passed again after growing delays until it succeeds: handlers must tolerate repetition. The signal aborts
   * when the reader closes.
   */
  readonly onChanges: (changes: LoggedChange[], signal: AbortSignal) => Promise<void> | void;
  /** Resource types to read. Changes of other types cause no work. Default: all types. */
  readonly resourceTypes?: readonly string[];
  /**
   * Called as soon as a change of a type is known to be committed, before the page that contains it, in no particular
   * order. It suits callers that only invalidate a cache. If the notification is lost, the call happens with the page.
   * Must not throw.
   */
  readonly onCommitted?: (resourceType: string) => void;
  readonly log: Log;
  /** Maximum time between two reads, in milliseconds. Default 1000. */
  readonly pollMs?: number;
  /** Maximum number of changes in a page. Default 500. */
  readonly pageSize?: number;
}

const settleIntervalMs = 20;

/**
 * Follows the change log. It returns each committed change once, in order of position, and omits none, regardless of
 * the order in which transactions commit. A change waits until the transactions that wrote to the log before it are
 * finished. During an outage of the database, the reader waits.
 *
 * @throws the database's error when the start position cannot be read
 */
export const openChangeLogReader = async ({
  database,
  name,
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
      // the position stays unchanged: the next poll continues from there
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
  const named = name === undefined ? undefined : { name, position: () => cursor };
  if (named !== undefined) database.logReaders.add(named);
  return {
    close: async () => {
      if (named !== undefined) database.logReaders.delete(named);
      closing.abort();
      await listener.close();
      await running;
    },
  };
};
