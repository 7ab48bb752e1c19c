import { stringify } from 'lossless-json';

/** Writes JSON, with bigints as plain integers. Undefined members are omitted. */
export const stringifyJson = (value: object): string => {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify refuses bigints; only then is the slower writer needed
    if (error instanceof TypeError) return stringify(value) as string;
    throw error;
  }
};
