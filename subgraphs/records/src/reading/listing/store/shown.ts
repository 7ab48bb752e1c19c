import { toListedRecord, type ListedRecord, type ListedRow } from './listed-record.js';
import type { ShownOfPage } from './whole-version-page.js';

/** The part of each record that a listing without adaptors shows, and how it is read from a row. */
export interface Shown<Row, Listed> {
  readonly content: ShownOfPage;
  read(row: Row): Listed;
}

export const shownRows: Shown<ListedRow, ListedRecord> = { content: 'ROWS', read: toListedRecord };

/** The data is JSON text. */
export const shownData: Shown<Pick<ListedRow, 'json'>, string | null> = { content: 'DATA', read: ({ json }) => json };
