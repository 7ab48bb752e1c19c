import { bytesOf, columnText, type ColumnValue } from '../columns/column-text.js';

/** Primary key of a row: the values of its columns, in the order of `primaryKeySpecs`. */
export type RowKey = readonly ColumnValue[];

/** A value in the text of a key. Bytes differ from the text that spells them. */
type KeyValue = string | null | { readonly base64: string };

const keyValue = (value: ColumnValue): KeyValue => {
  if (value === null) return null;
  const bytes = typeof value === 'object' ? bytesOf(value) : undefined;
  return bytes === undefined ? columnText(value) : { base64: bytes.toString('base64') };
};

/** A row key as text, for the adaptor's state. */
export const rowKeyText = (key: RowKey): string => JSON.stringify(key.map(keyValue));

/** Converts the text back to values that the database compares with its columns. */
export const parseRowKey = (text: string): RowKey =>
  (JSON.parse(text) as KeyValue[]).map((value) =>
    typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value,
  );
