/** Something worth knowing that has no goal: it is measured and printed, and nothing judges it. */
export interface Figure {
  readonly what: string;
  /** It is given up after so long. */
  readonly deadlineMs: number;
  /**
   * Starts what it needs and ends it.
   *
   * @param signal gives it up
   * @param tell takes what was measured, a line of text at a time, as soon as it is known
   * @throws Error when an answer was wrong, something did not start, or it was given up
   */
  run(signal: AbortSignal, tell: (line: string) => void): Promise<void>;
}
