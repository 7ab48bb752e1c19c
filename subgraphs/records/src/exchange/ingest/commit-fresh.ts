import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { withMatchIndexes } from '../../store/matching/with-match-indexes.js';
import { StaleCatalog } from '../../catalog-view/store/require-fresh-catalog.js';
import { StaleVersions } from '../../catalog-view/store/require-fresh-versions.js';
import { commitBatch, type CommitDependencies } from './commit-batch.js';
import type { CommittedBatch } from './committed-batch.js';
import type { QueuedEvent } from './queued-event.js';
import { rereadRefused } from './refused-events.js';

const maxAttempts = 8;

/** The changes since events were read. */
interface Stale {
  readonly versions: ReadonlySet<string>;
  /** Undefined: any adaptor may have. */
  readonly adaptors: ReadonlySet<string> | undefined;
}

const staleOf = ({ changes }: StaleCatalog): Stale => {
  const of = (type: string): readonly string[] =>
    changes.flatMap(({ resourceType, resourceUuid }) => (resourceType === type ? (resourceUuid ?? []) : []));
  const isAnyAdaptor = changes.some(({ resourceType }) => resourceType === 'AdaptorType');
  return {
    versions: new Set(of('DomainVersion')),
    adaptors: isAnyAdaptor ? undefined : new Set(of('Adaptor')),
  };
};

/** The event as it is in a catalog that has changed. */
const readAgain = async (
  queued: QueuedEvent,
  catalog: Pick<CatalogView['catalog'], 'adaptor'>,
  { versions, adaptors }: Stale,
): Promise<QueuedEvent> => {
  const { adaptor, event, reread } = queued;
  const isStale =
    (adaptors?.has(adaptor.uuid) ?? true) || (event.version !== undefined && versions.has(event.version.uuid));
  if (reread === undefined || !isStale) return queued;
  return { ...queued, adaptor: catalog.adaptor(adaptor.uuid) ?? adaptor, event: await reread() };
};

/**
 * Commits a batch whose events are checked against the present catalog and chains: events of a changed version or adaptor
 * are read again, and those for which the catalog lacked something. When it changes again and again the last attempt uses
 * the values loaded a moment before, so that events do not wait for the last change.
 *
 * @throws as `commitBatch` does; StaleVersions only where a version changes again and again
 */
export const commitFresh = async (
  dependencies: CommitDependencies,
  view: Pick<CatalogView, 'catalog' | 'taken' | 'take' | 'reloadVersions' | 'reloadNamed'>,
  batch: readonly QueuedEvent[],
): Promise<CommittedBatch> => {
  const checked: CommitDependencies = { ...dependencies, taken: () => view.taken };
  let current = await rereadRefused(view, batch);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const taken = current;
      const by = attempt < maxAttempts ? checked : dependencies;
      return await withMatchIndexes(dependencies.database, () => commitBatch(by, taken));
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      let stale: Stale;
      if (error instanceof StaleCatalog) {
        await view.take(error.changes);
        stale = staleOf(error);
      } else if (error instanceof StaleVersions) {
        await view.reloadVersions(error.versionUuids);
        stale = { versions: new Set(error.versionUuids), adaptors: new Set() };
      } else {
        throw error;
      }
      current = await Promise.all(current.map((queued) => readAgain(queued, view.catalog, stale)));
    }
  }
};
