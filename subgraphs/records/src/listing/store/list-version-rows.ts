import type { Queryable } from '@fds/database';
import { rowSourcesOf, type ListingFilter, type RowSource, type Writing } from '@fds/record-rows';
import { isIndexedPlace, writePlaceValues, type SortTerm } from '@fds/search-sql';
import type { Anchor, VersionLook } from './anchors.js';
import { runListing, startAt, startWriting } from './list-records.js';
import { toListedRecord, type ListedRecord, type ListedRow } from './listed-record.js';
import type { RequestedPage } from './requested-page.js';
import { lookColumns, toVersionLook, writeLook, type LookRow } from './version-look.js';
import { pageColumns, writeVersionOrder, writeWholeVersionPage } from './whole-version-page.js';

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

const nulls = (columns: readonly string[]): string => columns.map((column) => `NULL AS ${column}`).join(', ');

/** The look as the first row, then the rows in order of their column `place`. */
const afterLook = (look: string, rows: string, columns: readonly string[]): string =>
  `SELECT ${lookColumns.join(', ')}, ${nulls(columns)} FROM (${look}) AS look
   UNION ALL SELECT ${nulls(lookColumns)}, ${columns.join(', ')} FROM (${rows}) AS listed ORDER BY place NULLS FIRST`;

interface Place {
  readonly uuid: string;
  readonly place: bigint;
  /** Null between the ends of a page, and without terms. */
  readonly place_values: readonly (string | null)[] | null;
}

const splitLook = <Row extends Place>(
  answer: readonly (LookRow & Row)[],
): { readonly look: VersionLook; readonly rows: readonly Row[] } => {
  const [first, ...rows] = answer;
  if (first === undefined) throw new TypeError('the look is one row');
  return { look: toVersionLook(first), rows };
};

/** @returns undefined where no index finds the place. Without a sort, an index finds each place. */
const toAnchor = (
  { uuid, place_values: values }: Pick<Place, 'uuid' | 'place_values'>,
  offset: number,
  order: readonly SortTerm[],
): Anchor | undefined => {
  const anchor = { offset, uuid, values: values ?? [] };
  return order.length === 0 || isIndexedPlace(anchor) ? anchor : undefined;
};

/** A page, and the version as the same statement saw it. */
interface VersionPage extends VersionRows<ListedRecord> {
  /**
   * The first row, and the last one of a full page; those that no index finds are left out. Their offsets are right if the page
   * begins where it was believed to.
   */
  readonly ends: readonly Anchor[];
}

/** A page of a version, and the version as the same statement saw it. */
export const listVersionPage = async (
  client: Queryable,
  { filter, domainVersionUuid }: WholeVersion,
  page: RequestedPage,
  floor: bigint,
): Promise<VersionPage> => {
  const { order, limit } = page;
  const shape = order.length === 0 ? 'COMMON' : 'OWN';
  const writing = await startWriting(client, filter, shape);
  const rest = { ...page, offset: page.offset - (page.from?.offset ?? 0) };
  const paged = writeWholeVersionPage(onlySource(filter, page, writing), writing, rest);
  const values = writePlaceValues(order, 'key.dr_key', writing.features);
  const key = 'SELECT paged.dr_key::jsonb AS dr_key, paged.json::jsonb AS json';
  const placeValues =
    values.length === 0
      ? 'NULL::text[]'
      : `CASE WHEN paged.place IN (1, ${writing.parameters.add(limit)}::int) THEN (SELECT ARRAY[${values.join(', ')}] FROM (${key}) AS key) END`;
  const placed = `SELECT paged.*, ${placeValues} AS place_values
                  FROM (SELECT numbered.*, row_number() OVER () AS place FROM (${paged}) AS numbered) AS paged`;
  const text = afterLook(writeLook({ domainVersionUuid, order }, floor, writing), placed, [
    ...pageColumns,
    'place',
    'place_values',
  ]);
  const answer = await runListing<LookRow & Place & ListedRow>(client, text, { filter, writing, shape });
  const { look, rows } = splitLook(answer);
  const lastIndex = limit - 1;
  const ends = [...new Set([0, lastIndex])].flatMap((index) => {
    const row = rows[index];
    return (row && toAnchor(row, page.offset + index, order)) ?? [];
  });
  return { look, rows: rows.map(toListedRecord), ends };
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
  const { rows: answer } = await client.query<LookRow & Place>(
    afterLook(look, rungs, ['uuid', 'place', 'place_values']),
    [...parameters.values],
  );
  const seen = splitLook(answer);
  return {
    look: seen.look,
    rows: seen.rows.flatMap((row) => toAnchor(row, Number(row.place), page.order) ?? []),
  };
};
