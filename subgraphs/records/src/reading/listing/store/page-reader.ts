import type { Queryable } from '@fds/database';
import type { ReadingPlan } from '../domain/plan-page.js';
import { toListedRecord, type ListedPage, type ListedRecord, type ListedRow } from './listed-record.js';
import type { ListingMemory } from './listing-memory.js';
import type { ShownOfPage } from './whole-version-page.js';

/** The part of each record that a page shows, and how it is read from a row. */
export interface Shown<Row, Listed> {
  /** The columns that are needed. Some statements read whole rows in any case. */
  readonly content: ShownOfPage;
  read(row: Row): Listed;
}

export const shownRows: Shown<ListedRow, ListedRecord> = { content: 'ROWS', read: toListedRecord };

/** The data is JSON text. */
export const shownData: Shown<Pick<ListedRow, 'json'>, string | null> = { content: 'DATA', read: ({ json }) => json };

/** Where the statements of a page run, and where places are remembered. */
export interface PageMeans {
  readonly session: Queryable;
  /** Plans without remembered places need none. */
  readonly listingMemory?: ListingMemory;
}

/** Reads a page by one statement. @returns undefined where the statement leaves the page to the next one of the plan */
export type PageReader = <Row extends Partial<ListedRow>, Listed>(
  means: PageMeans,
  plan: ReadingPlan,
  shown: Shown<Row, Listed>,
) => Promise<ListedPage<Listed> | undefined>;
