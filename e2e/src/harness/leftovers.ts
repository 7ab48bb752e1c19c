/** The resources that a test has opened. They are closed in reverse order, whether or not the test succeeds. */
export interface Leftovers {
  add(end: () => Promise<void> | void): void;
  /** Closes everything, even after a failure. @throws that failure, or an error with all failures */
  dispose(): Promise<void>;
}

export const createLeftovers = (): Leftovers => {
  const ends: (() => Promise<void> | void)[] = [];
  return {
    add: (end) => {
      ends.push(end);
    },
    dispose: async () => {
      const failures: unknown[] = [];
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        try {
          await end();
        } catch (failure) {
          failures.push(failure);
        }
      }
      if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('\n'));
      if (failures.length === 1) throw failures[0];
    },
  };
};
