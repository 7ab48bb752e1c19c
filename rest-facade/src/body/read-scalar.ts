import type { JsonValue } from '@fds/json';
import type { LeafFormat } from '../answer/answer-shape.js';
import { isUuid } from '../query/compile-text-reader.js';

/** A scalar of a body as the variable wants it, or what is expected instead. */
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

/** Checks the JSON type of a scalar. `json` takes anything. */
export const readScalar = (format: LeafFormat, value: JsonValue): ScalarReading => {
  const expect = (holds: boolean, fault: string): ScalarReading => (holds ? { value } : { fault });
  switch (format) {
    case 'text':
      return expect(typeof value === 'string', 'text');
    case 'uuid':
      return expect(typeof value === 'string' && isUuid(value), 'a UUID');
    case 'int32':
      return expect(isWhole(value, 32), 'a 32-bit integer');
    case 'int64':
      return expect(isWhole(value, 64), 'a 64-bit integer');
    case 'number':
      return expect(typeof value === 'number', 'a number');
    case 'boolean':
      return expect(typeof value === 'boolean', 'true or false');
    case 'dateTime':
      return readDateTime(value);
    case 'json':
      return { value };
  }
};
