import { isJsonObject, type JsonValue } from './json-value.js';
import { stringifyJson } from './stringify-json.js';

/** JSON with members in code-unit order and no white space: equal values give equal texts. */
export const canonicalJson = (value: JsonValue): string => {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item as JsonValue)).join(',')}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .filter((name) => value[name] !== undefined)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] as JsonValue)}`);
    return `{${members.join(',')}}`;
  }
  return stringifyJson(value);
};
