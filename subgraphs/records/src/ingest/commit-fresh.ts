import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import { withMatchIndexes } from '../store/matching/with-match-indexes.js';
import { StaleVersions } from '../store/catalog/require-fresh-versions.js';
import { commitBatch, type CommitDependencies, type CommittedBatch } from './commit-batch.js';
import type { QueuedEvent } from './queued-event.js';
import { rereadRefused } from './refused-events.js';

const maxAttempts = 8;

/** The event as it is in a catalog that has changed. */
const readAgain = async (queued: QueuedEvent, stale: ReadonlySet<string>): Promise<QueuedEvent> => {
  const { event, reread } = queued;
  if (reread === undefined || event.version === undefined || !stale.has(event.version.uuid)) return queued;
  return { ...queued, event: await reread() };
};

/**
 * Commits a batch whose events were held against the models as they stand: those of a version that has changed since are
 * read again, and those for which the catalog lacked something.
 *
 * @throws as `commitBatch` does; StaleVersions only where a version changes again and again
 */
export const commitFresh = async (
  dependencies: CommitDependencies,
  view: Pick<CatalogView, 'catalog' | 'reloadVersions' | 'reloadNamed'>,
  batch: readonly QueuedEvent[],
): Promise<CommittedBatch> => {
  let current = await rereadRefused(view, batch);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const taken = current;
      return await withMatchIndexes(dependencies.database, () => commitBatch(dependencies, taken));
    } catch (error) {
      if (!(error instanceof StaleVersions) || attempt === maxAttempts) throw error;
      await view.reloadVersions(error.versionUuids);
      const stale = new Set(error.versionUuids);
      current = await Promise.all(current.map((queued) => readAgain(queued, stale)));
    }
  }
};
