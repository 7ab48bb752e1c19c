import type { ErrorCause } from '@fds/errors';
import { isUuid, type JsonObject, type JsonValue } from '@fds/json';

/** The order and number of timestamps that a search requests (docs/reference/assembly.md#temporal-parameters). */
export interface TimestampSearch {
  readonly ascending: boolean;
  /** Undefined: unlimited. */
  readonly max: number | undefined;
}

/** ISO 8601, basic or extended, with a time zone. */
const moment = /^\d{4}-?\d\d-?\d\dT\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d(?::?\d\d)?)$/i;

const isMoment = (value: JsonValue): boolean =>
  typeof value === 'number' || (typeof value === 'string' && moment.test(value));
const isFlag = (value: JsonValue): boolean => typeof value === 'boolean';
const isCount = (value: JsonValue): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isUuidText = (value: JsonValue): boolean => typeof value === 'string' && isUuid(value);

const momentForm = 'is epoch milliseconds, or ISO 8601 with a time zone';

const parameters: readonly (readonly [name: string, accepts: (value: JsonValue) => boolean, form: string])[] = [
  ['timestamp', isMoment, momentForm],
  ['timestamp-start', isMoment, momentForm],
  ['timestamp-end', isMoment, momentForm],
  ['timestamp-search', isFlag, 'is true or false'],
  ['timestamp-ascending', isFlag, 'is true or false'],
  ['timestamp-max', isCount, 'is an integer from 0'],
  ['source-adaptor', isUuidText, 'is the uuid of an adaptor'],
];

const parameterOf = (params: JsonObject | undefined, name: string): JsonValue | undefined =>
  params !== undefined && Object.hasOwn(params, name) ? params[name] : undefined;

/** Checks the temporal parameters. Adaptors define all other parameters. Null counts as absent. */
export const temporalFaults = (params: JsonObject | undefined): ErrorCause[] =>
  parameters.flatMap(([name, accepts, form]) => {
    const value = parameterOf(params, name) ?? null;
    return value === null || accepts(value)
      ? []
      : [{ pointer: `/additionalParams/${name}`, code: 'INVALID_VALUE', detail: `${name} ${form}` }];
  });

/** @param params has no faults @returns undefined when the request assembles data */
export const timestampSearchOf = (params: JsonObject | undefined): TimestampSearch | undefined => {
  if (parameterOf(params, 'timestamp-search') !== true) return undefined;
  const max = parameterOf(params, 'timestamp-max');
  return {
    ascending: parameterOf(params, 'timestamp-ascending') !== false,
    max: typeof max === 'number' ? max : undefined,
  };
};

/** Timestamps of one record from several adaptors: each once, in the requested order, and at most as many as requested. */
export const mergeTimestamps = (
  lists: readonly (readonly number[])[],
  { ascending, max }: TimestampSearch,
): readonly number[] => {
  const sorted = Float64Array.from(new Set(lists.flat())).sort();
  return [...(ascending ? sorted : sorted.toReversed())].slice(0, max);
};
