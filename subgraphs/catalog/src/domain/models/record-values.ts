import { isJsonObject, isUuid, type JsonObject, type JsonValue, pointerTo } from '@fds/json';
import type { FaultList } from '@fds/errors';
import { decodeJson } from '../decode-json.js';

/** Data for the new properties of one record, from a version's patch. */
export interface RecordValues {
  /** JSON pointer in the input. */
  readonly pointer: string;
  readonly drUuid: string | undefined;
  readonly drKey: JsonObject | undefined;
  /** Contains new properties only, possibly inside objects that exist already. */
  readonly json: JsonObject;
}

const members: readonly string[] = ['drUuid', 'drKey', 'json'];

/** The properties that a patch adds, by dotted path in lower case. Properties below a new container are new as well. */
class NewProperties {
  readonly #paths: ReadonlySet<string>;

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths.map((path) => path.toLowerCase()));
  }

  isNew(path: string): boolean {
    return this.#paths.has(path);
  }

  haveSomeBelow(path: string): boolean {
    return [...this.#paths].some((one) => one.startsWith(`${path}.`));
  }
}

const checkMembers = (json: JsonObject, at: string, above: string, added: NewProperties, faults: FaultList): void => {
  for (const [name, value] of Object.entries(json)) {
    const path = `${above}${name.toLowerCase()}`;
    if (added.isNew(path)) continue;
    const pointer = pointerTo(at, name);
    if (isJsonObject(value) && added.haveSomeBelow(path)) checkMembers(value, pointer, `${path}.`, added, faults);
    else faults.add(pointer, 'NOT_NEW', `${name} is not a property that this patch adds`);
  }
};

const readOne = (
  value: JsonValue,
  pointer: string,
  added: NewProperties,
  faults: FaultList,
): RecordValues | undefined => {
  if (!isJsonObject(value) || !isJsonObject(value['json'])) {
    faults.add(pointer, 'INVALID_TYPE', 'an entry is {drUuid | drKey, json}');
    return undefined;
  }
  for (const name of Object.keys(value)) {
    if (!members.includes(name)) {
      faults.add(pointerTo(pointer, name), 'UNKNOWN_MEMBER', `"${name}" is unknown; allowed: ${members.join(', ')}`);
    }
  }
  const { drUuid, drKey, json } = value;
  checkMembers(json, `${pointer}/json`, '', added, faults);
  if (drUuid === undefined && isJsonObject(drKey)) return { pointer, drUuid: undefined, drKey, json };
  if (drKey === undefined && typeof drUuid === 'string' && isUuid(drUuid)) {
    return { pointer, drUuid: drUuid.toLowerCase(), drKey: undefined, json };
  }
  const detail = 'a record is named by either drUuid (a UUID) or drKey (an object)';
  faults.add(pointer, drUuid !== undefined && drKey !== undefined ? 'CONTRADICTION' : 'REQUIRED', detail);
  return undefined;
};

/**
 * Reads the `values` of a version's patch, native or JSON-encoded.
 *
 * @param newProperties dotted paths of the properties that the patch adds
 */
export const readRecordValues = (
  given: JsonValue | undefined,
  newProperties: readonly string[],
  faults: FaultList,
): readonly RecordValues[] => {
  const list = decodeJson(given ?? null);
  if (list === null) return [];
  if (!Array.isArray(list)) {
    faults.add('/values', 'INVALID_TYPE', 'values must be a list');
    return [];
  }
  const added = new NewProperties(newProperties);
  return (list as readonly JsonValue[]).flatMap(
    (value, index) => readOne(value, `/values/${index}`, added, faults) ?? [],
  );
};

/** Merges values of new properties into a record. Names match ignoring case. */
export const layValues = (record: JsonObject, values: JsonObject): JsonObject => {
  const laid = new Map(Object.entries(record) as [string, JsonValue][]);
  const spellings = new Map([...laid.keys()].map((name) => [name.toLowerCase(), name]));
  for (const [name, value] of Object.entries(values) as [string, JsonValue][]) {
    const known = spellings.get(name.toLowerCase()) ?? name;
    const before = laid.get(known);
    laid.set(known, isJsonObject(before) && isJsonObject(value) ? layValues(before, value) : value);
  }
  return Object.fromEntries(laid);
};
