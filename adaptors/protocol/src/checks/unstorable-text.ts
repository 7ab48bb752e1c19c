import { isJsonObject, type JsonValue } from '../json/json-value.js';
import { escapePointer } from './check.js';
import type { Fault } from './fault.js';

// U+0000, or a surrogate without its pair
const unstorable = /[\0\p{Surrogate}]/u;

const describe = (text: string): string =>
  text.includes('\0') ? 'contains the character U+0000' : 'contains a surrogate without its pair';

/** The place of a value: the place that it is in, and its name or index there. A pointer is written for faults only. */
type Place =
  { readonly name: undefined; readonly pointer: string } | { readonly name: string | number; readonly within: Place };

const pointerOf = (place: Place): string =>
  place.name === undefined ? place.pointer : `${pointerOf(place.within)}/${escapePointer(String(place.name))}`;

/** Most faults that are looked for. */
const maxFaults = 100;

const find = (value: JsonValue, place: Place, faults: Fault[]): void => {
  const add = (detail: string): void => {
    faults.push({ pointer: pointerOf(place), code: 'INVALID_CHARACTER', detail });
  };
  if (typeof value === 'string') {
    if (unstorable.test(value)) add(describe(value));
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length && faults.length < maxFaults; index += 1) {
      const item = value[index] as JsonValue;
      if (typeof item === 'string' || (typeof item === 'object' && item !== null))
        find(item, { name: index, within: place }, faults);
    }
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      if (faults.length >= maxFaults) return;
      if (unstorable.test(name)) add(`has a member whose name ${describe(name)}`);
      const member = value[name];
      if (typeof member === 'string' || (typeof member === 'object' && member !== null))
        find(member, { name, within: place }, faults);
    }
  }
};

/**
 * Finds text in a JSON value that no database can store. It checks values and member names at every depth. JSON itself
 * allows such text.
 *
 * @param pointer of the value
 */
export const findUnstorableText = (value: JsonValue, pointer: string): readonly Fault[] => {
  const faults: Fault[] = [];
  find(value, { name: undefined, pointer }, faults);
  return faults;
};
