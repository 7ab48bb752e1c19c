import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import type { DomainVersionView } from '../domain/catalog.js';
import { buildMatchIndex, removeUnusedTokens } from '../store/matching/build-match-index.js';
import { createWakeable } from '../base/create-wakeable.js';

/** Makes the tokens by which candidates are found, ahead of the events that need them. */
export interface MatchIndexes extends Closable {
  /** Versions may have another algorithm: creates missing indexes and removes unused ones, in the background. */
  refresh(): void;
}

export interface MatchIndexesOptions {
  readonly database: Database;
  readonly log: Log;
  readonly versions: () => Iterable<Pick<DomainVersionView, 'uuid' | 'matching'>>;
}

/** Several processes may do so at once; events that come sooner wait. Closing finishes the page at hand. */
export const createMatchIndexes = ({ database, log, versions }: MatchIndexesOptions): MatchIndexes => {
  const closing = new AbortController();
  /** By version, the fingerprint that was seen last; undefined: EXACT. */
  let seen: ReadonlyMap<string, string | undefined> = new Map();

  const work = async (): Promise<void> => {
    const current = new Map([...versions()].map(({ uuid, matching }) => [uuid, matching?.tokens.fingerprint]));
    const changed = [...current].filter(([uuid, fingerprint]) => seen.get(uuid) !== fingerprint);
    for (const [uuid, fingerprint] of changed) {
      if (closing.signal.aborted) return;
      if (fingerprint !== undefined) await buildMatchIndex(database, uuid, closing.signal);
    }
    if (changed.length > 0 || current.size < seen.size) await removeUnusedTokens(database);
    seen = current;
  };
  const working = createWakeable(work, (error) => log.warn({ err: error }, 'tokens of keys could not be made'));

  return {
    refresh: () => {
      if (!closing.signal.aborted) working.wake();
    },
    close: async () => {
      closing.abort();
      await working.settle();
    },
  };
};
