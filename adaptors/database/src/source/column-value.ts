import { parseJson, stringifyJson, type JsonValue } from '@fds/adaptor-protocol';
import type { ColumnType } from '../configuration/table-metadata.js';
import type { Dialect } from './dialect.js';
import { hasRoundedNumber, parseExactNumber, toExactNumber } from '../columns/exact-number.js';
import { bytesOf, columnText, type ColumnValue } from '../columns/column-text.js';
import { sqlOfDialect } from './sql-of-dialect.js';
import { formatDateTime, parseTimestamp } from '../columns/timestamp-text.js';

/** A value that does not fit its column or property. */
export class ValueFault extends Error {
  override readonly name = 'ValueFault';

  /** @param title the fault in one sentence for a steward, where it is not the refusal of a database */
  constructor(
    message: string,
    readonly title?: string,
  ) {
    super(message);
  }
}

const exactInteger = (text: string): number | bigint => {
  if (!/^-?\d+$/.test(text)) throw new ValueFault('is not an integer');
  const value = BigInt(text);
  if (BigInt.asIntN(64, value) !== value)
    throw new ValueFault('is beyond 64 bits: map the column as STRING, to a property of format "decimal"');
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
};

const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A number that the model holds exactly. A 64-bit integer keeps all its digits. */
const readNumber = (value: ColumnValue): number | bigint => {
  const exact = typeof value === 'number' ? toExactNumber(value) : parseExactNumber(columnText(value).trim());
  if (exact !== undefined) return exact;
  if (typeof value === 'number' || !numeral.test(columnText(value).trim())) throw new ValueFault('is not a number');
  throw new ValueFault(
    'has more digits than a number of the model keeps: map the column as STRING, to a property of format "decimal"',
  );
};

const readInteger = (value: ColumnValue): number | bigint =>
  exactInteger(typeof value === 'number' ? String(toExactNumber(value)) : columnText(value));

const readDate = (text: string): string => {
  const [date] = /^\d{4}-\d{2}-\d{2}(?![^T ])/.exec(text) ?? [];
  // for a day that the month does not have, the date changes when it is parsed
  if (date === undefined || !isDay(date)) throw new ValueFault('is not a date');
  return date;
};

/** Is it a valid day? Days up to the 28th are valid in every month. */
const isDay = (date: string): boolean =>
  (date.slice(8) >= '01' && date.slice(8) <= '28' && date.slice(5, 7) >= '01' && date.slice(5, 7) <= '12') ||
  new Date(`${date}T00:00:00Z`).getUTCDate() === Number(date.slice(8));

const readBytes = (value: ColumnValue): string => {
  const bytes = bytesOf(value);
  if (bytes === undefined) throw new ValueFault('is not a string of bytes');
  return bytes.toString('base64');
};

const readJson = (value: ColumnValue): JsonValue => {
  const text = columnText(value);
  let json: JsonValue;
  try {
    json = parseJson(text);
  } catch {
    throw new ValueFault('is not JSON');
  }
  if (hasRoundedNumber(text)) throw new ValueFault('contains a number with more digits than the model keeps');
  return json;
};

const readBoolean = (value: ColumnValue): boolean => {
  const text = columnText(value).toLowerCase();
  if (['true', 't', '1'].includes(text)) return true;
  if (['false', 'f', '0'].includes(text)) return false;
  throw new ValueFault('is not a boolean');
};

const readTimestamp = (value: ColumnValue): string => {
  const moment = parseTimestamp(columnText(value));
  if (moment === undefined) throw new ValueFault('is not a timestamp');
  return formatDateTime(moment);
};

/** Converts a column value to a domain property. @throws ValueFault */
export const toProperty = (type: ColumnType, value: ColumnValue): JsonValue => {
  if (value === null) return null;
  switch (type) {
    case 'STRING':
      return columnText(value);
    case 'BYTES':
      return readBytes(value);
    case 'JSON':
      return readJson(value);
    case 'LONG':
    case 'INTEGER':
      return readInteger(value);
    case 'DOUBLE':
    case 'DECIMAL':
      return readNumber(value);
    case 'BOOLEAN':
      return readBoolean(value);
    case 'LOCAL_DATE':
      return readDate(columnText(value));
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
  return sqlOfDialect[dialect].momentText(moment);
};

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const writeBytes = (value: JsonValue, dialect: Dialect): ColumnValue => {
  if (typeof value !== 'string' || !base64.test(value)) throw new ValueFault('is not base64');
  const bytes = Buffer.from(value, 'base64');
  return dialect === 'postgresql' ? `\\x${bytes.toString('hex')}` : bytes;
};

/** Most databases keep every digit of a number written as text; some require a number. */
const writeNumber = (value: number | bigint, dialect: Dialect): ColumnValue =>
  sqlOfDialect[dialect].exactIntegersAsNumbers ? value : String(value);

const writeInteger = (value: number | bigint, dialect: Dialect): ColumnValue =>
  sqlOfDialect[dialect].exactIntegersAsNumbers ? BigInt(value) : String(value);

/** Databases other than PostgreSQL write booleans as numbers. */
const writeBoolean = (value: boolean, dialect: Dialect): ColumnValue => {
  if (dialect === 'postgresql') return value;
  return dialect === 'sqlite' ? BigInt(value ? 1 : 0) : Number(value);
};

/** Converts a domain property to a column value. @throws ValueFault */
export const toColumn = (type: ColumnType, value: JsonValue, dialect: Dialect): ColumnValue => {
  if (value === null) return null;
  switch (type) {
    case 'STRING':
      return scalarText(value);
    case 'LOCAL_DATE':
      return readDate(scalarText(value));
    case 'BYTES':
      return writeBytes(value, dialect);
    case 'JSON':
      return stringifyJson([value]).slice(1, -1);
    case 'LONG':
    case 'INTEGER':
      return writeInteger(exactInteger(scalarText(value)), dialect);
    case 'DOUBLE':
    case 'DECIMAL':
      return writeNumber(readNumber(scalarText(value)), dialect);
    case 'BOOLEAN':
      return writeBoolean(readBoolean(scalarText(value)), dialect);
    case 'TIMESTAMP':
      return writeTimestamp(value, dialect);
  }
};

/** Converts a stored key value for a condition that the database evaluates exactly. */
export const toKeyColumn = (type: ColumnType, value: ColumnValue, dialect: Dialect): ColumnValue =>
  (type === 'LONG' || type === 'INTEGER') && typeof value === 'string' && /^-?\d+$/.test(value)
    ? writeInteger(BigInt(value), dialect)
    : value;
