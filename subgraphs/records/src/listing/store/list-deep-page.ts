import type { Queryable } from '@fds/database';
import type { ListingFilter } from '@fds/record-rows';
import { holdsUnset, listPage, listRungs, rungDistance, type ListedPage } from './list-records.js';
import type { Anchor, KnownRecords, ListingMemory } from './listing-memory.js';
import type { RequestedPage } from './requested-page.js';

/** All records of a version, one row each. */
interface WholeVersion {
  readonly filter: ListingFilter;
  readonly domainVersionUuid: string;
}

interface Means {
  readonly session: Queryable;
  readonly listingMemory: ListingMemory;
}

const isNear = (anchor: Anchor | undefined, offset: number): anchor is Anchor =>
  anchor !== undefined && offset - anchor.offset <= rungDistance;

/** @returns undefined where the rows after the anchor do not end with the page, and some of them have no value */
const listFrom = async (
  session: Queryable,
  filter: ListingFilter,
  page: RequestedPage,
  from: Anchor,
): Promise<ListedPage | undefined> => {
  const listed = await listPage(session, filter, { ...page, from });
  const isShort = listed.records.length < page.limit;
  const unsetAtEnd = page.order[0]?.descending === true;
  return isShort && unsetAtEnd && (await holdsUnset(session, filter, page.order)) ? undefined : listed;
};

/** Without a sort the rows on the way are in an index: remembering the rows of the page is enough. */
const listByUuid = async (
  session: Queryable,
  filter: ListingFilter,
  page: RequestedPage,
  known: KnownRecords | undefined,
): Promise<ListedPage> => {
  const from = known?.anchorFor(page.offset);
  const listed = await listPage(session, filter, from === undefined ? page : { ...page, from });
  const [first, last] = [listed.records[0], listed.records.at(-1)];
  if (first === undefined || last === undefined) return listed;
  known?.addAnchors([
    { offset: page.offset, uuid: first.uuid, values: [] },
    { offset: page.offset + listed.records.length - 1, uuid: last.uuid, values: [] },
  ]);
  return listed;
};

const listSorted = async (
  session: Queryable,
  filter: ListingFilter,
  page: RequestedPage,
  known: KnownRecords | undefined,
): Promise<ListedPage> => {
  const { order, offset } = page;
  const nearest = known?.anchorFor(offset);
  if (known === undefined) return listPage(session, filter, page);
  if (isNear(nearest, offset))
    return (await listFrom(session, filter, page, nearest)) ?? listPage(session, filter, page);
  const rungs = await listRungs(session, filter, {
    order,
    offset,
    ...(nearest === undefined ? {} : { from: nearest }),
  });
  known.addAnchors(rungs);
  const from = rungs.at(-1) ?? nearest;
  return (from && (await listFrom(session, filter, page, from))) ?? listPage(session, filter, page);
};

/**
 * A page that many rows come before: found from a row that is remembered. While the change log is checked for moves of
 * that row, the page is already read from it.
 */
export const listDeepPage = async (
  { session, listingMemory }: Means,
  { filter, domainVersionUuid }: WholeVersion,
  page: RequestedPage,
): Promise<ListedPage> => {
  const version = { domainVersionUuid, order: page.order };
  const guessed = listingMemory.guess(version, page.offset);
  const [known, early] = await Promise.all([
    listingMemory.recall(session, version),
    isNear(guessed, page.offset) ? listFrom(session, filter, page, guessed) : undefined,
  ]);
  if (early !== undefined && known?.anchorFor(page.offset) === guessed) return early;
  return (page.order.length === 0 ? listByUuid : listSorted)(session, filter, page, known);
};
