/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 to `below` - 1. */
  integer(below: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

/** @param seed any integer */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number): number => Math.floor(next() * below);
  return {
    integer,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[integer(choices.length)] as (typeof choices)[number],
  };
};
