import type { Database, Queryable } from '@fds/database';
import type { PageInfo, PageRequest } from '@fds/graphql';
import type { ListingFilter, SortTerm } from '@fds/search';
import type { RecordCounts } from '../create-record-counts.js';
import { planPage } from '../domain/plan-page.js';
import type { SearchIndexes } from '../../search-indexes/create-search-indexes.js';
import type { ListedPage, ListedRecord, ListedRow } from '../store/listed-record.js';
import type { ListingMemory } from '../store/listing-memory.js';
import { shownData, shownRows, type Shown } from '../store/page-reader.js';
import { readPage } from '../store/read-page.js';

/** Dependencies of listings; one instance of each for a process. */
export interface ListingMeans {
  readonly database: Database;
  readonly searchIndexes: SearchIndexes;
  readonly listingMemory: ListingMemory;
  readonly recordCounts: RecordCounts;
}

/** The page of a listing that is requested. */
export interface ListingRequest extends PageRequest {
  readonly order: readonly SortTerm[];
  /** Does the query select the total? */
  readonly isTotalRequested: boolean;
}

/** The page of a listing and its numbers, each read when it is first asked for. */
export interface RecordListing {
  records(): Promise<readonly ListedRecord[]>;
  /** The data of the same records as JSON text, for a reader of nothing else. */
  data(): Promise<readonly (string | null)[]>;
  /** The totals are absent where they are not requested. */
  pageInfo(): Promise<PageRequest & Partial<PageInfo>>;
}

export const createRecordListing = (
  { searchIndexes, listingMemory, recordCounts }: Omit<ListingMeans, 'database'>,
  /** Where the statements run: they may be expensive. */
  session: Queryable,
  filter: ListingFilter,
  { order, page, size, isTotalRequested }: ListingRequest,
): RecordListing => {
  const plan = planPage(
    filter,
    { order, offset: page * size, limit: size, isTotalRequested },
    {
      hasIndex: (version, property) => searchIndexes.exists(version, { property, kind: 'ORDER' }),
      remembersPlaces: true,
    },
  );
  const means = { session, listingMemory };
  const read = <Row extends Partial<ListedRow>, Listed>(shown: Shown<Row, Listed>): Promise<ListedPage<Listed>> => {
    searchIndexes.requestIndex(filter, order);
    return readPage(means, plan, shown);
  };
  let records: Promise<ListedPage> | undefined;
  let data: Promise<ListedPage<string | null>> | undefined;

  const totalWithPage = async (): Promise<number | undefined> => {
    // the page has begun to be read then, if the query selects it too
    await Promise.resolve();
    return (await (data ?? records))?.total;
  };
  const count = (): Promise<number> => {
    // a query for the total alone reads no page
    searchIndexes.requestIndex(filter, []);
    return recordCounts.totalOf(session, plan);
  };

  return {
    records: async () => (await (records ??= read(shownRows))).records,
    data: async () => (await (data ??= read(shownData))).records,
    pageInfo: async () => {
      if (plan.total === 'NOT_REQUESTED') return { page, size };
      const found = plan.total === 'WITH_PAGE' ? await totalWithPage() : undefined;
      const totalElements = found ?? (await count());
      return { page, size, totalElements, totalPages: Math.ceil(totalElements / size) };
    },
  };
};
