import {
  rowSourcesOf,
  type RowSource,
  type Writing,
  comparisonOf,
  writeComparable,
  writeIndexed,
  writeOrder,
  writeOrderOfFound,
} from '@fds/search';
import { maxFew, type ReadingPlan } from '../domain/plan-page.js';
import type { RangeSearch } from '../domain/range-search.js';
import type { ListedPage, ListedRow } from './listed-record.js';
import type { PageMeans, Shown } from './page-reader.js';
import { readAtMost } from './placed-page.js';
import { runListing, startWriting, writeWhere } from './run-listing.js';
import { writeColumns, type ShownOfPage } from './whole-version-page.js';
import { withCount, type FoundRow } from './with-count.js';
import { writeRowsOf } from './write-rows-of.js';

/** So many texts are counted for a page in order of the index, and `maxFew` other values. To count more is planned with the values. */
const maxCounted = 10_000;

/** The statement of a range search as it is being written. */
interface RangeWriting extends Pick<ReadingPlan, 'page' | 'total'> {
  readonly search: RangeSearch;
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
  const { page, writing, content, total } = range;
  const source = sourceOf(range, 'APART');
  const order = writeOrder(page.order, { key: source.key, identity: [source.uuid] }, writing.features);
  const uuids = `SELECT reached.uuid FROM (
                   SELECT ${source.uuid} AS uuid ${writeWhere(source)} ORDER BY ${order.join(', ')} LIMIT ${readAtMost(page)}
                 ) AS reached ${writeLimit(range)}`;
  const rows = writeRows(uuids, content);
  return total === 'NOT_REQUESTED' ? `${rows} ORDER BY page.place` : withCount(writeCount(range), rows);
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

const read = async <Row extends Partial<ListedRow>>(
  { session }: PageMeans,
  { range: search, page, total, keptPlan }: ReadingPlan,
  { write, content }: { readonly write: (range: RangeWriting) => string; readonly content: ShownOfPage },
): Promise<{ readonly search: RangeSearch; readonly rows: readonly Row[]; readonly hits: number | undefined }> => {
  if (search === undefined) throw new TypeError('the plan names the range that is searched');
  const writing = await startWriting(session, search.filter, keptPlan);
  const text = write({ search, page, total, writing, content });
  const rows = await runListing<FoundRow<Row>>(session, text, writing, keptPlan);
  const hits = rows[0]?.hits;
  return {
    search,
    rows: rows.flatMap((row) => (row.place === null ? [] : [row])),
    hits: hits === undefined ? undefined : Number(hits),
  };
};

/**
 * A page of a search whose rows are one range of an index that exists. One plan is right for all values: the planner does not
 * see them, and reads the index in order until there are enough rows. So the database keeps the plan, and needs no time to
 * plan each execution.
 */
export const readRangeInOrder = async <Row extends Partial<ListedRow>, Listed>(
  means: PageMeans,
  plan: ReadingPlan,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed>> => {
  const { search, rows, hits } = await read<Row>(means, plan, { write: writeInOrder, content: shown.content });
  const most = isOfTexts(search) ? maxCounted : maxFew;
  return { records: rows.map(shown.read), total: hits === undefined || hits > most ? undefined : hits };
};

/** The same for another order. @returns undefined where the search finds more than a few rows */
export const readFewOfRange = async <Row extends Partial<ListedRow>, Listed>(
  means: PageMeans,
  plan: ReadingPlan,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed> | undefined> => {
  const { rows, hits = 0 } = await read<Row>(means, plan, { write: writeFew, content: shown.content });
  return hits > maxFew ? undefined : { records: rows.map(shown.read), total: hits };
};
