/** An object or a list costs about this much in addition to its text, measured as the mean of V8's heap over nested values. */
const bytesOfValue = 64;

const valuesIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) count += valuesIn(member);
  return count;
};

/**
 * Estimates the memory that parsed JSON takes: a list of empty lists takes many times its text.
 *
 * @param textBytes of the text that it was parsed from
 */
export const retainedBytes = (parsed: unknown, textBytes: number): number =>
  textBytes + bytesOfValue * valuesIn(parsed);
