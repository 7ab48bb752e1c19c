/**
 * Takes every step in turn, also after one that failed: what cannot be ended keeps nothing else open.
 *
 * @throws what a step threw; an AggregateError where several did
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
