import {
  noAdaptor,
  rowSourcesOf,
  type ListingFilter,
  type RowSource,
  writeComparable,
  writeOrderOfFound,
} from '@fds/search';
import { maxHits, type ReadingPlan } from '../domain/plan-page.js';
import type { ListedPage, ListedRow } from './listed-record.js';
import type { PageMeans, Shown } from './page-reader.js';
import { runListing, startWriting, writeWhere } from './run-listing.js';
import { writeColumns, type ShownOfPage } from './whole-version-page.js';
import { withCount, type FoundRow } from './with-count.js';
import { writeRowsOf } from './write-rows-of.js';
import { writeWhole } from './write-whole.js';

/** The rows of a page, each with its place. Rows of records without an adaptor may show less than whole rows. */
const writeShown = (
  selected: string,
  sources: readonly RowSource[],
  { filter, content }: { readonly filter: ListingFilter; readonly content: ShownOfPage },
): string =>
  sources.every(({ adaptor }) => adaptor === noAdaptor)
    ? writeRowsOf(`SELECT selected.uuid FROM (${selected}) AS selected`, [writeColumns(content), 'page.place'])
    : writeWhole(selected, sources, filter);

/**
 * A page of a search that finds few rows, with their number. The planner cannot estimate how many rows an expression
 * finds: by default it reads records in order, millions of them when few are found.
 *
 * @returns undefined where the search finds more than `maxHits` rows
 */
export const readHits = async <Row extends Partial<ListedRow>, Listed>(
  { session }: PageMeans,
  { filter, page, keptPlan }: ReadingPlan,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed> | undefined> => {
  const writing = await startWriting(session, filter, keptPlan);
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
  const rows = await runListing<FoundRow<Row>>(
    session,
    `WITH hit AS MATERIALIZED (SELECT * FROM (${found.join(' UNION ALL ')}) AS found LIMIT ${maxHits + 1})
     ${withCount('SELECT count(*) AS hits FROM hit', writeShown(selected, sources, { filter, content: shown.content }))}`,
    writing,
    keptPlan,
  );
  const total = Number(rows[0]?.hits ?? 0n);
  if (total > maxHits) return undefined;
  return { total, records: rows.flatMap((row) => (row.place === null ? [] : [shown.read(row)])) };
};
