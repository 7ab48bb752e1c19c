import { isJsonObject, type JsonArray, type JsonValue } from './json-value.js';
import { stringifyJson } from './stringify-json.js';

/** JSON with members in code-unit order and no white space: equal values give equal texts. */
export const canonicalJson = (value: JsonValue): string => {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${(value as JsonArray).map(canonicalJson).join(',')}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .filter((name) => value[name] !== undefined)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] as JsonValue)}`);
    return `{${members.join(',')}}`;
  }
  return stringifyJson(value);
};
