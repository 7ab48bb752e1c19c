import type { Queryable } from '@fds/database';
import { anchorBefore, type Anchor, type AnchorSet } from './anchors.js';
import { listPage, type ListedPage } from './list-records.js';
import { listRungs, listVersionPage, rungDistance, type VersionRows, type WholeVersion } from './list-version-rows.js';
import type { KnownRecords, ListingMemory } from './listing-memory.js';
import type { RequestedPage } from './requested-page.js';

interface Means {
  readonly session: Queryable;
  readonly listingMemory: ListingMemory;
}

/** A record that comes or goes before the place of a page makes the page be read again; so often at most. */
const maxAttempts = 5;

const isNear = (anchor: Anchor | undefined, offset: number): anchor is Anchor =>
  anchor !== undefined && offset - anchor.offset <= rungDistance;

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
const listFromAnchor = async (
  session: Queryable,
  version: WholeVersion,
  page: RequestedPage,
  known: KnownRecords,
): Promise<ListedPage | undefined> => {
  const from = anchorBefore(known.anchors, page.offset);
  const listed = await listVersionPage(session, version, { ...page, ...(from && { from }) }, known.anchors.floor);
  let isRight = from === undefined;
  known.take(listed.look, (moved) => {
    isRight = moveOf(from, known.anchors, moved) === 0;
    return isRight ? listed.ends : [];
  });
  if (!isRight) return undefined;
  return from === undefined || isWhole(listed, page)
    ? { records: listed.rows, total: undefined }
    : listPage(session, version.filter, page);
};

/**
 * A page that many rows come before: found from a place that is remembered. The statement that reads the page also sees the records
 * that came and went in the meantime, so that the page is exactly the one at its moment.
 */
export const listDeepPage = async (
  { session, listingMemory }: Means,
  version: WholeVersion,
  page: RequestedPage,
): Promise<ListedPage> => {
  const ordered = { domainVersionUuid: version.domainVersionUuid, order: page.order };
  let hasClimbed = false;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const known = await listingMemory.recall(session, ordered);
    if (known === undefined) break;
    if (hasClimbed || isNear(anchorBefore(known.anchors, page.offset), page.offset)) {
      const listed = await listFromAnchor(session, version, page, known);
      if (listed !== undefined) return listed;
    } else {
      hasClimbed = true;
      await climb(session, version, page, known);
    }
  }
  return listPage(session, version.filter, page);
};
