/** Random choices; the same for the same seed. */
export interface Random {
  /** From 0, less than 1. */
  next(): number;
  /** An integer from 0, less than the limit. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** @throws Error when there are no values */
  pick<T>(values: readonly T[]): T;
  /** Each value with the probability, in their order. */
  some<T>(values: readonly T[], probability: number): T[];
  shuffled<T>(values: readonly T[]): T[];
  uuid(): string;
}

/**
 * A generator by mulberry32, so that a failing test can be repeated.
 *
 * @param seed any integer
 */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const digits = (count: number): string => Array.from({ length: count }, () => below(16).toString(16)).join('');
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (values) => {
      if (values.length === 0) throw new Error('nothing to pick from');
      return values[below(values.length)] as (typeof values)[number];
    },
    some: (values, probability) => values.filter(() => next() < probability),
    shuffled: (values) =>
      values
        .map((value) => ({ value, place: next() }))
        .sort((one, other) => one.place - other.place)
        .map(({ value }) => value),
    uuid: () => `${digits(8)}-${digits(4)}-7${digits(3)}-8${digits(3)}-${digits(12)}`,
  };
};
