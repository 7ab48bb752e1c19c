import { loadSettledHead, type Database } from '@fds/database';
import { hasCatalogChanged } from '../store/catalog-changes.js';
import { createCatalogFacts, type CatalogFacts } from './catalog-facts.js';
import { rememberFacts } from './remembered-facts.js';

/** Remembers facts of the catalog for as long as the change log says nothing new about it. */
export interface CatalogMemory {
  /**
   * Runs work with the facts that are remembered, and asks the change log at the same time. Where the catalog has changed, the
   * result is dropped, and the work runs again with facts from the database. So a change that was committed before the
   * call always counts.
   *
   * @param work reads only; may run twice
   */
  decide<T>(work: (facts: CatalogFacts) => Promise<T>): Promise<T>;
  /** Waits for statements in flight. */
  close(): Promise<void>;
}

/** Facts that show every change up to a position of the log, below which no further one can appear. */
interface Remembered {
  readonly upTo: bigint;
  readonly facts: CatalogFacts;
}

export const createCatalogMemory = (database: Pick<Database, 'reads'>): CatalogMemory => {
  const stored = createCatalogFacts(database);
  let remembered: Remembered | undefined;
  let settling: Promise<void> | undefined;

  /** Facts are remembered from the moment at which no transaction is left that may add changes below the position. */
  const settle = async (): Promise<void> => {
    try {
      remembered = { upTo: await loadSettledHead(database.reads), facts: rememberFacts(stored) };
    } catch {
      // the next request tries again; its own statements report a database that cannot be reached
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
