import { getNullableType, isInputObjectType } from 'graphql';
import type { Reading } from '../causes/reading.js';
import type { AllowedVersions } from '../precondition/read-preconditions.js';
import type { GraphqlRoute } from '../route.js';
import type { Operation } from './read-operation.js';

type Variables = Readonly<Record<string, unknown>>;

/** Where an operation takes the changeVersion it starts from. */
export interface VersionInput {
  /** The changeVersion the body names. */
  given(variables: Variables): bigint | undefined;
  /** The variables with this changeVersion. */
  put(variables: Variables, changeVersion: bigint): Variables;
}

const member = 'changeVersion';

const toBigInt = (value: unknown): bigint | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : undefined;

/** A Long: a number where that is exact. */
const toLong = (value: bigint): number | bigint => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

/** The variable `$changeVersion`, or the member of that name of the body's input; undefined: it takes none. */
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

/** The version that body and `If-Match` require together: a body that names a version must match it. */
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
