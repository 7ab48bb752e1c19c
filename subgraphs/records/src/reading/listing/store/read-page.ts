import type { Queryable } from '@fds/database';
import type { ListingFilter } from '@fds/search';
import {
  noKnowledge,
  planPage,
  type PageStatement,
  type ReadingPlan,
  type RequestedPage,
} from '../domain/plan-page.js';
import { readVersionFromPlace } from './list-deep-page.js';
import { readHits } from './list-hits.js';
import { readFewOfRange, readRangeInOrder } from './list-range.js';
import { readRows } from './list-rows.js';
import { readVersion } from './list-version-rows.js';
import type { ListedPage, ListedRow } from './listed-record.js';
import { shownRows, type PageMeans, type PageReader, type Shown } from './page-reader.js';

const readers: Readonly<Record<PageStatement, PageReader>> = {
  VERSION_FROM_PLACE: readVersionFromPlace,
  VERSION: readVersion,
  RANGE_IN_ORDER: readRangeInOrder,
  RANGE_FEW: readFewOfRange,
  HITS: readHits,
  ROWS: readRows,
};

/**
 * Reads a page as its plan says: in the requested order, then by record and adaptor, so that pages never overlap. Only the rows of
 * the page are read whole.
 */
export const readPage = async <Row extends Partial<ListedRow>, Listed>(
  means: PageMeans,
  plan: ReadingPlan,
  shown: Shown<Row, Listed>,
): Promise<ListedPage<Listed>> => {
  for (const statement of plan.statements) {
    const page = await readers[statement](means, plan, shown);
    if (page !== undefined) return page;
  }
  throw new TypeError('the last statement of a plan reads the page');
};

/** A page of a listing, read without any knowledge that shortens the way to it. */
export const listPage = (session: Queryable, filter: ListingFilter, page: RequestedPage): Promise<ListedPage> =>
  readPage({ session }, planPage(filter, { ...page, isTotalRequested: true }, noKnowledge), shownRows);
