import { isUuid, parseJson, type JsonValue } from '@fds/json';
import type { LeafFormat } from '../answer/answer-shape.js';

/** A scalar of a body in the form of the variable, or the form that was expected. */
export interface ScalarReading {
  readonly value?: unknown;
  readonly fault?: string;
}

const isWhole = (value: JsonValue, bits: number): boolean =>
  (typeof value === 'bigint' || Number.isSafeInteger(value)) &&
  BigInt.asIntN(bits, BigInt(value as number | bigint)) === BigInt(value as number | bigint);

const maxEpochMs = 8.64e15;

const readDateTime = (value: JsonValue): ScalarReading =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= maxEpochMs
    ? { value: new Date(value).toISOString() }
    : { fault: 'a time in epoch milliseconds' };

/** Any JSON value. JSON-encoded text is passed on unchanged. */
const readJson = (value: JsonValue): ScalarReading => {
  if (typeof value !== 'string') return { value };
  try {
    parseJson(value);
    return { value };
  } catch {
    return { fault: 'JSON, or JSON-encoded text' };
  }
};

/** The rule for a JSON value of the format. */
const checks: Readonly<
  Record<Exclude<LeafFormat, 'dateTime' | 'json'>, readonly [expected: string, holds: (value: JsonValue) => boolean]>
> = {
  text: ['text', (value) => typeof value === 'string'],
  uuid: ['a UUID', (value) => typeof value === 'string' && isUuid(value)],
  int32: ['a 32-bit integer', (value) => isWhole(value, 32)],
  int64: ['a 64-bit integer', (value) => isWhole(value, 64)],
  number: ['a number', (value) => typeof value === 'number'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
};

/** Checks the JSON type of a scalar. `json` accepts everything except text that is not JSON-encoded. */
export const readScalar = (format: LeafFormat, value: JsonValue): ScalarReading => {
  if (format === 'json') return readJson(value);
  if (format === 'dateTime') return readDateTime(value);
  const [expected, holds] = checks[format];
  return holds(value) ? { value } : { fault: expected };
};
