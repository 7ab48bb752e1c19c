import type { Database, Queryable } from '@fds/database';
import {
  type ListingFilter,
  listingPropertiesOf,
  indexNeedsOf,
  loadDatabaseFeatures,
  type DatabaseFeatures,
  type IndexNeed,
  type SortTerm,
} from '@fds/search';
import type { Closable, Log } from '@fds/service';
import { LRUCache } from 'lru-cache';
import { createWakeable } from '../../base/create-wakeable.js';
import type { Catalog } from '../../domain/catalog.js';
import {
  buildSearchIndex,
  describeSearchIndex,
  dropSearchIndex,
  holdsAtLeast,
  listSearchIndexes,
  releaseIndexLock,
  tryIndexLock,
  type KeyTable,
  type PresentIndex,
  type SearchIndex,
} from './store/search-index-store.js';

type Version = NonNullable<ListingFilter['version']>;

/** Makes indexes for versions that are searched and large, in the background; see docs/decisions, search indexes. */
export interface SearchIndexes extends Closable {
  /** A search arrived: the index for it is created, unless it exists or the version is small. Never waits. */
  requestIndex(filter: ListingFilter, order: readonly SortTerm[]): void;
  /** Is the index known to exist? False until a search has requested it. */
  exists(version: Pick<Version, 'uuid'>, need: IndexNeed): boolean;
  /** Removes indexes that no search can use, in the background. */
  sweep(): void;
  /** Waits until nothing is made or removed. */
  settle(): Promise<void>;
}

export interface SearchIndexesOptions {
  readonly database: Database;
  readonly log: Log;
  readonly catalog: () => Pick<Catalog, 'versionByUuid'>;
  /** Rows of a version from which on it has indexes. Default 5000: reading fewer costs some ten milliseconds. */
  readonly minRows?: number;
  /** Indexes of all versions together: each costs every insert a look at its predicate. Default 200. */
  readonly maxIndexes?: number;
  /** How long a version is taken to be small before its rows are counted again, in milliseconds. Default 30 000. */
  readonly recountMs?: number;
}

interface IndexRequest {
  readonly version: Version;
  readonly need: IndexNeed;
}

const keyOf = ({ uuid }: Pick<Version, 'uuid'>, { property, kind }: IndexNeed): string =>
  `${uuid} ${kind} ${property.name} ${property.type} ${property.format ?? ''}`;

const tablesOf = ({ domainType }: Pick<Version, 'domainType'>): readonly KeyTable[] =>
  domainType === 'FEDERATED' ? ['record_link', 'data_record'] : ['data_record'];

