import type { Database } from '@fds/database';
import { buildMatchIndex } from './build-match-index.js';
import { IncompleteMatchIndexes } from './require-match-indexes.js';

const maxAttempts = 8;

/** Does work that finds candidates; where their index is not complete, it is completed first, and the work done again. */
export const withMatchIndexes = async <T>(database: Database, work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof IncompleteMatchIndexes) || attempt === maxAttempts) throw error;
      for (const versionUuid of error.versionUuids) await buildMatchIndex(database, versionUuid);
    }
  }
};
