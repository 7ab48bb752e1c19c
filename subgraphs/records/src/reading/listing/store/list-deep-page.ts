import type { Queryable } from '@fds/database';
import type { ListingFilter } from '@fds/record-rows';
import { anchorBefore, type Anchor, type AnchorSet } from './anchors.js';
import { listPage, listPageData } from './list-records.js';
import {
  listRungs,
  listVersionPage,
  rungDistance,
  type VersionPage,
  type VersionRows,
  type WholeVersion,
} from './list-version-rows.js';
import type { ListedPage, ListedRecord, ListedRow } from './listed-record.js';
import type { KnownRecords, ListingMemory } from './listing-memory.js';
import type { RequestedPage } from './requested-page.js';
import { shownData, shownRows, type Shown } from './shown.js';

interface Means {
  readonly session: Queryable;
  readonly listingMemory: ListingMemory;
}

/** The two ways to read a page as it is to be shown. */
interface PageReads<Listed> {
  /** From a place that is remembered. */
  readonly fromPlace: (
    session: Queryable,
    version: WholeVersion,
    page: RequestedPage,
    floor: bigint,
  ) => Promise<VersionPage<Listed>>;
  /** Skips all rows before the page. */
  readonly byOffset: (session: Queryable, version: WholeVersion, page: RequestedPage) => Promise<readonly Listed[]>;
}

const pageReadsOf = <Row extends Partial<ListedRow>, Listed>(
  shown: Shown<Row, Listed>,
  list: (session: Queryable, filter: ListingFilter, page: RequestedPage) => Promise<ListedPage<Listed>>,
): PageReads<Listed> => ({
  fromPlace: async (session, version, page, floor) => {
    const listed = await listVersionPage<Row>(session, version, page, { floor, shown: shown.content });
    return { ...listed, rows: listed.rows.map(shown.read) };
  },
  byOffset: async (session, { filter }, page) => (await list(session, filter, page)).records,
});

const wholeRows = pageReadsOf(shownRows, listPage);
const dataAlone = pageReadsOf(shownData, listPageData);

/** From this offset on, a page begins at a place that is remembered. */
const deepOffset = 1_000;
/** The same in an order by values: the text of each row on the way is folded, which costs as much as ten rows in order of uuid. */
const deepSortedOffset = 150;

/** Do so many rows come before the page that it begins at a place? */
export const isDeep = ({ order, offset }: Pick<RequestedPage, 'order' | 'offset'>): boolean =>
  offset >= (order.length === 0 ? deepOffset : deepSortedOffset);

/** So many entries of the change log cost as much as the rows before a page that is near the first. */
const maxScannedForNear = 100;

/** A record that comes or goes before the place of a page makes the page be read again; so often at most. */
const maxAttempts = 5;

const isNear = (anchor: Anchor | undefined, offset: number): boolean => offset - (anchor?.offset ?? 0) <= rungDistance;

/** How far a later statement saw an anchor moved; undefined where it is no longer known. */
const moveOf = (from: Anchor | undefined, before: AnchorSet, after: AnchorSet | undefined): number | undefined => {
  if (from === undefined) return 0;
  const moved = after?.anchors[before.anchors.indexOf(from)];
  return moved && moved.offset - from.offset;
};

/** Remembers anchors up to the offset. */
const climb = async (
  session: Queryable,
  version: WholeVersion,
  page: RequestedPage,
  known: KnownRecords,
): Promise<void> => {
  const { order, offset } = page;
  const from = anchorBefore(known.anchors, offset);
  const { floor } = known.anchors;
  const { look, rows } = await listRungs(session, version, { order, offset, ...(from && { from }) }, floor);
  known.take(look, (moved) => {
    const by = moveOf(from, known.anchors, moved);
    return by === undefined ? [] : rows.map((anchor) => ({ ...anchor, offset: anchor.offset + by }));
  });
};

/** Does the page end where the version does? From an anchor of a descending order, records without a value are not read. */
const isWhole = ({ look, rows }: VersionRows<unknown>, { offset, limit }: RequestedPage): boolean =>
  rows.length === limit || BigInt(offset + rows.length) >= look.total;

/** @returns undefined where a record came or went before the anchor */
const listFromAnchor = async <Listed>(
  session: Queryable,
  version: WholeVersion,
  page: RequestedPage,
  { known, reads }: { readonly known: KnownRecords; readonly reads: PageReads<Listed> },
): Promise<readonly Listed[] | undefined> => {
  const from = anchorBefore(known.anchors, page.offset);
  const listed = await reads.fromPlace(session, version, { ...page, ...(from && { from }) }, known.anchors.floor);
  let isRight = from === undefined;
  known.take(listed.look, (moved) => {
    isRight = moveOf(from, known.anchors, moved) === 0;
    return isRight ? listed.ends : [];
  });
  if (!isRight) return undefined;
  return from === undefined || isWhole(listed, page) ? listed.rows : reads.byOffset(session, version, page);
};

const readDeepPage = async <Listed>(
  { session, listingMemory }: Means,
  version: WholeVersion,
  page: RequestedPage,
  reads: PageReads<Listed>,
): Promise<readonly Listed[]> => {
  const ordered = { domainVersionUuid: version.domainVersionUuid, order: page.order };
  let hasClimbed = false;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const known = await listingMemory.recall(session, ordered);
    if (known === undefined || (page.offset < deepOffset && known.scanned > maxScannedForNear)) break;
    if (hasClimbed || isNear(anchorBefore(known.anchors, page.offset), page.offset)) {
      const listed = await listFromAnchor(session, version, page, { known, reads });
      if (listed !== undefined) return listed;
    } else {
      hasClimbed = true;
      await climb(session, version, page, known);
    }
  }
  return reads.byOffset(session, version, page);
};

/**
 * A page that many rows come before: found from a place that is remembered. The statement that reads the page also sees the records
 * that came and went in the meantime, so that the page is exactly the one at its moment.
 */
export const listDeepPage = (
  means: Means,
  version: WholeVersion,
  page: RequestedPage,
): Promise<readonly ListedRecord[]> => readDeepPage(means, version, page, wholeRows);

/** The data of the records of such a page, as JSON text. */
export const listDeepPageData = (
  means: Means,
  version: WholeVersion,
  page: RequestedPage,
): Promise<readonly (string | null)[]> => readDeepPage(means, version, page, dataAlone);
