import type { Spread } from './spread.js';

/** A figure of a row with the limits it is held against. */
export interface FigureGoal {
  /** Told apart from the row's other figures by it; empty where there is one only. */
  readonly name: string;
  /** A ratio to what it is compared with, or milliseconds. */
  readonly unit: 'ratio' | 'ms';
  readonly better: 'higher' | 'lower';
  readonly goal: number;
  /** The goal after the goal. */
  readonly stretch: number;
}

/** What a row measured. */
export interface Measurement {
  /** By name of figure, every one of the row. */
  readonly values: Readonly<Record<string, Spread>>;
  /** What a reader needs beside them: both sides in absolute figures, sizes, what was checked. */
  readonly notes: readonly string[];
}

interface RowHead {
  /** Number in the table of goals. */
  readonly id: number;
  readonly what: string;
  readonly comparedWith: string;
}

/** A promise of the product that can be measured. */
export interface Row extends RowHead {
  /** None: measured for information, what it measured is in the notes. */
  readonly figures: readonly FigureGoal[];
  /**
   * Starts what it needs and ends it.
   *
   * @param signal gives it up
   * @throws Error when an answer was wrong, something did not start, or it was given up
   */
  run(signal: AbortSignal): Promise<Measurement>;
}

/** A promise that is not measured yet, or of something that the product does not have yet; its goals are text. */
export interface PlannedRow extends RowHead {
  readonly state: 'NOT_BUILT' | 'NOT_MEASURED';
  readonly goal: string;
  readonly stretch: string;
}

/** What came of a row. */
export type RowResult =
  | { readonly kind: 'MEASURED'; readonly row: Row; readonly measurement: Measurement }
  | { readonly kind: 'FAILED'; readonly row: Row; readonly failure: string }
  | { readonly kind: 'PLANNED'; readonly row: PlannedRow };
