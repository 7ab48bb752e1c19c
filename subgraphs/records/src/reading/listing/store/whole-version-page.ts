import { type RowSource, type Writing, writeOrder } from '@fds/search';
import type { ListedRow } from './listed-record.js';
import { isNearStart, readAtMost, type PlacedPage } from './placed-page.js';
import { fromRowsOf } from './write-rows-of.js';

/** No uuid is before it. */
const firstUuid = "'00000000-0000-0000-0000-000000000000'::uuid";

/** A parameter whose value the planner does not see: a plan with the values is not cheaper, so one plan is kept (ADR 123). */
const unseen = (parameter: string): string => `(SELECT ${parameter})`;

/**
 * Rows of one version in order of uuid. A range of one version is in no order but that of the index of both columns: a plan for any
 * version then never reads the records of all versions in order of uuid. The range begins at a pair of values: its estimate for
 * any version is like the one for a version that has most records.
 */
const inOrderOfUuid = (
  { uuid }: RowSource,
  { from }: Pick<PlacedPage, 'from'>,
  { parameters, version }: Writing,
): { readonly where: string; readonly order: readonly string[] } => {
  const column = 'r.domain_version_uuid';
  const begin = from === undefined ? firstUuid : unseen(`${parameters.add(from.uuid)}::uuid`);
  return {
    where: `(${column}, ${uuid}) >= (${unseen(version)}, ${begin}) AND ${column} <= ${unseen(version)}`,
    order: [column, uuid],
  };
};

/** The content of a page: whole rows of a listing, or only the data of the records. */
export type ShownOfPage = 'ROWS' | 'DATA';

/** Columns of the rows of a page, with the SQL of each; the record is `r`. */
const columnsOf: Readonly<Record<ShownOfPage, Readonly<Partial<Record<keyof ListedRow, string>>>>> = {
  ROWS: {
    uuid: 'r.uuid',
    adaptor_uuid: 'NULL::uuid',
    holder_uuid: 'NULL::uuid',
    domain_version_uuid: 'r.domain_version_uuid',
    created_by_uuid: 'r.created_by_uuid',
    change_version: 'r.change_version',
    date_created: 'r.date_created',
    dr_key: 'r.dr_key',
    json: 'r.json',
  },
  DATA: { json: 'r.json' },
};

/** Names of the columns of a page, in order. */
export const pageColumns = (shown: ShownOfPage): readonly string[] => Object.keys(columnsOf[shown]);

/** The columns of a page in a SELECT. */
export const writeColumns = (shown: ShownOfPage): string =>
  Object.entries(columnsOf[shown])
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(', ');

/** Conditions and order in which the rows of a version are read. A sorted source begins where the page does. */
export const writeVersionOrder = (
  source: RowSource,
  writing: Writing,
  page: Pick<PlacedPage, 'order' | 'from'>,
): { readonly where: string; readonly order: readonly string[] } =>
  page.order.length === 0
    ? inOrderOfUuid(source, page, writing)
    : {
        where: source.where.join(' AND '),
        order: writeOrder(page.order, { key: source.key, identity: [source.uuid] }, writing.features),
      };

/** Rows in order, from where the page begins to be read until after its end. */
const writeReached = (source: RowSource, writing: Writing, page: PlacedPage, columns: string): string => {
  const { where, order } = writeVersionOrder(source, writing, page);
  return `SELECT ${columns} FROM ${source.from} WHERE ${where} ORDER BY ${order.join(', ')} LIMIT ${readAtMost(page)}`;
};

/** The part of the rows that is the page. */
const writePart = ({ limit, offset }: PlacedPage, { parameters }: Writing): string =>
  `LIMIT ${unseen(`${parameters.add(limit)}::int`)}${offset === 0 ? '' : ` OFFSET ${unseen(`${parameters.add(offset)}::bigint`)}`}`;

/** The rows of a page in FROM: each is a record `r`. */
interface PageRows {
  readonly from: string;
  /** SQL of the place of a row in the page, from 1 on. */
  readonly place: string;
}

/** The uuids of a page in order. An index alone finds them in order of uuid. */
const writeUuids = (source: RowSource, writing: Writing, page: PlacedPage): string => {
  const reached = writeReached(source, writing, page, `${source.uuid} AS uuid`);
  return `SELECT reached.uuid FROM (${reached}) AS reached ${writePart(page, writing)}`;
};

/**
 * The rows of a page of all records of a version, without an order.
 *
 * @param source of records without adaptors; it begins where the page does if the page is sorted
 */
export const writePageRows = (source: RowSource, writing: Writing, page: PlacedPage): PageRows => {
  if (!isNearStart(page)) return { from: fromRowsOf(writeUuids(source, writing, page)), place: 'page.place' };
  const part = `SELECT reached.* FROM (${writeReached(source, writing, page, 'r.*')}) AS reached ${writePart(page, writing)}`;
  return { from: `(SELECT part.*, row_number() OVER () AS place FROM (${part}) AS part) AS r`, place: 'r.place' };
};

/** The statement of a page of all records of a version. */
export const writeWholeVersionPage = (
  source: RowSource,
  writing: Writing,
  page: PlacedPage,
  shown: ShownOfPage = 'ROWS',
): string => {
  if (isNearStart(page)) {
    // a part of rows in order is in order
    const reached = writeReached(source, writing, page, 'r.*');
    return `SELECT ${writeColumns(shown)} FROM (${reached}) AS r ${writePart(page, writing)}`;
  }
  const uuids = writeUuids(source, writing, page);
  // rows in order of uuid are read together, in the order in which they are stored, and then sorted
  return page.order.length === 0
    ? `SELECT ${writeColumns(shown)} FROM data_record r WHERE r.uuid = ANY (ARRAY(${uuids})) ORDER BY r.uuid`
    : `SELECT ${writeColumns(shown)} FROM ${fromRowsOf(uuids)} ORDER BY page.place`;
};
