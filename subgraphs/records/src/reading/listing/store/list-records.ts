import type { Queryable } from '@fds/database';
import {
  noAdaptor,
  orderedSourcesOf,
  rowSourcesOf,
  takesEveryKey,
  versionOfAllRecords,
  type ListingFilter,
  type RowSource,
  type Writing,
} from '@fds/record-rows';
import { writeOrder, writeStart } from '@fds/search-sql';
import { listHits } from './list-hits.js';
import { listRange } from './list-range.js';
import { toListedRecord, type ListedPage, type ListedRecord, type ListedRow } from './listed-record.js';
import { rangeSearchOf } from './range-search.js';
import { readAtMost, type RequestedPage } from './requested-page.js';
import { isCommon, runListing, startWriting, writeWhere } from './run-listing.js';
import { shownData, shownRows, type Shown } from './shown.js';
import { writeWholeVersionPage } from './whole-version-page.js';
import { writeWhole } from './write-whole.js';

const writeRows = (sources: readonly RowSource[]): string =>
  sources
    .map(
      (source) =>
        `SELECT ${source.uuid} AS uuid, ${source.adaptor} AS adaptor_uuid, ${source.key} AS key ${writeWhere(source)}`,
    )
    .join(' UNION ALL ');

/** `uuid` and `adaptor_uuid` of the rows of a page, in order. */
const writePage = (
  sources: readonly RowSource[],
  { parameters, features }: Writing,
  page: Pick<RequestedPage, 'order' | 'offset' | 'limit'>,
): string => {
  const [only, another] = sources;
  const limit = `LIMIT ${parameters.add(page.limit)}::int OFFSET ${parameters.add(page.offset)}::bigint`;
  if (only !== undefined && another === undefined) {
    const identity = only.adaptor === noAdaptor ? [only.uuid] : [only.uuid, only.adaptor];
    const order = writeOrder(page.order, { key: only.key, identity }, features);
    const ordered = `SELECT ${only.uuid} AS uuid, ${only.adaptor} AS adaptor_uuid ${writeWhere(only)} ORDER BY ${order.join(', ')}`;
    if (page.order.length === 0) return `${ordered} ${limit}`;
    return `SELECT * FROM (${ordered} LIMIT ${readAtMost(page)}) AS reached ${limit}`;
  }
  const order = writeOrder(page.order, { key: 'rows.key', identity: ['rows.uuid', 'rows.adaptor_uuid'] }, features);
  return `SELECT rows.uuid, rows.adaptor_uuid FROM (${writeRows(sources)}) AS rows ORDER BY ${order.join(', ')} ${limit}`;
};

/** Begins a sorted source at a place. */
export const startAt = (
  source: RowSource,
  { order, from }: Pick<RequestedPage, 'order' | 'from'>,
  { parameters, features }: Writing,
): RowSource => {
  if (from === undefined || order.length === 0) return source;
  const start = writeStart(order, from, { key: source.key, uuid: source.uuid, parameters, features });
  return { ...source, where: [...source.where, start] };
};

const listInOrder = async (client: Queryable, filter: ListingFilter, page: RequestedPage): Promise<ListedRecord[]> => {
  const shape = isCommon(filter) && page.order.length === 0 ? 'COMMON' : 'OWN';
  const writing = await startWriting(client, filter, shape);
  const sources = page.order.length === 0 ? orderedSourcesOf(filter, writing) : rowSourcesOf(filter, writing);
  const rest = { ...page, offset: page.offset - (page.from?.offset ?? 0) };
  const [source] = sources;
  const text =
    source !== undefined && versionOfAllRecords(filter) !== undefined
      ? writeWholeVersionPage(startAt(source, page, writing), writing, rest)
      : `${writeWhole(writePage(sources, writing, rest), sources, filter)} ORDER BY page.place`;
  return (await runListing<ListedRow>(client, text, { filter, writing, shape })).map(toListedRecord);
};

const listVersionData = async (
  client: Queryable,
  filter: ListingFilter,
  page: RequestedPage,
): Promise<readonly (string | null)[]> => {
  const shape = page.order.length === 0 ? 'COMMON' : 'OWN';
  const writing = await startWriting(client, filter, shape);
  const [source] = rowSourcesOf(filter, writing);
  if (source === undefined) throw new TypeError('a version has a source');
  const text = writeWholeVersionPage(source, writing, page, shownData.content);
  const rows = await runListing<Pick<ListedRow, 'json'>>(client, text, { filter, writing, shape });
  return rows.map(shownData.read);
};

const listFound = async <Row extends object, Listed>(
  client: Queryable,
  filter: ListingFilter,
  page: RequestedPage,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed> | undefined> => {
  if (takesEveryKey(filter)) return undefined;
  const range = page.isIndexed === true ? rangeSearchOf(filter) : undefined;
  const found = range && (await listRange(client, range, page, shown));
  return found ?? listHits(client, filter, page, shown);
};

/**
 * A page of a listing: by the keys asked for, then by record and adaptor, so that pages never overlap. Only the rows of the
 * page are read whole.
 */
export const listPage = async (client: Queryable, filter: ListingFilter, page: RequestedPage): Promise<ListedPage> =>
  (await listFound(client, filter, page, shownRows)) ?? {
    records: await listInOrder(client, filter, page),
    total: undefined,
  };

/** The data of the records of a page, as JSON text. It is what `listPage` gives with less of each row. */
export const listPageData = async (
  client: Queryable,
  filter: ListingFilter,
  page: RequestedPage,
): Promise<ListedPage<string | null>> => {
  if (versionOfAllRecords(filter) !== undefined)
    return { records: await listVersionData(client, filter, page), total: undefined };
  const found = await listFound(client, filter, page, shownData);
  if (found !== undefined) return found;
  const records = await listInOrder(client, filter, page);
  return { records: records.map(({ json }) => json), total: undefined };
};

/** How many rows a listing has on all its pages. */
export const countRecords = async (client: Queryable, filter: ListingFilter): Promise<number> => {
  const shape = isCommon(filter) ? 'COMMON' : 'OWN';
  const writing = await startWriting(client, filter, shape);
  const counts = rowSourcesOf(filter, writing).map((source) => `(SELECT count(*) ${writeWhere(source)})`);
  const text = `SELECT ${counts.join(' + ')} AS total`;
  const [row] = await runListing<{ readonly total: bigint }>(client, text, { filter, writing, shape });
  return Number(row?.total ?? 0n);
};
