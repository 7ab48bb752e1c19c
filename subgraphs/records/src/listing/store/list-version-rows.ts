import type { Queryable } from '@fds/database';
import { rowSourcesOf, type ListingFilter, type RowSource, type Writing } from '@fds/record-rows';
import { isIndexedPlace, writePlaceValues } from '@fds/search-sql';
import type { Anchor, VersionLook } from './anchors.js';
import { runListing, startAt, startWriting } from './list-records.js';
import { toListedRecord, type ListedRecord, type ListedRow } from './listed-record.js';
import type { OrderedVersion } from './listing-memory.js';
import type { RequestedPage } from './requested-page.js';
import { toVersionLook, writeLook, type LookRow } from './version-look.js';
import { writeVersionOrder, writeWholeVersionPage } from './whole-version-page.js';

/** All records of a version, one row each. */
export interface WholeVersion {
  readonly filter: ListingFilter;
  readonly domainVersionUuid: string;
}

/** Rows of a version, and the version in the same snapshot. */
export interface VersionRows<Row> {
  readonly look: VersionLook;
  readonly rows: readonly Row[];
}

const onlySource = (
  filter: ListingFilter,
  page: Pick<RequestedPage, 'order' | 'from'>,
  writing: Writing,
): RowSource => {
  const [source, another] = rowSourcesOf(filter, writing);
  if (source === undefined || another !== undefined) throw new TypeError('a whole version is one source of records');
  return startAt(source, page, writing);
};

const besideLook = (look: string, rows: string): string =>
  `SELECT look.*, listed.* FROM (${look}) AS look LEFT JOIN (${rows}) AS listed ON true ORDER BY listed.place`;

type Placed = { readonly place: bigint | null; readonly place_values: readonly (string | null)[] | null };

const toAnchor = (uuid: string, { place_values }: Placed, offset: number): Anchor => ({
  offset,
  uuid,
  values: place_values ?? [],
});

/** Without a sort, an index finds each place. */
const isUsable = (anchor: Anchor, { order }: Pick<RequestedPage, 'order'>): boolean =>
  order.length === 0 || isIndexedPlace(anchor);

/** A record of a page with its place. */
interface PlacedRecord {
  readonly record: ListedRecord;
  /** With the number of records before it if the page begins where it was believed to; undefined where no index finds it. */
  readonly anchor: Anchor | undefined;
}

/** A page of a version, and the version as the same statement saw it. */
export const listVersionPage = async (
  client: Queryable,
  { filter, domainVersionUuid }: WholeVersion,
  page: RequestedPage,
  floor: bigint,
): Promise<VersionRows<PlacedRecord>> => {
  const shape = page.order.length === 0 ? 'COMMON' : 'OWN';
  const writing = await startWriting(client, filter, shape);
  const version: OrderedVersion = { domainVersionUuid, order: page.order };
  const rest = { ...page, offset: page.offset - (page.from?.offset ?? 0) };
  const paged = writeWholeVersionPage(onlySource(filter, page, writing), writing, rest);
  const values = writePlaceValues(page.order, 'key.dr_key', writing.features);
  const placeValues =
    values.length === 0
      ? 'NULL::text[]'
      : `(SELECT ARRAY[${values.join(', ')}] FROM (SELECT paged.dr_key::jsonb AS dr_key, paged.json::jsonb AS json) AS key)`;
  const placed = `SELECT paged.*, row_number() OVER () AS place, ${placeValues} AS place_values FROM (${paged}) AS paged`;
  const text = besideLook(writeLook(version, floor, writing), placed);
  const rows = await runListing<LookRow & Placed & (ListedRow | Record<keyof ListedRow, null>)>(client, text, {
    filter,
    writing,
    shape,
  });
  const [first] = rows;
  if (first === undefined) throw new TypeError('the look is one row');
  return {
    look: toVersionLook(first),
    rows: rows.flatMap((row, index) => {
      if (row.uuid === null) return [];
      const anchor = toAnchor(row.uuid, row, page.offset + index);
      return [{ record: toListedRecord(row), anchor: isUsable(anchor, page) ? anchor : undefined }];
    }),
  };
};

/** From how many rows at most an anchor is away from the next. */
export const rungDistance = 500;

/**
 * Anchors on the way to an offset, and the one at the offset, in order; those that an index cannot find are left out. All rows
 * on the way are read.
 */
export const listRungs = async (
  client: Queryable,
  { filter, domainVersionUuid }: WholeVersion,
  page: Pick<RequestedPage, 'order' | 'offset' | 'from'>,
  floor: bigint,
): Promise<VersionRows<Anchor>> => {
  const writing = await startWriting(client, filter, 'OWN');
  const { parameters, features } = writing;
  const source = onlySource(filter, page, writing);
  const { where, order } = writeVersionOrder(source, writing, page);
  const values = writePlaceValues(page.order, source.key, features);
  const before = page.from?.offset ?? 0;
  const rungs = `SELECT uuid, place, place_values FROM (
       SELECT ordered.*, ${parameters.add(before)}::bigint + row_number() OVER () - 1 AS place
       FROM (SELECT ${source.uuid} AS uuid, ARRAY[${values.join(', ')}]::text[] AS place_values FROM ${source.from} WHERE ${where}
             ORDER BY ${order.join(', ')} LIMIT ${page.offset - before + 1}) AS ordered
     ) AS placed
     WHERE place % ${rungDistance} = 0 OR place = ${parameters.add(page.offset)}::bigint`;
  const look = writeLook({ domainVersionUuid, order: page.order }, floor, writing);
  const { rows } = await client.query<LookRow & Placed & { readonly uuid: string | null }>(besideLook(look, rungs), [
    ...parameters.values,
  ]);
  const [first] = rows;
  if (first === undefined) throw new TypeError('the look is one row');
  return {
    look: toVersionLook(first),
    rows: rows
      .flatMap((row) => (row.uuid === null || row.place === null ? [] : [toAnchor(row.uuid, row, Number(row.place))]))
      .filter((anchor) => isUsable(anchor, page)),
  };
};
