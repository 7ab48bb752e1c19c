import type { Figure } from './figure.js';

/** The result of a figure. */
export interface FigureResult {
  readonly what: string;
  /** Measured results, including those from before a failure. */
  readonly lines: readonly string[];
  readonly failure?: string;
}

const runFigure = async (
  { what, deadlineMs, run }: Figure,
  interruption: AbortSignal,
  progress: (line: string) => void,
): Promise<FigureResult> => {
  const lines: string[] = [];
  const late = AbortSignal.timeout(deadlineMs);
  progress(what);
  try {
    await run(AbortSignal.any([interruption, late]), (line) => {
      lines.push(line);
      progress(`  ${line}`);
    });
    return { what, lines };
  } catch (error) {
    const failure = late.aborted
      ? `not over after ${deadlineMs / 1000} s`
      : error instanceof Error
        ? error.message
        : String(error);
    progress(`  FAILED: ${failure}`);
    return { what, lines, failure };
  }
};

/**
 * Measures figures one after the other. A figure that fails does not stop the others.
 *
 * @param progress receives each line as soon as it is known
 */
export const runFigures = async (
  figures: readonly Figure[],
  interruption: AbortSignal,
  progress: (line: string) => void,
): Promise<FigureResult[]> => {
  const results: FigureResult[] = [];
  for (const figure of figures) {
    if (interruption.aborted) break;
    results.push(await runFigure(figure, interruption, progress));
  }
  return results;
};
