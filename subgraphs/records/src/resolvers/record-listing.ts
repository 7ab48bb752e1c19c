import type { PageInfo, PageRequest } from '@fds/graphql';
import type { SortTerm } from '@fds/search-sql';
import { countRecords, listPage, type ListedPage, type ListedRecord } from '../store/list-records.js';
import { takesEveryKey, type ListingFilter } from '../store/listing/listing-filter.js';
import type { ListingAccess } from './list-data-records.js';

/** The page of a listing and its numbers, each read when it is first asked for. */
export interface RecordListing {
  records(): Promise<readonly ListedRecord[]>;
  pageInfo(): Promise<PageInfo>;
}

export const createRecordListing = (
  { database: { pool }, searchIndexes }: Pick<ListingAccess, 'database' | 'searchIndexes'>,
  filter: ListingFilter,
  order: readonly SortTerm[],
  { page, size }: PageRequest,
): RecordListing => {
  let listed: Promise<ListedPage> | undefined;
  const list = (): Promise<ListedPage> => {
    searchIndexes.wish(filter, order);
    return (listed ??= listPage(pool, filter, { order, offset: page * size, limit: size }));
  };
  return {
    records: async () => (await list()).records,
    pageInfo: async () => {
      const found = takesEveryKey(filter) ? undefined : (await list()).total;
      const totalElements = found ?? (await countRecords(pool, filter));
      return { page, size, totalElements, totalPages: Math.ceil(totalElements / size) };
    },
  };
};
