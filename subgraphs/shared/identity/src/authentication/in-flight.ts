export interface InFlightOptions {
  readonly maxAll: number;
  readonly maxOfAddress: number;
  /** Attempts for one account from one address. */
  readonly maxOfPair: number;
}

/** Counts attempts that are not answered yet: each one holds a connection and memory. */
export interface InFlight {
  /** @returns a function that ends the attempt, to be called once; undefined when a bound is reached */
  enter(account: string, address: string): (() => void) | undefined;
}

export const createInFlight = ({ maxAll, maxOfAddress, maxOfPair }: InFlightOptions): InFlight => {
  const counts = new Map<string, number>();
  let all = 0;
  const add = (key: string, by: 1 | -1): void => {
    const count = (counts.get(key) ?? 0) + by;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  return {
    enter: (account, address) => {
      const pair = `${address} ${account}`;
      const isFull = (key: string, max: number): boolean => (counts.get(key) ?? 0) >= max;
      if (all >= maxAll || isFull(address, maxOfAddress) || isFull(pair, maxOfPair)) return undefined;
      all += 1;
      for (const key of [address, pair]) add(key, 1);
      return () => {
        all -= 1;
        for (const key of [address, pair]) add(key, -1);
      };
    },
  };
};
