import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { decodeJson } from './decode-json.js';
import type { FaultList } from './fault-list.js';

/** Data for the new properties of one record, as a version's patch brings it. */
export interface RecordValues {
  /** Place in the input. */
  readonly pointer: string;
  readonly drUuid: string | undefined;
  readonly drKey: JsonObject | undefined;
  readonly json: JsonObject;
}

const uuidText = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const readOne = (
  value: JsonValue,
  pointer: string,
  newProperties: ReadonlySet<string>,
  faults: FaultList,
): RecordValues | undefined => {
  if (!isJsonObject(value) || !isJsonObject(value['json'])) {
    faults.add(pointer, 'INVALID_TYPE', 'an entry is {drUuid | drKey, json}');
    return undefined;
  }
  const { drUuid, drKey, json } = value;
  for (const name of Object.keys(json)) {
    if (!newProperties.has(name.toLowerCase())) {
      faults.add(`${pointer}/json/${name}`, 'NOT_NEW', `${name} is no property that this patch adds`);
    }
  }
  if (typeof drUuid === 'string' && uuidText.test(drUuid)) {
    return { pointer, drUuid: drUuid.toLowerCase(), drKey: undefined, json };
  }
  if (drUuid === undefined && isJsonObject(drKey)) return { pointer, drUuid: undefined, drKey, json };
  faults.add(pointer, 'REQUIRED', 'a record is named by drUuid (a UUID) or drKey (an object)');
  return undefined;
};

/**
 * Reads the `values` of a version's patch, native or JSON-encoded.
 *
 * @param newProperties names of the top-level properties that the patch adds
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
  const names = new Set(newProperties.map((name) => name.toLowerCase()));
  return (list as readonly JsonValue[]).flatMap(
    (value, index) => readOne(value, `/values/${index}`, names, faults) ?? [],
  );
};
