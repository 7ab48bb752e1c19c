import type { RecordCollector } from '@fds/assembly-contract';
import { readCondition } from '../../reading/listing/resolvers/key-properties.js';
import { loadPage, type PageRecord } from '../store/job-pages.js';
import type { Reconciliation } from '../store/reconciliation.js';
import type { CommitDependencies } from './commit-page.js';
import { comparePage, loadAcked, type ComparedPage, type LoadedPage as LoadedRecords } from './compare-page.js';
import type { GivenUp, ReconciledSides } from './read-sides.js';

interface PageDependencies extends CommitDependencies {
  readonly collector: RecordCollector;
}

/** GONE: the job cannot go on. END: no record follows. */
type NoPage =
  { readonly kind: 'GONE'; readonly reason: string } | { readonly kind: 'END'; readonly sides: ReconciledSides };

/** Records of a page before their sides are asked. */
export type LoadedPage = NoPage | ({ readonly kind: 'PAGE'; readonly sides: ReconciledSides } & LoadedRecords);

/** A page after its sides were asked. */
export type ReadPage =
  | NoPage
  | {
      readonly kind: 'PAGE';
      readonly sides: ReconciledSides;
      readonly records: readonly PageRecord[];
      readonly compared: ComparedPage;
    };

/** The sides of a job as they are now; or why it cannot go on. */
const sidesOf = async (
  { view }: PageDependencies,
  job: Reconciliation,
  givenUp: GivenUp,
): Promise<ReconciledSides | { readonly gone: string }> => {
  await view.catchUp();
  const here = await view.findAdaptor(job.adaptorUuid);
  const version = await view.findVersionByUuid(job.domainVersionUuid);
  if (here === undefined || version === undefined) return { gone: 'The adaptor or the domain version was deleted.' };
  const isStored = version.domainType === 'SERVICE_DATA_STORE';
  const others = isStored ? [] : view.catalog.holders(version).filter(({ uuid }) => uuid !== here.uuid);
  return { version, here, others, givenUp };
};

/** The records after a place in a job, at most so many. */
export const loadNext = async (
  dependencies: PageDependencies,
  job: Reconciliation,
  { givenUp, limit, after }: { readonly givenUp: GivenUp; readonly limit: number; readonly after: string | null },
): Promise<LoadedPage> => {
  const sides = await sidesOf(dependencies, job, givenUp);
  if ('gone' in sides) return { kind: 'GONE', reason: sides.gone };
  const { version, others } = sides;
  const isComparable = version.domainType === 'SERVICE_DATA_STORE' || others.length > 0;
  const upTo = isComparable ? job.lastRecordUuid : null;
  if (upTo === null) return { kind: 'END', sides };
  const { condition } = readCondition({ model: version.model }, job.query);
  const acked = await loadAcked(dependencies, sides);
  const records = await loadPage(dependencies.database.pool, version, condition, { after, upTo, limit });
  return records.length === 0 ? { kind: 'END', sides } : { kind: 'PAGE', sides, records, acked };
};

/** Asks the sides of a page. */
export const readLoaded = async (
  dependencies: PageDependencies,
  job: Reconciliation,
  loaded: LoadedPage,
  signal: AbortSignal,
): Promise<ReadPage> => {
  if (loaded.kind !== 'PAGE') return loaded;
  const { kind, sides, records } = loaded;
  return { kind, sides, records, compared: await comparePage(dependencies, job, sides, loaded, signal) };
};
