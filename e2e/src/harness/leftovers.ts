/** What a journey has started, ended in reverse order whatever happens. */
export interface Leftovers {
  add(end: () => Promise<void> | void): void;
  dispose(): Promise<void>;
}

export const createLeftovers = (): Leftovers => {
  const ends: (() => Promise<void> | void)[] = [];
  return {
    add: (end) => {
      ends.push(end);
    },
    dispose: async () => {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    },
  };
};
