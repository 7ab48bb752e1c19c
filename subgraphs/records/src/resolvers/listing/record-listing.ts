import type { Database, Queryable } from '@fds/database';
import type { PageInfo, PageRequest } from '@fds/graphql';
import { takesEveryKey, versionOfAllRecords, type ListingFilter } from '@fds/record-rows';
import type { SortTerm } from '@fds/search-sql';
import type { SearchIndexes } from '../../search-indexes/create-search-indexes.js';
import { countRecords, listPage, type ListedPage } from '../../store/listing/list-records.js';
import type { ListedRecord } from '../../store/listing/listed-record.js';
import type { ListingMemory } from '../../store/listing/listing-memory.js';

/** What listings stand on; one of each for a process. */
export interface ListingMeans {
  readonly database: Database;
  readonly searchIndexes: SearchIndexes;
  readonly listingMemory: ListingMemory;
}

/** The page of a listing and its numbers, each read when it is first asked for. */
export interface RecordListing {
  records(): Promise<readonly ListedRecord[]>;
  pageInfo(): Promise<PageInfo>;
}

/** From here on a page is found by what is remembered. */
const deepOffset = 1_000;

export const createRecordListing = (
  { searchIndexes, listingMemory }: Omit<ListingMeans, 'database'>,
  /** Where the statements run: they may be expensive. */
  session: Queryable,
  filter: ListingFilter,
  order: readonly SortTerm[],
  { page, size }: PageRequest,
): RecordListing => {
  const offset = page * size;
  const wholeVersion = versionOfAllRecords(filter);

  const listDeep = async (domainVersionUuid: string): Promise<ListedPage> => {
    const known = await listingMemory.recall(session, domainVersionUuid);
    const from = known?.anchorFor(offset);
    const listed = await listPage(session, filter, {
      order,
      offset,
      limit: size,
      ...(from === undefined ? {} : { from }),
    });
    const [first, last] = [listed.records[0], listed.records.at(-1)];
    if (first !== undefined) known?.addAnchor({ offset, uuid: first.uuid });
    if (last !== undefined) known?.addAnchor({ offset: offset + listed.records.length - 1, uuid: last.uuid });
    return listed;
  };

  let listed: Promise<ListedPage> | undefined;
  const list = (): Promise<ListedPage> => {
    searchIndexes.wish(filter, order);
    return (listed ??=
      wholeVersion !== undefined && order.length === 0 && offset >= deepOffset
        ? listDeep(wholeVersion)
        : listPage(session, filter, { order, offset, limit: size }));
  };

  const count = async (): Promise<number> => {
    if (wholeVersion === undefined || !listingMemory.isLarge(wholeVersion)) {
      const total = await countRecords(session, filter);
      if (wholeVersion !== undefined) listingMemory.noteSize(wholeVersion, total);
      return total;
    }
    const known = await listingMemory.recall(session, wholeVersion);
    if (known?.total !== undefined) return known.total;
    const total = await countRecords(session, filter);
    listingMemory.noteSize(wholeVersion, total);
    known?.setTotal(total);
    return total;
  };

  return {
    records: async () => (await list()).records,
    pageInfo: async () => {
      const found = takesEveryKey(filter) ? undefined : (await list()).total;
      const totalElements = found ?? (await count());
      return { page, size, totalElements, totalPages: Math.ceil(totalElements / size) };
    },
  };
};
