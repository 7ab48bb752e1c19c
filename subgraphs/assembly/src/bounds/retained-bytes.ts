/** Bytes that an object or a list takes in addition to its text: the measured mean of V8's heap over nested values. */
const bytesOfValue = 64;

const valuesIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) count += valuesIn(member);
  return count;
};

/**
 * Estimates the memory of parsed JSON. A list of empty lists takes many times the size of its text.
 *
 * @param textBytes length of the text that it was parsed from
 */
export const retainedBytes = (parsed: unknown, textBytes: number): number =>
  textBytes + bytesOfValue * valuesIn(parsed);
