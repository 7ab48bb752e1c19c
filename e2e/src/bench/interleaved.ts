import { spreadOf, type Spread } from '../measure/spread.js';

/** One measurement of each side of a comparison, one right after the other. */
export interface Round<T> {
  readonly subject: T;
  readonly floor: T;
}

export interface Contest<T> {
  readonly rounds: number;
  /** Number of warm-up rounds, whose values are dropped. Default 1. */
  readonly warmUps?: number;
  /** After this time no further round begins. At least one round is measured. Default: no limit. */
  readonly budgetMs?: number;
  /** Default: the process' monotonic clock. */
  readonly nowMs?: () => number;
  /** One measurement of the product. */
  readonly subject: () => Promise<T>;
  /** One measurement of the comparator. */
  readonly floor: () => Promise<T>;
}

/**
 * Measures both sides in turn, never at the same time, so that other work on the machine affects both.
 *
 * @returns at least one round, but fewer than requested if the time budget was used up
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

/** Converts a trial that returns its amount of work into one that returns the work per second. */
export const perSecond =
  (trial: () => Promise<number>, nowMs: () => number): (() => Promise<number>) =>
  async () => {
    const startedMs = nowMs();
    const work = await trial();
    return (work * 1000) / (nowMs() - startedMs);
  };

export interface Comparison {
  /** Number of measured rounds. */
  readonly rounds: number;
  readonly subject: Spread;
  readonly floor: Spread;
  /** Subject divided by floor, for each round. */
  readonly ratio: Spread;
}

export const compare = (rounds: readonly Round<number>[]): Comparison => ({
  rounds: rounds.length,
  subject: spreadOf(rounds.map(({ subject }) => subject)),
  floor: spreadOf(rounds.map(({ floor }) => floor)),
  ratio: spreadOf(rounds.map(({ subject, floor }) => subject / floor)),
});
