/** A measured value over several rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @throws RangeError without values */
export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((one, other) => one - other);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (min === undefined || max === undefined || lower === undefined || upper === undefined)
    throw new RangeError('a spread needs values');
  return { median: (lower + upper) / 2, min, max };
};
