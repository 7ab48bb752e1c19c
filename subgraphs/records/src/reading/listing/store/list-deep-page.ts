import type { Queryable } from '@fds/database';
import { farOffset, type ReadingPlan } from '../domain/plan-page.js';
import { anchorBefore, type Anchor, type AnchorSet } from './anchors.js';
import {
  listAnchors,
  listVersionPage,
  anchorDistance,
  type VersionRows,
  type WholeVersion,
} from './list-version-rows.js';
import type { ListedPage, ListedRow } from './listed-record.js';
import type { RememberedAnchors } from './listing-memory.js';
import type { PageMeans, Shown } from './page-reader.js';
import type { PlacedPage } from './placed-page.js';

/** So many entries of the change log cost as much as the rows before a page that is near the first. */
const maxScannedForNear = 100;

/** A record that comes or goes before the place of a page makes the page be read again; so often at most. */
const maxAttempts = 5;

const isNear = (anchor: Anchor | undefined, offset: number): boolean =>
  offset - (anchor?.offset ?? 0) <= anchorDistance;

/** How far a later statement saw an anchor moved; undefined where it is no longer known. */
const moveOf = (from: Anchor | undefined, before: AnchorSet, after: AnchorSet | undefined): number | undefined => {
  if (from === undefined) return 0;
  const moved = after?.anchors[before.anchors.indexOf(from)];
  return moved && moved.offset - from.offset;
};

/** Remembers anchors up to the offset. */
const addAnchorsUpTo = async (
  session: Queryable,
  version: WholeVersion,
  page: PlacedPage,
  remembered: RememberedAnchors,
): Promise<void> => {
  const { order, offset } = page;
  const from = anchorBefore(remembered.anchors, offset);
  const { floor } = remembered.anchors;
  const { state, rows } = await listAnchors(session, version, { order, offset, ...(from && { from }) }, floor);
  remembered.take(state, (moved) => {
    const by = moveOf(from, remembered.anchors, moved);
    return by === undefined ? [] : rows.map((anchor) => ({ ...anchor, offset: anchor.offset + by }));
  });
};

/** Does the page end where the version does? From an anchor of a descending order, records without a value are not read. */
const isWhole = ({ state, rows }: VersionRows<unknown>, { offset, limit }: PlacedPage): boolean =>
  rows.length === limit || BigInt(offset + rows.length) >= state.total;

/** The rows of a page that begins at an anchor; MOVED: a record came or went before it. MISSING: it does not lead to all rows. */
const listFromAnchor = async <Row extends Partial<ListedRow>>(
  session: Queryable,
  version: WholeVersion,
  page: PlacedPage,
  { remembered, shown }: { readonly remembered: RememberedAnchors; readonly shown: Shown<Row, unknown> },
): Promise<readonly Row[] | 'MOVED' | 'MISSING'> => {
  const from = anchorBefore(remembered.anchors, page.offset);
  const { floor } = remembered.anchors;
  const placed = { ...page, ...(from && { from }) };
  const listed = await listVersionPage<Row>(session, version, placed, { floor, shown: shown.content });
  let isRight = from === undefined;
  remembered.take(listed.state, (moved) => {
    isRight = moveOf(from, remembered.anchors, moved) === 0;
    return isRight ? listed.ends : [];
  });
  if (!isRight) return 'MOVED';
  return from === undefined || isWhole(listed, page) ? listed.rows : 'MISSING';
};

/**
 * A page that many rows come before: found from a place that is remembered. The statement that reads the page also sees the records
 * that came and went in the meantime, so that the page is exactly the one at its moment.
 *
 * @returns undefined where no place is known, or where records come and go too fast
 */
export const readVersionFromPlace = async <Row extends Partial<ListedRow>, Listed>(
  { session, listingMemory }: PageMeans,
  { filter, page, keptPlan }: ReadingPlan,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed> | undefined> => {
  const domainVersionUuid = filter.version?.uuid;
  if (listingMemory === undefined || domainVersionUuid === undefined) return undefined;
  const version = { filter, domainVersionUuid, keptPlan };
  let hasAddedAnchors = false;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const remembered = await listingMemory.recall(session, { domainVersionUuid, order: page.order });
    if (remembered === undefined || (page.offset < farOffset && remembered.scanned > maxScannedForNear))
      return undefined;
    if (hasAddedAnchors || isNear(anchorBefore(remembered.anchors, page.offset), page.offset)) {
      const rows = await listFromAnchor(session, version, page, { remembered, shown });
      if (rows === 'MISSING') return undefined;
      if (rows !== 'MOVED') return { records: rows.map(shown.read), total: undefined };
    } else {
      hasAddedAnchors = true;
      await addAnchorsUpTo(session, version, page, remembered);
    }
  }
  return undefined;
};
