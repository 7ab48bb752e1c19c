import type { JsonValue } from '@fds/adaptor-protocol';
import { bytesOf, columnText, type ColumnValue } from '../../columns/column-text.js';
import { parseExactNumber, toExactNumber } from '../../columns/exact-number.js';
import type { ColumnType } from '../../configuration/table-metadata.js';
import { toColumn, toProperty, ValueFault } from '../column-value.js';
import type { Dialect } from '../dialect.js';

const types: readonly (readonly [RegExp, ColumnType])[] = [
  [/^(bigint|int|integer|smallint|mediumint|tinyint|serial|bigserial)\b|^int\d/i, 'LONG'],
  [/^(numeric|decimal|number|money|smallmoney)\b/i, 'DECIMAL'],
  [/^(real|double|float|binary_float|binary_double)/i, 'DOUBLE'],
  [/^(boolean|bool|bit$)/i, 'BOOLEAN'],
  [/^(timestamp|datetime|smalldatetime)/i, 'TIMESTAMP'],
  [/^date\b/i, 'LOCAL_DATE'],
  [/^(bytea|blob|binary|varbinary|image|raw|(tiny|medium|long)blob)/i, 'BYTES'],
  [/^jsonb?\b/i, 'JSON'],
];

/** The type of a column that has none in the metadata, from its description in the catalogue. */
const columnTypeOf = (description: string | undefined): ColumnType =>
  types.find(([pattern]) => pattern.test(description ?? ''))?.[1] ?? 'STRING';

/** A number, or the text of all its digits if a number would lose some. */
const numberOrText = (value: ColumnValue): JsonValue => {
  const exact = typeof value === 'number' ? toExactNumber(value) : parseExactNumber(columnText(value).trim());
  return exact ?? columnText(value);
};

/** The value of a column without a type in the metadata, as expressions see it. @throws ValueFault */
export const contextValue = (description: string | undefined, value: ColumnValue, dialect: Dialect): JsonValue => {
  if (value === null) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object' && bytesOf(value) !== undefined) return toProperty('BYTES', value);
  // a column of SQLite holds values of any type
  if (dialect === 'sqlite') return typeof value === 'string' ? value : numberOrText(value);
  const type = columnTypeOf(description);
  return type === 'LONG' || type === 'DECIMAL' || type === 'DOUBLE' ? numberOrText(value) : toProperty(type, value);
};

const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

/** The result of an expression as a value of its column. @throws ValueFault */
export const writtenValue = (description: string | undefined, value: JsonValue, dialect: Dialect): ColumnValue => {
  const type = columnTypeOf(description);
  // a text keeps digits that a number would lose
  if (type === 'DECIMAL' && typeof value === 'string') {
    if (!numeral.test(value)) throw new ValueFault('is not a number');
    return value;
  }
  if (type === 'STRING' && typeof value === 'object' && value !== null) throw new ValueFault('is not a single value');
  return toColumn(type, value, dialect);
};
