import { stringifyJson, type JsonValue } from '@fds/json';

const maxLength = 100;

/** A value of a model schema as JSON for the detail of a fault, cut to 100 characters. */
export const shownValue = (value: JsonValue | undefined): string => {
  const characters = Array.from(stringifyJson(value ?? null));
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength).join('')}...`;
};
