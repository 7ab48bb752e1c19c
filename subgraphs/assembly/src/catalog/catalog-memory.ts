import { loadSettledHead, type Database } from '@fds/database';
import { hasCatalogChanged } from '../store/catalog-changes.js';
import { createCatalogFacts, type CatalogFacts } from './catalog-facts.js';
import { rememberFacts } from './remembered-facts.js';

/** Caches facts of the catalog until the change log shows a change of them. */
export interface CatalogMemory {
  /**
   * Runs work with the cached facts, and queries the change log at the same time. If the catalog has changed, the
   * result is dropped, and the work runs again with facts from the database. Therefore a change that was committed
   * before the call always counts.
   *
   * @param work only reads; it may run twice
   */
  decide<T>(work: (facts: CatalogFacts) => Promise<T>): Promise<T>;
  /** Waits for statements in progress. */
  close(): Promise<void>;
}

/** Facts that include every change up to a position of the log, below which no further change can appear. */
interface Remembered {
  readonly upTo: bigint;
  readonly facts: CatalogFacts;
}

export const createCatalogMemory = (database: Pick<Database, 'reads'>): CatalogMemory => {
  const stored = createCatalogFacts(database);
  let remembered: Remembered | undefined;
  let settling: Promise<void> | undefined;

  /** Caches facts once no open transaction can add changes below the position. */
  const settle = async (): Promise<void> => {
    try {
      remembered = { upTo: await loadSettledHead(database.reads), facts: rememberFacts(stored) };
    } catch {
      // the next request tries again, and its own statements report a database that cannot be reached
    } finally {
      settling = undefined;
    }
  };

  return {
    decide: async (work) => {
      const current = remembered;
      if (current !== undefined) {
        const [[result], hasChanged] = await Promise.all([
          Promise.allSettled([work(current.facts)]),
          hasCatalogChanged(database.reads, current.upTo),
        ]);
        if (!hasChanged) {
          if (result.status === 'rejected') throw result.reason;
          return result.value;
        }
        if (remembered === current) remembered = undefined;
      }
      settling ??= settle();
      return work(stored);
    },
    close: async () => {
      await settling;
    },
  };
};
