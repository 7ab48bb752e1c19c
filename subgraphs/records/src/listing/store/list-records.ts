import { exactTypesWithJsonText, type Queryable } from '@fds/database';
import { hash } from 'node:crypto';
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
import {
  createSqlParameters,
  loadDatabaseFeatures,
  writeComparable,
  writeOrder,
  writeOrderOfFound,
  writeStart,
} from '@fds/search-sql';
import { LRUCache } from 'lru-cache';
import { toListedRecord, type ListedRecord, type ListedRow } from './listed-record.js';
import { createPreparedSearches, hasOnePlan } from './prepared-searches.js';
import { readAtMost, type RequestedPage } from './requested-page.js';
import { writeWholeVersionPage } from './whole-version-page.js';

/** @param shape OWN: the statement names the version, so that its indexes may serve */
export const startWriting = async (
  client: Queryable,
  filter: ListingFilter,
  shape: 'COMMON' | 'OWN',
): Promise<Writing> => {
  const parameters = createSqlParameters();
  const uuid = filter.version?.uuid;
  if (uuid === undefined) return { parameters, features: await loadDatabaseFeatures(client), version: 'NULL' };
  // a partial index is only considered where the statement itself names the version
  const version = shape === 'OWN' ? `'${uuid.replaceAll("'", "''")}'::uuid` : `${parameters.add(uuid)}::uuid`;
  return { parameters, features: await loadDatabaseFeatures(client), version };
};

const preparedSearches = createPreparedSearches();

/** Names of the statements of listings by their text: a digest costs more than finding one. */
const listingNames = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 2 ** 20,
  sizeCalculation: (_name, text) => 2 * text.length + 1,
});

const listingName = (text: string): string => {
  const known = listingNames.get(text);
  if (known !== undefined) return known;
  const name = `records-list-${hash('sha1', text).slice(0, 32)}`;
  listingNames.set(text, name);
  return name;
};

const nameOf = (text: string, filter: ListingFilter, shape: 'COMMON' | 'OWN'): string | undefined => {
  if (shape === 'COMMON') return listingName(text);
  const isPlain = isCommon(filter) && filter.drUuids === undefined;
  return isPlain || (hasOnePlan(filter.condition) && filter.drKey === undefined)
    ? preparedSearches.nameOf(text)
    : undefined;
};

/**
 * Listings without search have few shapes and are prepared once a connection; so are simple searches that are asked for
 * often. Others are planned with their values.
 */
export const runListing = async <Row extends object>(
  client: Queryable,
  text: string,
  {
    filter,
    writing,
    shape,
  }: { readonly filter: ListingFilter; readonly writing: Writing; readonly shape: 'COMMON' | 'OWN' },
): Promise<Row[]> => {
  const name = nameOf(text, filter, shape);
  const values = [...writing.parameters.values];
  const types = exactTypesWithJsonText;
  return (await client.query<Row>({ ...(name === undefined ? {} : { name }), text, values, types })).rows;
};

export const writeWhere = ({ from, where }: RowSource): string =>
  `FROM ${from}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`;

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

/** A page of a listing. */
export interface ListedPage {
  readonly records: readonly ListedRecord[];
  /** Total of all pages; undefined where it is not known without counting. */
  readonly total: number | undefined;
}

/** The rows of a page whole: `selected` are their records and adaptors in order. */
const writeWhole = (selected: string, sources: readonly RowSource[], filter: ListingFilter): string => {
  const { rows, adaptorUuid } = filter;
  const linked = sources.some(({ adaptor }) => adaptor !== noAdaptor);
  const ofRow = (column: string): string => (linked ? `coalesce(l.${column}, r.${column})` : `r.${column}`);
  const dated = rows === 'PER_LINK' || adaptorUuid !== undefined ? ofRow('date_created') : 'r.date_created';
  return `SELECT r.uuid, ${rows === 'PER_LINK' ? 'page.adaptor_uuid' : 'NULL::uuid'} AS adaptor_uuid,
                 page.adaptor_uuid AS holder_uuid, r.domain_version_uuid, r.created_by_uuid, r.change_version,
                 ${dated} AS date_created, ${ofRow('dr_key')}::text AS dr_key,
                 r.json::text AS json, page.place
          FROM (SELECT ordered.*, row_number() OVER () AS place FROM (${selected}) AS ordered) AS page
          JOIN data_record r ON r.uuid = page.uuid
          ${linked ? 'LEFT JOIN record_link l ON l.record_uuid = page.uuid AND l.adaptor_uuid = page.adaptor_uuid' : ''}`;
};

