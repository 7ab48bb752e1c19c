import { isJsonObject, type JsonValue } from '../json/json-value.js';
import { escapePointer } from './check.js';
import type { Fault } from './fault.js';

// U+0000, or a surrogate without its pair
const unstorable = /[\0\p{Surrogate}]/u;

const describe = (text: string): string =>
  text.includes('\0') ? 'contains the character U+0000' : 'contains a surrogate without its pair';

/**
 * Finds text in a JSON value that no database can store. It checks values and member names at every depth. JSON itself
 * allows such text.
 *
 * @param pointer of the value
 */
export const findUnstorableText = (value: JsonValue, pointer: string): readonly Fault[] => {
  if (typeof value === 'string') {
    return unstorable.test(value) ? [{ pointer, code: 'INVALID_CHARACTER', detail: describe(value) }] : [];
  }
  if (Array.isArray(value))
    return value.flatMap((item: JsonValue, index) => findUnstorableText(item, `${pointer}/${index}`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const ofName: readonly Fault[] = unstorable.test(name)
      ? [{ pointer, code: 'INVALID_CHARACTER', detail: `has a member whose name ${describe(name)}` }]
      : [];
    return member === undefined
      ? ofName
      : [...ofName, ...findUnstorableText(member, `${pointer}/${escapePointer(name)}`)];
  });
};
