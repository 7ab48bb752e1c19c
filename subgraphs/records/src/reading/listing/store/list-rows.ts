import { noAdaptor, orderedSourcesOf, rowSourcesOf, type RowSource, type Writing, writeOrder } from '@fds/search';
import type { ReadingPlan, RequestedPage } from '../domain/plan-page.js';
import type { ListedPage, ListedRow } from './listed-record.js';
import type { PageMeans, Shown } from './page-reader.js';
import { readAtMost } from './placed-page.js';
import { runListing, startWriting, writeWhere } from './run-listing.js';
import { writeWhole } from './write-whole.js';

const writeRows = (sources: readonly RowSource[]): string =>
  sources
    .map(
      (source) =>
        `SELECT ${source.uuid} AS uuid, ${source.adaptor} AS adaptor_uuid, ${source.key} AS key ${writeWhere(source)}`,
    )
    .join(' UNION ALL ');

/** `uuid` and `adaptor_uuid` of the rows of a page, in order. */
const writePage = (sources: readonly RowSource[], { parameters, features }: Writing, page: RequestedPage): string => {
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

/** The rows are read in their order until the page is full. */
export const readRows = async <Row extends Partial<ListedRow>, Listed>(
  { session }: PageMeans,
  { filter, page, keptPlan }: ReadingPlan,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed>> => {
  const writing = await startWriting(session, filter, keptPlan);
  const sources = page.order.length === 0 ? orderedSourcesOf(filter, writing) : rowSourcesOf(filter, writing);
  const text = `${writeWhole(writePage(sources, writing, page), sources, filter)} ORDER BY page.place`;
  const rows = await runListing<Row>(session, text, writing, keptPlan);
  return { records: rows.map(shown.read), total: undefined };
};
