import { spreadOf, type Spread } from './spread.js';

/** Both sides of a comparison, measured right after one another. */
export interface Round<T> {
  readonly subject: T;
  readonly floor: T;
}

export interface Contest<T> {
  readonly rounds: number;
  /** Rounds before, whose values are dropped. Default 1. */
  readonly warmUps?: number;
  /** After so long no further round begins; one is always measured. Default: no end. */
  readonly budgetMs?: number;
  /** Default: the process' monotonic clock. */
  readonly nowMs?: () => number;
  /** One measurement of the product. */
  readonly subject: () => Promise<T>;
  /** One measurement of what it is compared with. */
  readonly floor: () => Promise<T>;
}

/**
 * Measures both sides in turn, never both at once, so that what disturbs the machine disturbs both.
 *
 * @returns at least one round; fewer than wanted where the budget was used up
 */
export const interleaved = async <T>({
  rounds,
  warmUps = 1,
  budgetMs = Infinity,
  nowMs = () => performance.now(),
  subject,
  floor,
}: Contest<T>): Promise<Round<T>[]> => {
  const measured: Round<T>[] = [];
  const endMs = nowMs() + budgetMs;
  for (let round = 0; round < warmUps + rounds; round += 1) {
    const both = { subject: await subject(), floor: await floor() };
    if (round < warmUps) continue;
    measured.push(both);
    if (nowMs() >= endMs) break;
  }
  return measured;
};

/** Turns a trial that tells how much work it did into one that tells how much a second. */
export const perSecond =
  (trial: () => Promise<number>, nowMs: () => number): (() => Promise<number>) =>
  async () => {
    const startedMs = nowMs();
    const work = await trial();
    return (work * 1000) / (nowMs() - startedMs);
  };

export interface Comparison {
  /** That were measured. */
  readonly rounds: number;
  readonly subject: Spread;
  readonly floor: Spread;
  /** Subject by floor, of each round. */
  readonly ratio: Spread;
}

export const compare = (rounds: readonly Round<number>[]): Comparison => ({
  rounds: rounds.length,
  subject: spreadOf(rounds.map(({ subject }) => subject)),
  floor: spreadOf(rounds.map(({ floor }) => floor)),
  ratio: spreadOf(rounds.map(({ subject, floor }) => subject / floor)),
});
