/**
 * Runs every step in turn, even after a step failed: a part that cannot be closed does not prevent the others from
 * being closed.
 *
 * @throws the error of a step; an AggregateError when several steps failed
 */
export const doAll = async (steps: readonly (() => void | Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} steps failed`);
  if (failures.length === 1) throw failures[0];
};
