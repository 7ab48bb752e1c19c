import { getNullableType, isInputObjectType } from 'graphql';
import type { Reading } from '../causes/reading.js';
import type { AllowedVersions } from '../precondition/read-preconditions.js';
import type { GraphqlRoute } from '../route.js';
import type { Operation } from './read-operation.js';

type Variables = Readonly<Record<string, unknown>>;

/** The input of an operation that contains the changeVersion from which a change starts. */
export interface VersionInput {
  /** The changeVersion in the body. */
  given(variables: Variables): bigint | undefined;
  /** Returns the variables with this changeVersion. */
  put(variables: Variables, changeVersion: bigint): Variables;
}

const member = 'changeVersion';

const toBigInt = (value: unknown): bigint | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : undefined;

/** A Long: a number if that is exact. */
const toLong = (value: bigint): number | bigint => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

/** The variable `$changeVersion`, or the member of that name in the body's input; undefined when there is neither. */
export const compileVersionInput = ({ body }: GraphqlRoute, { variables }: Operation): VersionInput | undefined => {
  if (variables.has(member)) {
    return {
      given: (given) => toBigInt(given[member]),
      put: (given, version) => ({ ...given, [member]: toLong(version) }),
    };
  }
  if (body?.kind !== 'object') return undefined;
  const { variable } = body;
  const type = getNullableType(variables.get(variable));
  if (!isInputObjectType(type) || !(member in type.getFields())) return undefined;
  const inputOf = (given: Variables): Variables => (given[variable] ?? {}) as Variables;
  return {
    given: (given) => toBigInt(inputOf(given)[member]),
    put: (given, version) => ({ ...given, [variable]: { ...inputOf(given), [member]: toLong(version) } }),
  };
};

/** The version that body and `If-Match` require together. A version in the body must match `If-Match`. */
export const joinVersions = (
  allowed: AllowedVersions | undefined,
  given: bigint | undefined,
  reading: Reading,
): AllowedVersions | undefined => {
  if (allowed === undefined || given === undefined) return allowed;
  // the body alone decides
  if (allowed === '*') return undefined;
  if (allowed.includes(given)) return [given];
  const detail = 'If-Match names another changeVersion than the body';
  reading.add({ pointer: '/changeVersion', code: 'CONTRADICTION', detail });
  return allowed;
};
