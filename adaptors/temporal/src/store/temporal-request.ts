import type { JsonObject, JsonValue } from '@fds/adaptor-sdk';
import { DateTime } from 'luxon';

/** The temporal parameters of an assembly request (spec: server, Temporal adaptor parameters). Times are epoch milliseconds. */
export interface TemporalRequest {
  /** Undefined: now. */
  readonly timestamp: number | undefined;
  /** Undefined: events of all adaptors count. */
  readonly sourceAdaptor: string | undefined;
  /** Undefined: the request assembles data. */
  readonly search: TimestampSearch | undefined;
}

/** A search for the times at which a record changed. */
export interface TimestampSearch {
  /** Both bounds are inclusive. */
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly ascending: boolean;
  readonly max: number | undefined;
}

const fault = (name: string, form: string): Error => new Error(`additionalParams: ${name} ${form}`);

const withoutZone = /T[^Z+-]*$/i;

const momentOf = (name: string, value: JsonValue): number => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' && !withoutZone.test(value)) {
    const moment = DateTime.fromISO(value, { zone: 'utc' });
    if (moment.isValid) return moment.toMillis();
  }
  throw fault(name, 'is epoch milliseconds, or ISO 8601 with a time zone');
};

const flagOf = (name: string, value: JsonValue): boolean => {
  if (typeof value === 'boolean') return value;
  throw fault(name, 'is true or false');
};

const countOf = (name: string, value: JsonValue): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw fault(name, 'is an integer from 0');
};

const textOf = (name: string, value: JsonValue): string => {
  if (typeof value === 'string') return value;
  throw fault(name, 'is the uuid of an adaptor');
};

/**
 * Reads the temporal parameters. Null counts as absent. Other parameters are ignored.
 *
 * @throws Error that names the first parameter with a wrong value
 */
export const readTemporalRequest = (params: JsonObject = {}): TemporalRequest => {
  const read = <T>(name: string, as: (name: string, value: JsonValue) => T): T | undefined => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    return value === undefined || value === null ? undefined : as(name, value);
  };
  const isSearch = read('timestamp-search', flagOf) ?? false;
  const search: TimestampSearch = {
    start: read('timestamp-start', momentOf),
    end: read('timestamp-end', momentOf),
    ascending: read('timestamp-ascending', flagOf) ?? true,
    max: read('timestamp-max', countOf),
  };
  return {
    timestamp: read('timestamp', momentOf),
    sourceAdaptor: read('source-adaptor', textOf)?.toLowerCase(),
    search: isSearch ? search : undefined,
  };
};
