/** Items that several producers add, for one reader. */
export interface Queue<T> {
  add(item: T): void;
  /** Ends the reading after the items that were added before. */
  fail(reason: unknown): void;
  /** Returns the oldest item, and waits for one if necessary. @throws the reason of `fail` */
  next(): Promise<T>;
}

export const createQueue = <T>(): Queue<T> => {
  const items: T[] = [];
  let failure: { readonly reason: unknown } | undefined;
  let wake: () => void = () => undefined;
  return {
    add: (item) => {
      items.push(item);
      wake();
    },
    fail: (reason) => {
      failure ??= { reason };
      wake();
    },
    next: async () => {
      for (;;) {
        const item = items.shift();
        if (item !== undefined) return item;
        if (failure !== undefined) throw failure.reason;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
};
