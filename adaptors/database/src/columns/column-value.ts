import type { JsonValue } from '@fds/adaptor-protocol';
import type { ColumnType } from '../configuration/table-metadata.js';
import type { Dialect } from '../source/dialect.js';
import { formatDateTime, formatSqliteTimestamp, parseTimestamp } from './timestamp-text.js';

/** What drivers give and take: text, numbers, bigint for 64-bit integers. */
export type ColumnValue = string | number | bigint | boolean | Uint8Array | null;

/** A value that does not fit its column or property. */
export class ValueFault extends Error {
  override readonly name = 'ValueFault';
}

const exactInteger = (text: string): number | bigint => {
  if (!/^-?\d+$/.test(text)) throw new ValueFault('is not an integer');
  const value = BigInt(text);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
};

const finite = (value: number): number => {
  if (!Number.isFinite(value)) throw new ValueFault('is not a number');
  return value;
};

const readBoolean = (value: ColumnValue): boolean => {
  const text = String(value).toLowerCase();
  if (['true', 't', '1'].includes(text)) return true;
  if (['false', 'f', '0'].includes(text)) return false;
  throw new ValueFault('is not a boolean');
};

const readTimestamp = (value: ColumnValue): string => {
  const moment = parseTimestamp(String(value));
  if (moment === undefined) throw new ValueFault('is not a timestamp');
  return formatDateTime(moment);
};

/** From the column to the domain property. @throws ValueFault */
export const toProperty = (type: ColumnType, value: ColumnValue): JsonValue => {
  if (value === null) return null;
  switch (type) {
    case 'STRING':
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
    case 'LONG':
    case 'INTEGER':
      return exactInteger(String(value));
    case 'DOUBLE':
    case 'DECIMAL':
      return finite(Number(value));
    case 'BOOLEAN':
      return readBoolean(value);
    case 'LOCAL_DATE':
      return String(value).slice(0, 10);
    case 'TIMESTAMP':
      return readTimestamp(value);
  }
};

const scalarText = (value: JsonValue): string => {
  if (typeof value === 'object') throw new ValueFault('is not a single value');
  return String(value);
};

const writeTimestamp = (value: JsonValue, dialect: Dialect): string => {
  const moment = parseTimestamp(scalarText(value));
  if (moment === undefined) throw new ValueFault('is not a date-time');
  return dialect === 'sqlite' ? formatSqliteTimestamp(moment) : formatDateTime(moment);
};

/** From the domain property to the column. @throws ValueFault */
export const toColumn = (type: ColumnType, value: JsonValue, dialect: Dialect): ColumnValue => {
  if (value === null) return null;
  switch (type) {
    case 'STRING':
    case 'LOCAL_DATE':
      return scalarText(value);
    case 'LONG':
    case 'INTEGER':
      // as text, PostgreSQL keeps every digit; SQLite wants the integer itself
      return dialect === 'sqlite' ? BigInt(exactInteger(scalarText(value))) : String(exactInteger(scalarText(value)));
    case 'DOUBLE':
    case 'DECIMAL':
      return finite(Number(scalarText(value)));
    case 'BOOLEAN':
      return dialect === 'sqlite' ? BigInt(readBoolean(scalarText(value)) ? 1 : 0) : readBoolean(scalarText(value));
    case 'TIMESTAMP':
      return writeTimestamp(value, dialect);
  }
};
