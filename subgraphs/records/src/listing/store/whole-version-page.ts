import type { RowSource, Writing } from '@fds/record-rows';
import { writeOrder } from '@fds/search-sql';
import type { ListedRow } from './listed-record.js';
import { readAtMost, type RequestedPage } from './requested-page.js';
import { writeRowsOf } from './write-rows-of.js';

/** No uuid is before it. */
const firstUuid = "'00000000-0000-0000-0000-000000000000'::uuid";

/**
 * Rows of one version in order of uuid. A range of one version is in no order but that of the index of both columns: a plan for any
 * version then never reads the records of all versions in order of uuid. The range begins at a pair of values: its estimate for
 * any version is like the one for a version that has most records.
 */
const inOrderOfUuid = (
  { uuid }: RowSource,
  { from }: Pick<RequestedPage, 'from'>,
  { parameters, version }: Writing,
): { readonly where: string; readonly order: readonly string[] } => {
  const column = 'r.domain_version_uuid';
  const begin = from === undefined ? firstUuid : `${parameters.add(from.uuid)}::uuid`;
  return {
    where: `(${column}, ${uuid}) >= (${version}, ${begin}) AND ${column} <= ${version}`,
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

export const writeColumns = (shown: ShownOfPage): string =>
  Object.entries(columnsOf[shown])
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(', ');

/** Conditions and order in which the rows of a version are read. A sorted source begins where the page does. */
export const writeVersionOrder = (
  source: RowSource,
  writing: Writing,
  page: Pick<RequestedPage, 'order' | 'from'>,
): { readonly where: string; readonly order: readonly string[] } =>
  page.order.length === 0
    ? inOrderOfUuid(source, page, writing)
    : {
        where: source.where.join(' AND '),
        order: writeOrder(page.order, { key: source.key, identity: [source.uuid] }, writing.features),
      };

/**
 * The rows of a page of all records of a version, without an order. Each is a record `r` with its `page.place`, from 1 on.
 *
 * @param source of records without adaptors; it begins where the page does if the page is sorted
 * @param more columns in addition to those shown
 */
export const writePageRows = (
  source: RowSource,
  writing: Writing,
  page: RequestedPage,
  shown: ShownOfPage,
  more: readonly string[] = [],
): string => {
  const { parameters } = writing;
  const { where, order } = writeVersionOrder(source, writing, page);
  const reached = `SELECT ${source.uuid} AS uuid FROM ${source.from} WHERE ${where} ORDER BY ${order.join(', ')} LIMIT ${readAtMost(page)}`;
  const uuids = `SELECT reached.uuid FROM (${reached}) AS reached
                 LIMIT ${parameters.add(page.limit)}::int OFFSET ${parameters.add(page.offset)}::bigint`;
  return writeRowsOf(uuids, [writeColumns(shown), ...more]);
};

/** The statement of a page of all records of a version. */
export const writeWholeVersionPage = (
  source: RowSource,
  writing: Writing,
  page: RequestedPage,
  shown: ShownOfPage = 'ROWS',
): string => `${writePageRows(source, writing, page, shown)} ORDER BY page.place`;
