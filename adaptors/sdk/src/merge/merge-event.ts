import { isJsonObject, type JsonObject, type JsonValue } from '@fds/adaptor-protocol';
import type { IncomingEvent } from '../handlers.js';

/** A property of a record; undefined: the record does not have it. */
type Held = JsonValue | undefined;

export interface MergeInput {
  /**
   * The values that the adaptor last reported or applied, by property. The value of a property that is absent here is
   * unknown. Undefined: nothing about the record is known.
   */
  readonly base: JsonObject | undefined;
  /**
   * The values that the system holds now, read under a lock or checked again by the statement that writes. Undefined: the
   * system does not have the record.
   */
  readonly local: JsonObject | undefined;
  readonly event: Pick<IncomingEvent, 'json' | 'changed' | 'read'>;
  /** Do both values mean the same in the system? Called with values of one property. Default: equal as JSON. */
  readonly areEqual?: (property: string, left: Held, right: Held) => boolean;
}

export interface Merged {
  /** The values to write. A property that already has its value is absent. */
  readonly write: JsonObject;
  /** Properties of the event that are not written, because the system holds a value that was not reported. */
  readonly kept: readonly string[];
  /**
   * The base after the event. Kept properties have their former base, so the adaptor still sees them as unreported. A property that
   * is kept because of `read` has none, so its value is reported again: the hub does not know which value stayed.
   */
  readonly base: JsonObject;
}

const areEqualLists = (left: readonly Held[], right: readonly Held[]): boolean =>
  left.length === right.length && left.every((value, index) => areEqualJson(value, right[index]));

const areEqualObjects = (left: JsonObject, right: JsonObject): boolean => {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && areEqualJson(left[name], right[name]))
  );
};

/** Are both the same JSON value? The order of the members of an object does not matter. */
export const areEqualJson = (left: Held, right: Held): boolean => {
  if (left === right) return true;
  if (Array.isArray(left)) return Array.isArray(right) && areEqualLists(left, right);
  return isJsonObject(left) && isJsonObject(right) && areEqualObjects(left, right);
};

const valueIn = (values: JsonObject | undefined, property: string): Held =>
  values !== undefined && Object.hasOwn(values, property) ? values[property] : undefined;

/** The properties of the event that are new to this adaptor and have a value. */
export const newProperties = ({ json, changed }: Pick<IncomingEvent, 'json' | 'changed'>): readonly string[] =>
  changed === undefined ? Object.keys(json) : [...new Set(changed)].filter((property) => Object.hasOwn(json, property));

/**
 * Has the server asked for the record, and did the system not have it? Then its absence counts as reported, also when the
 * adaptor knew the record.
 */
export const wasReadAbsent = ({ read }: Pick<IncomingEvent, 'read'>): boolean =>
  read !== undefined && Object.keys(read).length === 0;

/**
 * Decides which values of an incoming POST or PUT an adaptor writes, so that no change of a user is overwritten before
 * it was reported. It compares three values of each new property:
 *
 * - the system holds the value of the event: nothing to write;
 * - the system holds the base: the event's value is written;
 * - the system has no value, and none is known: the event's value is written, because it replaces nothing;
 * - otherwise the system holds an unreported value, which is kept. This includes a value without a known base.
 *
 * A record that the system does not have is written as a whole if its base is undefined. With a base, it was deleted
 * here, and this deletion was not reported: all properties are kept. An adaptor that never reports deletions passes no
 * base for it.
 *
 * In an event of a reconciliation (`read`), the value that was read takes the place of the base: it counts as reported. If nothing
 * was read (`{}`), the system did not have the record, and an absent record is written as a whole.
 *
 * The function is pure. Cost: one pass over the properties of the event.
 */
export const mergeEvent = ({ base, local, event, areEqual: given }: MergeInput): Merged => {
  const { json, read } = event;
  const properties = newProperties(event);
  if (local === undefined && (base === undefined || wasReadAbsent(event))) return { write: json, kept: [], base: json };
  if (local === undefined) return { write: {}, kept: properties, base: base ?? {} };
  const areEqual = given ?? ((_: string, left: Held, right: Held) => areEqualJson(left, right));
  const write: [string, Held][] = [];
  const applied: [string, Held][] = [];
  const kept: string[] = [];
  const wasRead = (property: string): boolean => read !== undefined && Object.hasOwn(read, property);
  for (const property of properties) {
    const [incoming, held] = [json[property], valueIn(local, property)];
    const known = wasRead(property) ? read : base;
    const isReported =
      known !== undefined && Object.hasOwn(known, property)
        ? areEqual(property, known[property], held)
        : held === undefined;
    if (areEqual(property, held, incoming)) applied.push([property, incoming]);
    else if (isReported) {
      write.push([property, incoming]);
      applied.push([property, incoming]);
    } else kept.push(property);
  }
  const outdated = new Set(kept.filter(wasRead));
  const remaining = Object.entries(base ?? {}).filter(([property]) => !outdated.has(property));
  return {
    write: Object.fromEntries(write),
    kept,
    base: Object.fromEntries([...remaining, ...applied]),
  };
};
