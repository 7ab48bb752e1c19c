import type { SqlSession } from '@fds/database';
import { isTaken, type TakenChanges } from '../../domain/taken-changes.js';
import { loadCatalogChanges, type CatalogChange } from './load-catalog-changes.js';

/** Domains, adaptors or chains have changed since something was decided by them. */
export class StaleCatalog extends Error {
  constructor(readonly changes: readonly CatalogChange[]) {
    super('the catalog has changed since');
  }
}

/**
 * Compares a decision with everything that was committed before: a caller that got the answer that an entry is saved,
 * or an adaptor, may rely on it.
 *
 * @throws StaleCatalog with the changes that the decision lacked
 */
export const requireFreshCatalog = async (session: SqlSession, taken: TakenChanges): Promise<void> => {
  const changes = await loadCatalogChanges(session, taken.upTo);
  const missed = changes.filter(({ position }) => !isTaken(taken, position));
  if (missed.length > 0) throw new StaleCatalog(missed);
};
