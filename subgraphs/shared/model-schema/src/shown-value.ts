import { stringifyJson, type JsonValue } from '@fds/json';

const maxLength = 100;

/** A value of a model schema as JSON for the detail of a fault, cut to 100 characters. */
export const shownValue = (value: JsonValue | undefined): string => {
  // a character has one or two code units
  const characters = Array.from(stringifyJson(value ?? null).slice(0, 2 * maxLength + 2));
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength).join('')}...`;
};
