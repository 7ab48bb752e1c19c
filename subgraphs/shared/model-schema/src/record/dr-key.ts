import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@fds/json';
import { canonicalDecimal } from './formats/decimal.js';
import { ownMember, setOwnMember } from './own-member.js';

/** One digit text for equal numbers: 1, 1.0 and 1n agree. */
const canonicalNumber = (value: number | bigint): string =>
  typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : value.toString();

/** Typed canonical text: strings exact and case-sensitive, numbers normalised. */
const canonicalValue = (value: JsonValue | undefined): string => {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'bigint') return canonicalNumber(value);
  return typeof value === 'boolean' ? String(value) : 'null';
};

/** The members of the key in its own order; null where the record has none. */
export const selectDrKey = (record: JsonObject, drKeyProperties: readonly string[]): JsonObject => {
  const drKey: Record<string, JsonValue> = {};
  for (const name of drKeyProperties) setOwnMember(drKey, name, ownMember(record, name) ?? null);
  return drKey;
};

/**
 * SHA-256 of the key's values in the order of its properties, in hexadecimal digits.
 *
 * @param decimals properties with format decimal: their equal numbers agree
 */
export const digestDrKey = (
  drKey: JsonObject,
  drKeyProperties: readonly string[],
  decimals: ReadonlySet<string>,
): string => {
  const values = drKeyProperties.map((name) => {
    const value = ownMember(drKey, name);
    return canonicalValue(typeof value === 'string' && decimals.has(name) ? canonicalDecimal(value) : value);
  });
  return hash('sha256', `[${values.join(',')}]`, 'hex');
};
