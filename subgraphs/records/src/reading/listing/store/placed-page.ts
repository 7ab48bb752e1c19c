import type { RequestedPage } from '../domain/plan-page.js';
import type { Anchor } from './anchors.js';

/**
 * A page that is read from a row known to have so many rows before it, none after the page. The row belongs to one source
 * of records. Default: from the first row.
 */
export interface PlacedPage extends RequestedPage {
  readonly from?: Anchor;
}

/** The least number of rows that a statement reads at most. */
const leastRead = 128;

/**
 * So many rows are read at most, a power of two. A prepared statement is planned before its page is known: this tells the
 * planner that reading in the order of an index ends soon.
 */
export const readAtMost = ({ offset, limit }: Pick<RequestedPage, 'offset' | 'limit'>): number =>
  2 ** Math.ceil(Math.log2(Math.max(offset + limit, leastRead)));

/** Does the page end so near to the place where reading begins that the rows before it are read whole? */
export const isNearStart = ({ offset, limit }: Pick<RequestedPage, 'offset' | 'limit'>): boolean =>
  offset + limit <= leastRead;