export const createSearchIndexes = (options: SearchIndexesOptions): SearchIndexes => {
  const { database, log, catalog, minRows = 5_000, maxIndexes = 200, recountMs = 30_000 } = options;
  const { pool } = database;
  const closing = new AbortController();
  const requests = new Map<string, IndexRequest>();
  /** Requests that are fulfilled, or that wait for their version to grow. */
  const settled = new LRUCache<string, true>({ max: 10_000 });
  /** Requests whose indexes exist. */
  const existing = new LRUCache<string, true>({ max: 10_000 });
  let worker: number | undefined;
  let remembering: Promise<void> = Promise.resolve();

  const isUsable = (index: PresentIndex, features: DatabaseFeatures): boolean => {
    const version = catalog().versionByUuid(index.domainVersionUuid);
    if (version === undefined || !index.valid) return false;
    const kinds = ['ORDER', 'TRIGRAM'] as const;
    return listingPropertiesOf(version.model).some((property) =>
      kinds.some((kind) =>
        tablesOf(version).some(
          (table) => describeSearchIndex(version.uuid, table, { property, kind }, features).name === index.name,
        ),
      ),
    );
  };

  /** @returns names of the indexes that are left */
  const removeUnusable = async (client: Queryable, features: DatabaseFeatures): Promise<Set<string>> => {
    const left = new Set<string>();
    for (const index of await listSearchIndexes(client)) {
      if (isUsable(index, features)) left.add(index.name);
      else {
        await dropSearchIndex(client, index.name);
        log.info({ index: index.name }, 'a search index that nothing uses was removed');
      }
    }
    return left;
  };

  const missingFor = async (request: IndexRequest, present: ReadonlySet<string>, features: DatabaseFeatures) => {
    const missing: SearchIndex[] = [];
    for (const table of tablesOf(request.version)) {
      const index = describeSearchIndex(request.version.uuid, table, request.need, features);
      if (present.has(index.name)) continue;
      if (await holdsAtLeast(pool, request.version.uuid, table, minRows)) missing.push(index);
    }
    return missing;
  };

  const isComplete = ({ version, need }: IndexRequest, present: ReadonlySet<string>, features: DatabaseFeatures) =>
    tablesOf(version).every((table) => present.has(describeSearchIndex(version.uuid, table, need, features).name));

  const build = async (client: Queryable, index: SearchIndex, present: Set<string>): Promise<void> => {
    if (present.size >= maxIndexes) {
      log.warn({ maxIndexes }, 'no search index is made: there are as many as are allowed');
      return;
    }
    const startedMs = performance.now();
    await buildSearchIndex(client, index);
    present.add(index.name);
    log.info({ index: index.name, milliseconds: Math.round(performance.now() - startedMs) }, 'a search index was made');
  };

  const work = async (): Promise<void> => {
    const features = await loadDatabaseFeatures(pool);
    const client = await pool.connect();
    try {
      // another process works on it: the next search requests the index again
      if (!(await tryIndexLock(client))) return;
      const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
      worker = rows[0]?.pid;
      try {
        const present = await removeUnusable(client, features);
        for (const [key, request] of requests) {
          if (closing.signal.aborted) return;
          const missing = await missingFor(request, present, features);
          for (const index of missing) await build(client, index, present);
          requests.delete(key);
          if (isComplete(request, present, features)) existing.set(key, true);
          else existing.delete(key);
          settled.set(key, true, { ttl: missing.length === 0 ? recountMs : 60 * recountMs });
        }
      } finally {
        worker = undefined;
        await releaseIndexLock(client);
      }
    } finally {
      client.release();
    }
  };
  const working = createWakeable(work, (error) => {
    requests.clear();
    if (!closing.signal.aborted) log.warn({ err: error }, 'search indexes could not be made');
  });

  const remember = async (filter: ListingFilter, version: Version, order: readonly SortTerm[]): Promise<void> => {
    const needs = indexNeedsOf(filter.condition, order, await loadDatabaseFeatures(pool));
    const { drKey } = filter;
    const all = drKey === undefined ? needs : [...needs, { property: drKey.property, kind: 'ORDER' as const }];
    const before = requests.size;
    for (const need of all) {
      const key = keyOf(version, need);
      if (!settled.has(key)) requests.set(key, { version, need });
    }
    if (requests.size > before && !closing.signal.aborted) working.wake();
  };

  return {
    requestIndex: (filter, order) => {
      const { version, condition, drKey } = filter;
      if (version === undefined || (condition === undefined && drKey === undefined && order.length === 0)) return;
      remembering = Promise.all([remembering, remember(filter, version, order)])
        .then(() => undefined)
        .catch((error: unknown) => log.debug({ err: error }, 'cannot request a search index'));
    },
    exists: (version, need) => existing.has(keyOf(version, need)),
    sweep: () => working.wake(),
    settle: async () => {
      await remembering;
      await working.settle();
    },
    close: async () => {
      closing.abort();
      // an index that is cut off here is removed at the next start
      if (worker !== undefined) await pool.query('SELECT pg_cancel_backend($1)', [worker]).catch(() => undefined);
      await remembering;
      await working.settle();
    },
  };
};
