import type { Queryable } from '@fds/database';
import {
  rowSourcesOf,
  type ListingFilter,
  type RowSource,
  type Writing,
  isIndexedPlace,
  writePlaceValues,
  writeStart,
  type SortTerm,
} from '@fds/search';
import type { KeptPlan, ReadingPlan } from '../domain/plan-page.js';
import type { Anchor, VersionState } from './anchors.js';
import type { ListedPage, ListedRow } from './listed-record.js';
import type { PageMeans, Shown } from './page-reader.js';
import type { PlacedPage } from './placed-page.js';
import { runListing, startWriting } from './run-listing.js';
import { stateColumns, toVersionState, writeVersionState, type StateRow } from './version-state.js';
import {
  pageColumns,
  writeColumns,
  writePageRows,
  writeVersionOrder,
  writeWholeVersionPage,
  type ShownOfPage,
} from './whole-version-page.js';

/** All records of a version, one row each. */
export interface WholeVersion {
  readonly filter: ListingFilter;
  readonly domainVersionUuid: string;
  /** The kept plan of the statement of a page. */
  readonly keptPlan: KeptPlan;
}

/** Rows of a version, and the version in the same snapshot. */
export interface VersionRows<Row> {
  readonly state: VersionState;
  readonly rows: readonly Row[];
}

/** The records of the version; those of a sorted page from the place where the page begins. */
const onlySource = (
  filter: ListingFilter,
  { order, from }: Pick<PlacedPage, 'order' | 'from'>,
  writing: Writing,
): RowSource => {
  const [source, another] = rowSourcesOf(filter, writing);
  if (source === undefined || another !== undefined) throw new TypeError('a whole version is one source of records');
  if (from === undefined || order.length === 0) return source;
  const { parameters, features } = writing;
  const start = writeStart(order, from, { key: source.key, uuid: source.uuid, parameters, features });
  return { ...source, where: [...source.where, start] };
};

