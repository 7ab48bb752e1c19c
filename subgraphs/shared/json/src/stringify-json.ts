import { stringify } from 'lossless-json';

/**
 * Writes JSON, bigints as plain integers. Undefined members are left out.
 *
 * @param space spaces of an indent; without it, the text is one line
 */
export const stringifyJson = (value: unknown, space?: number): string => {
  try {
    return JSON.stringify(value, undefined, space);
  } catch (error) {
    // JSON.stringify refuses bigints; only then is the slower writer needed
    if (error instanceof TypeError) return stringify(value, undefined, space) as string;
    throw error;
  }
};
