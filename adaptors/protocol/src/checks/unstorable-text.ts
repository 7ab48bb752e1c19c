import { isJsonObject, type JsonValue } from '../json/json-value.js';
import { escapePointer } from './check.js';
import type { Fault } from './fault.js';

// U+0000, and one half of a surrogate pair without the other
const unstorable = /[\0\p{Surrogate}]/u;

const describe = (text: string): string =>
  text.includes('\0') ? 'holds the character U+0000' : 'holds one half of a surrogate pair';

/**
 * Text in a JSON value that no database stores: values and names of members, at every depth. JSON itself allows both.
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
