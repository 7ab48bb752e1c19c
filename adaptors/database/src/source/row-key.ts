import { columnText, type ColumnValue } from '../columns/column-text.js';

/** Primary key of a row: the values of its columns, in the order of `primaryKeySpecs`. */
export type RowKey = readonly ColumnValue[];

/** A row key as text, for the adaptor's state. */
export const rowKeyText = (key: RowKey): string =>
  JSON.stringify(key.map((value) => (value === null ? null : columnText(value))));

/** Converts the text back to values that the database compares with its columns. */
export const parseRowKey = (text: string): RowKey => JSON.parse(text) as (string | null)[];
