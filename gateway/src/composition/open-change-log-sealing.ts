import { loadSettledHead, sealLogPage, type Database } from '@fds/database';
import { repeatEvery, type Closable, type Log } from '@fds/service';

export interface ChangeLogSealingOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  /** Longest time until an entry is in a page, in milliseconds. */
  readonly sealMs: number;
}

const pageEntries = 256;
const longestIntervalMs = 5_000;

/**
 * Seals pages of the change log behind its stable position. Each process does it, and each page is sealed once. The hash
 * of a page also goes into the log of the service: a company that collects the log can tell whether the whole chain was
 * computed again.
 */
export const openChangeLogSealing = ({ database, log, now, sealMs }: ChangeLogSealingOptions): Closable => {
  const closing = new AbortController();
  const seal = async (): Promise<void> => {
    const settled = await loadSettledHead(database.pool);
    while (!closing.signal.aborted) {
      const sealBefore = new Date(now().getTime() - sealMs);
      const page = await sealLogPage(database.pool, { settled, pageEntries, sealBefore });
      if (page === undefined) return;
      const { number, lastPosition, entries, hash } = page;
      log.info({ page: Number(number), lastPosition: String(lastPosition), entries, hash }, 'change log page sealed');
    }
  };
  const repeated = repeatEvery({
    intervalMs: Math.min(longestIntervalMs, sealMs),
    work: seal,
    log,
    onFailure: 'the change log could not be sealed',
  });
  return {
    close: async () => {
      closing.abort();
      await repeated.close();
    },
  };
};