const isCommon = (filter: ListingFilter): boolean => takesEveryKey(filter) && filter.visibility === undefined;

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

/** The data of the records of a page of a whole version, as JSON text. It is what `listPage` gives with less of each row. */
export const listPageData = async (
  client: Queryable,
  filter: ListingFilter,
  page: RequestedPage,
): Promise<readonly (string | null)[]> => {
  const shape = page.order.length === 0 ? 'COMMON' : 'OWN';
  const writing = await startWriting(client, filter, shape);
  const [source] = rowSourcesOf(filter, writing);
  if (source === undefined || versionOfAllRecords(filter) === undefined)
    throw new TypeError('the page is not one of a whole version');
  const text = writeWholeVersionPage(source, writing, page, 'DATA');
  const rows = await runListing<Pick<ListedRow, 'json'>>(client, text, { filter, writing, shape });
  return rows.map(({ json }) => json);
};

/** So many rows of a search are found first and put in order then; more are read in order until the page is full. */
const maxHits = 10_000;

/**
 * A page of a search that finds few rows, with their number. The planner cannot estimate how many rows an expression
 * finds: by default it reads records in order, millions of them when few are found.
 *
 * @returns undefined when the search finds more than `maxHits` rows
 */
const listHits = async (
  client: Queryable,
  filter: ListingFilter,
  page: RequestedPage,
): Promise<ListedPage | undefined> => {
  const writing = await startWriting(client, filter, 'OWN');
  const { parameters, features } = writing;
  const sources = rowSourcesOf(filter, writing);
  const found = sources.map((source) => {
    const values = page.order.map(
      ({ property }, index) => `, ${writeComparable(source.key, property, features)} AS value_${index}`,
    );
    return `SELECT ${source.uuid} AS uuid, ${source.adaptor} AS adaptor_uuid${values.join('')} ${writeWhere(source)}`;
  });
  const order = writeOrderOfFound(page.order, {
    values: page.order.map((_term, index) => `hit.value_${index}`),
    identity: ['hit.uuid', 'hit.adaptor_uuid'],
  });
  const selected = `SELECT hit.uuid, hit.adaptor_uuid FROM hit ORDER BY ${order.join(', ')}
                    LIMIT ${parameters.add(page.limit)}::int OFFSET ${parameters.add(page.offset)}::bigint`;
  const rows = await runListing<{ readonly hits: bigint } & (ListedRow | Record<keyof ListedRow, null>)>(
    client,
    `WITH hit AS MATERIALIZED (SELECT * FROM (${found.join(' UNION ALL ')}) AS found LIMIT ${maxHits + 1})
     SELECT counted.hits, whole.* FROM (SELECT count(*) AS hits FROM hit) AS counted
     LEFT JOIN (${writeWhole(selected, sources, filter)}) AS whole ON true ORDER BY whole.place`,
    { filter, writing, shape: 'OWN' },
  );
  const total = Number(rows[0]?.hits ?? 0n);
  if (total > maxHits) return undefined;
  return { total, records: rows.flatMap((row) => (row.uuid === null ? [] : [toListedRecord(row)])) };
};

/**
 * A page of a listing: by the keys asked for, then by record and adaptor, so that pages never overlap. Only the rows of the
 * page are read whole.
 */
export const listPage = async (client: Queryable, filter: ListingFilter, page: RequestedPage): Promise<ListedPage> => {
  const hits = takesEveryKey(filter) ? undefined : await listHits(client, filter, page);
  return hits ?? { records: await listInOrder(client, filter, page), total: undefined };
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
