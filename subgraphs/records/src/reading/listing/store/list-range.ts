import type { Queryable } from '@fds/database';
import { rowSourcesOf, type RowSource, type Writing } from '@fds/record-rows';
import { comparisonOf } from '@fds/search-query';
import { writeComparable, writeIndexed, writeOrder, writeOrderOfFound } from '@fds/search-sql';
import { createFewOrMany } from './few-or-many.js';
import type { ListedPage } from './listed-record.js';
import type { RangeSearch } from './range-search.js';
import { readAtMost, type RequestedPage } from './requested-page.js';
import { runListing, startWriting, writeWhere } from './run-listing.js';
import type { Shown } from './shown.js';
import { writeColumns, type ShownOfPage } from './whole-version-page.js';
import { withCount, type FoundRow } from './with-count.js';
import { writeRowsOf } from './write-rows-of.js';

/** So many texts are counted for a page in order of the index. To count more is planned with the values. */
const maxCounted = 10_000;

/**
 * So many rows are found in order of the index before anything else is done with them. The planner reads the index in order for so
 * few: it takes one row in 9 for a hit.
 */
const maxFew = 256;

/** The statement of a range search as it is being written. */
interface RangeWriting {
  readonly search: RangeSearch;
  readonly page: RequestedPage;
  readonly writing: Writing;
  readonly content: ShownOfPage;
}

const sourceOf = ({ search, writing }: RangeWriting, unseen: 'TOGETHER' | 'APART'): RowSource => {
  const [source] = rowSourcesOf(search.filter, { ...writing, unseen });
  if (source === undefined) throw new TypeError('a search of a data-store version has one source');
  return source;
};

const indexOrder = ({ search, writing }: RangeWriting, { key }: RowSource): string =>
  `ORDER BY ${writeIndexed(key, search.property, writing.features)} ASC NULLS FIRST`;

const writeLimit = ({ writing: { parameters }, page: { limit, offset } }: RangeWriting): string =>
  `LIMIT ${parameters.add(limit)}::int OFFSET ${parameters.add(offset)}::bigint`;

/** Is the order of the index the order of the page? One value is in no order, and has few rows as a rule: one scan finds them. */
const isInOrderOf = ({ property, isPoint }: RangeSearch, { order: [first] }: RequestedPage): boolean =>
  !isPoint && first?.property.name === property.name;

const writeRows = (uuids: string, content: ShownOfPage): string =>
  writeRowsOf(uuids, [writeColumns(content), 'page.place']);

/** A range of texts with two ends. */
const isOfTexts = ({ property, filter: { condition } }: RangeSearch): boolean => {
  const test = condition?.kind === 'test' ? condition.test : undefined;
  return comparisonOf(property) === 'text' && !(test?.kind === 'range' && (test.from === null || test.to === null));
};

/**
 * The number of rows found, up to a limit. They are counted in order of the index, so that the planner does not read the whole range
 * first. Such an order takes a folding of each text: texts are counted in any order. The planner then may read all entries of
 * the range, but not the table.
 */
const writeCount = (range: RangeWriting): string => {
  const isOrdered = !isOfTexts(range.search);
  const source = sourceOf(range, isOrdered ? 'APART' : 'TOGETHER');
  const end = isOrdered ? `${indexOrder(range, source)} LIMIT ${maxFew + 1}` : `LIMIT ${maxCounted + 1}`;
  return `SELECT count(*) AS hits FROM (SELECT ${writeWhere(source)} ${end}) AS hit`;
};

/** The page is read in order of the index, which is its own order. The rows of other pages are only counted. */
const writeInOrder = (range: RangeWriting): string => {
  const { page, writing, content } = range;
  const source = sourceOf(range, 'APART');
  const order = writeOrder(page.order, { key: source.key, identity: [source.uuid] }, writing.features);
  const uuids = `SELECT reached.uuid FROM (
                   SELECT ${source.uuid} AS uuid ${writeWhere(source)} ORDER BY ${order.join(', ')} LIMIT ${readAtMost(page)}
                 ) AS reached ${writeLimit(range)}`;
  const rows = writeRows(uuids, content);
  return page.withoutTotal === true ? `${rows} ORDER BY page.place` : withCount(writeCount(range), rows);
};

/** A few rows are found in order of the index, and the page of them by its own order. */
const writeFew = (range: RangeWriting): string => {
  const { page, writing, content } = range;
  const source = sourceOf(range, 'APART');
  const values = page.order.map(
    ({ property }, index) => `, ${writeComparable(source.key, property, writing.features)} AS value_${index}`,
  );
  const order = writeOrderOfFound(page.order, {
    values: page.order.map((_term, index) => `hit.value_${index}`),
    identity: ['hit.uuid'],
  });
  const uuids = `SELECT hit.uuid FROM hit ORDER BY ${order.join(', ')} ${writeLimit(range)}`;
  return `WITH hit AS MATERIALIZED (
            SELECT ${source.uuid} AS uuid${values.join('')} ${writeWhere(source)}
            ${indexOrder(range, source)} LIMIT ${maxFew + 1}
          ) ${withCount('SELECT count(*) AS hits FROM hit', writeRows(uuids, content))}`;
};

const fewOrMany = createFewOrMany();

/**
 * A page of a search whose rows are one range of an index that exists. One plan is right for all values: the planner does not
 * see them, and reads the index in order until there are enough rows. So the database keeps the plan, and needs no time to
 * plan each execution.
 *
 * @returns undefined where the rows have to be put in order and are more than a few, or were so a short time ago
 */
export const listRange = async <Row extends object, Listed>(
  client: Queryable,
  search: RangeSearch,
  page: RequestedPage,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed> | undefined> => {
  const { filter } = search;
  const writing = await startWriting(client, filter, 'OWN');
  const isInOrder = isInOrderOf(search, page);
  const write = isInOrder ? writeInOrder : writeFew;
  const text = write({ search, page, writing, content: shown.content });
  if (!isInOrder && !fewOrMany.isWorthAnAttempt(text)) return undefined;
  const rows = await runListing<FoundRow<Row>>(client, text, { filter, writing, shape: 'OWN' });
  const hits = rows[0]?.hits === undefined ? undefined : Number(rows[0].hits);
  if (!isInOrder && hits !== undefined && hits > maxFew) {
    fewOrMany.foundMany(text);
    return undefined;
  }
  return {
    records: rows.flatMap((row) => (row.place === null ? [] : [shown.read(row)])),
    total: hits === undefined || hits > (isOfTexts(search) ? maxCounted : maxFew) ? undefined : hits,
  };
};
