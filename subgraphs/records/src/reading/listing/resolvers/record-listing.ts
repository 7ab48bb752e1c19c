import type { Database, Queryable } from '@fds/database';
import type { PageInfo, PageRequest } from '@fds/graphql';
import { takesEveryKey, versionOfAllRecords, type ListingFilter } from '@fds/record-rows';
import type { SortTerm } from '@fds/search-sql';
import type { RecordCounts } from '../create-record-counts.js';
import type { SearchIndexes } from '../../search-indexes/create-search-indexes.js';
import { countRecords, listPage, listPageData } from '../store/list-records.js';
import { isDeep, listDeepPage, listDeepPageData } from '../store/list-deep-page.js';
import type { ListedPage, ListedRecord } from '../store/listed-record.js';
import { rangeSearchOf } from '../store/range-search.js';
import type { RequestedPage } from '../store/requested-page.js';
import type { ListingMemory } from '../store/listing-memory.js';

/** Dependencies of listings; one instance of each for a process. */
export interface ListingMeans {
  readonly database: Database;
  readonly searchIndexes: SearchIndexes;
  readonly listingMemory: ListingMemory;
  readonly recordCounts: RecordCounts;
}

/** The page of a listing and its numbers, each read when it is first asked for. */
export interface RecordListing {
  records(): Promise<readonly ListedRecord[]>;
  /** The data of the same records as JSON text, for a reader of nothing else. */
  data(): Promise<readonly (string | null)[]>;
  pageInfo(): Promise<PageInfo>;
}

export const createRecordListing = (
  { searchIndexes, listingMemory, recordCounts }: Omit<ListingMeans, 'database'>,
  /** Where the statements run: they may be expensive. */
  session: Queryable,
  filter: ListingFilter,
  order: readonly SortTerm[],
  { page, size }: PageRequest,
): RecordListing => {
  const offset = page * size;
  const wholeVersion = versionOfAllRecords(filter);
  const deepVersion =
    wholeVersion !== undefined && isDeep({ order, offset }) ? { filter, domainVersionUuid: wholeVersion } : undefined;
  const means = { session, listingMemory };

  const range = rangeSearchOf(filter);
  let isTotalAsked = false;

  /** Begins when the fields of the answer are known: only then is it known whether the total is asked for. */
  const readPage = async <Listed>(read: (requested: RequestedPage) => Promise<Listed>): Promise<Listed> => {
    searchIndexes.requestIndex(filter, order);
    await Promise.resolve();
    const isIndexed =
      range !== undefined && searchIndexes.exists(range.filter.version, { property: range.property, kind: 'ORDER' });
    return read({ order, offset, limit: size, isIndexed, withoutTotal: !isTotalAsked });
  };

  let listed: Promise<ListedPage> | undefined;
  const list = (): Promise<ListedPage> =>
    (listed ??= readPage((requested) =>
      deepVersion === undefined
        ? listPage(session, filter, requested)
        : listDeepPage(means, deepVersion, requested).then((records) => ({ records, total: undefined })),
    ));

  let listedData: Promise<ListedPage<string | null>> | undefined;
  const listData = (): Promise<ListedPage<string | null>> =>
    (listedData ??= readPage((requested) =>
      deepVersion === undefined
        ? listPageData(session, filter, requested)
        : listDeepPageData(means, deepVersion, requested).then((records) => ({ records, total: undefined })),
    ));

  const count = async (): Promise<number> => {
    // a query for the total alone reads no page
    searchIndexes.requestIndex(filter, []);
    return (await recordCounts.totalOf(session, filter)) ?? (await countRecords(session, filter));
  };

  return {
    records: async () => (await list()).records,
    data: async () => (await listData()).records,
    pageInfo: async () => {
      isTotalAsked = true;
      // a page that is asked for as well is known then
      await Promise.resolve();
      const found = takesEveryKey(filter) ? undefined : (await (listedData ?? listed))?.total;
      const totalElements = found ?? (await count());
      return { page, size, totalElements, totalPages: Math.ceil(totalElements / size) };
    },
  };
};
