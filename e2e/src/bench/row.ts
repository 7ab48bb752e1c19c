import type { Spread } from '../measure/spread.js';

/** A figure of a row, with its limits. */
export interface FigureGoal {
  /** Distinguishes the row's figures; empty if there is only one. */
  readonly name: string;
  /** A ratio to the comparator, or milliseconds. */
  readonly unit: 'ratio' | 'ms';
  readonly better: 'higher' | 'lower';
  readonly goal: number;
  /** The stretch goal. */
  readonly stretch: number;
}

/** The measurement of a row. */
export interface Measurement {
  /** Values of all figures of the row, by name of figure. */
  readonly values: Readonly<Record<string, Spread>>;
  /** Further information for a reader: both sides in absolute figures, sizes, and the checks that were made. */
  readonly notes: readonly string[];
}

interface RowHead {
  /** Number in the table of goals. */
  readonly id: number;
  readonly what: string;
  readonly comparedWith: string;
}

/** A measurable promise of the product. */
export interface Row extends RowHead {
  /** Empty: the row is measured for information, and its notes contain the results. */
  readonly figures: readonly FigureGoal[];
  /**
   * Starts everything that the measurement needs, and ends it afterwards.
   *
   * @param signal aborts the measurement
   * @throws Error when an answer was wrong, something did not start, or the measurement was aborted
   */
  run(signal: AbortSignal): Promise<Measurement>;
}

/** A promise that is not measured yet, or a promise about a missing feature. Its goals are text. */
export interface PlannedRow extends RowHead {
  readonly state: 'NOT_BUILT' | 'NOT_MEASURED';
  readonly goal: string;
  readonly stretch: string;
}

/** The result of a row. */
export type RowResult =
  | { readonly kind: 'MEASURED'; readonly row: Row; readonly measurement: Measurement }
  | { readonly kind: 'FAILED'; readonly row: Row; readonly failure: string }
  | { readonly kind: 'PLANNED'; readonly row: PlannedRow };
