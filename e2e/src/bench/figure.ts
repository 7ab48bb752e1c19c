/** A useful figure without a goal: it is measured and printed, but not judged. */
export interface Figure {
  readonly what: string;
  /** The measurement is aborted after this time. */
  readonly deadlineMs: number;
  /**
   * Starts everything that the measurement needs, and ends it afterwards.
   *
   * @param signal aborts the measurement
   * @param tell receives the results, one line of text at a time, as soon as they are known
   * @throws Error when an answer was wrong, something did not start, or the measurement was aborted
   */
  run(signal: AbortSignal, tell: (line: string) => void): Promise<void>;
}
