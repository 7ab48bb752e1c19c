import type { Queryable } from '@fds/database';
import { rowSourcesOf, type ListingFilter } from '@fds/record-rows';
import { writeComparable, writeOrderOfFound } from '@fds/search-sql';
import { toListedRecord, type ListedPage, type ListedRow } from './listed-record.js';
import type { RequestedPage } from './requested-page.js';
import { runListing, startWriting, writeWhere } from './run-listing.js';
import { writeWhole } from './write-whole.js';

/** So many rows of a search are found first and put in order then; more are read in order until the page is full. */
const maxHits = 10_000;

/**
 * A page of a search that finds few rows, with their number. The planner cannot estimate how many rows an expression
 * finds: by default it reads records in order, millions of them when few are found.
 *
 * @returns undefined when the search finds more than `maxHits` rows
 */
export const listHits = async (
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
