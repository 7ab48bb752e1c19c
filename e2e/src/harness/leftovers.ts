/** What a journey has started, ended in reverse order whatever happens. */
export interface Leftovers {
  add(end: () => Promise<void> | void): void;
  /** Ends everything, also after an end that fails. @throws that failure, or all of them in one */
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