/** A page of a version without the version's state. All rows before it are skipped. */
export const readVersion = async <Row extends Partial<ListedRow>, Listed>(
  { session }: PageMeans,
  { filter, page, keptPlan }: ReadingPlan,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed>> => {
  const writing = await startWriting(session, filter, keptPlan);
  const text = writeWholeVersionPage(onlySource(filter, page, writing), writing, page, shown.content);
  const rows = await runListing<Row>(session, text, writing, keptPlan);
  return { records: rows.map(shown.read), total: undefined };
};

const nulls = (columns: readonly string[]): string => columns.map((column) => `NULL AS ${column}`).join(', ');

/** The state as the first row, then the rows with these columns, in order of their column `place`. */
const afterState = (state: string, rows: string, columns: readonly string[]): string =>
  `SELECT ${[...stateColumns, ...columns].join(', ')} FROM (
     SELECT ${stateColumns.join(', ')}, ${nulls([...columns, 'number'])} FROM (${state}) AS state
     UNION ALL SELECT ${nulls(stateColumns)}, ${columns.join(', ')}, place AS number FROM (${rows}) AS listed
   ) AS answer ORDER BY number NULLS FIRST`;

const splitState = <Row>(
  answer: readonly (StateRow & Row)[],
): { readonly state: VersionState; readonly rows: readonly Row[] } => {
  const [first, ...rows] = answer;
  if (first === undefined) throw new TypeError('the state is one row');
  return { state: toVersionState(first), rows };
};

/** @returns undefined where no index finds the place. Without a sort, an index finds each place. */
const toAnchor = (
  uuid: string,
  values: readonly (string | null)[] | null,
  offset: number,
  order: readonly SortTerm[],
): Anchor | undefined => {
  const anchor: Anchor = { offset, uuid, values: values ?? [] };
  return order.length === 0 || isIndexedPlace(anchor) ? anchor : undefined;
};

/** A page, and the version as the same statement saw it. */
export interface VersionPage<Row> extends VersionRows<Row> {
  /**
   * The first row, and the last one of a full page; those that no index finds are left out. Their offsets are right if the page
   * begins where it was believed to.
   */
  readonly ends: readonly Anchor[];
}

/** Place of the first and of the last row of a full page; null between them. The values are null without terms. */
interface PageEnd {
  readonly end_uuid: string | null;
  readonly end_values: readonly (string | null)[] | null;
}

/** The columns of a `PageEnd` in the rows of a page. */
const writeEnd = (
  { order, limit }: Pick<PlacedPage, 'order' | 'limit'>,
  place: string,
  { parameters, features }: Writing,
): readonly string[] => {
  const isEnd = `${place} IN (1, ${parameters.add(limit)}::int)`;
  const values = writePlaceValues(order, 'r.dr_key', features);
  return [
    `CASE WHEN ${isEnd} THEN r.uuid END AS end_uuid`,
    `${values.length === 0 ? 'NULL::text[]' : `CASE WHEN ${isEnd} THEN ARRAY[${values.join(', ')}] END`} AS end_values`,
  ];
};

/** A page of a version, and the version as the same statement saw it. The rows have the columns of the content. */
export const listVersionPage = async <Row extends Partial<ListedRow>>(
  client: Queryable,
  { filter, domainVersionUuid, keptPlan }: WholeVersion,
  page: PlacedPage,
  { floor, shown }: { readonly floor: bigint; readonly shown: ShownOfPage },
): Promise<VersionPage<Row>> => {
  const { order } = page;
  const writing = await startWriting(client, filter, keptPlan);
  const rest = { ...page, offset: page.offset - (page.from?.offset ?? 0) };
  const { from, place } = writePageRows(onlySource(filter, page, writing), writing, rest);
  const columns = [writeColumns(shown), ...writeEnd(page, place, writing), `${place} AS place`];
  const paged = `SELECT ${columns.join(', ')} FROM ${from}`;
  const state = writeVersionState({ domainVersionUuid, order }, floor, writing);
  const text = afterState(state, paged, [...pageColumns(shown), 'end_uuid', 'end_values']);
  const answer = await runListing<StateRow & PageEnd & Row>(client, text, writing, keptPlan);
  const listed = splitState(answer);
  const ends = listed.rows.flatMap(({ end_uuid: uuid, end_values: values }, index) =>
    uuid === null ? [] : (toAnchor(uuid, values, page.offset + index, order) ?? []),
  );
  return { ...listed, ends };
};

interface AnchorRow {
  readonly uuid: string;
  readonly place: bigint;
  readonly place_values: readonly (string | null)[];
}

/** From how many rows at most an anchor is away from the next. */
export const anchorDistance = 500;

/**
 * Anchors on the way to an offset, and the one at the offset, in order; those that an index cannot find are left out. All rows
 * on the way are read.
 */
export const listAnchors = async (
  client: Queryable,
  { filter, domainVersionUuid }: WholeVersion,
  page: Pick<PlacedPage, 'order' | 'offset' | 'from'>,
  floor: bigint,
): Promise<VersionRows<Anchor>> => {
  const writing = await startWriting(client, filter);
  const { parameters, features } = writing;
  const source = onlySource(filter, page, writing);
  const { where, order } = writeVersionOrder(source, writing, page);
  const values = writePlaceValues(page.order, source.key, features);
  const before = page.from?.offset ?? 0;
  const placed = `SELECT uuid, place, place_values FROM (
       SELECT ordered.*, ${parameters.add(before)}::bigint + row_number() OVER () - 1 AS place
       FROM (SELECT ${source.uuid} AS uuid, ARRAY[${values.join(', ')}]::text[] AS place_values FROM ${source.from} WHERE ${where}
             ORDER BY ${order.join(', ')} LIMIT ${page.offset - before + 1}) AS ordered
     ) AS placed
     WHERE place % ${anchorDistance} = 0 OR place = ${parameters.add(page.offset)}::bigint`;
  const state = writeVersionState({ domainVersionUuid, order: page.order }, floor, writing);
  const { rows: answer } = await client.query<StateRow & AnchorRow>(
    afterState(state, placed, ['uuid', 'place', 'place_values']),
    [...parameters.values],
  );
  const listed = splitState(answer);
  return {
    state: listed.state,
    rows: listed.rows.flatMap((row) => toAnchor(row.uuid, row.place_values, Number(row.place), page.order) ?? []),
  };
};
