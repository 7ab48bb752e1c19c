/** The outcome of a batch. */
export interface Worked<Result> {
  /** A result for each item, in order. */
  readonly results: readonly PromiseSettledResult<Result>[];
  /** The reason why no item of the table can be worked on now: those that wait in the lane get it without an attempt. */
  readonly stopped?: Error | undefined;
}

/** How the items of a table are worked on together. */
export interface LaneOptions<Item, Result> {
  readonly bytesOf: (item: Item) => number;
  /** Works on several items. Must not reject. */
  readonly work: (items: readonly Item[]) => Promise<Worked<Result>>;
}

/** The items of one table. */
interface Lane<Item, Result> {
  /** Resolves or rejects with the item's own result. */
  add(item: Item): Promise<Result>;
}

/**
 * Forms batches of items that arrive at the same time. A batch never waits for more items: it has those that came while the
 * ones before it were worked on. So a single item begins at once.
 */
export interface Lanes {
  lane<Item, Result>(options: LaneOptions<Item, Result>): Lane<Item, Result>;
}

export interface LanesOptions {
  /** Most batches at the same time. */
  readonly places: number;
  readonly nowMs: () => number;
}

/** Limits of a batch. */
export const batchLimits = {
  items: 100,
  bytes: 2 ** 20,
  /** The next batch of a table is smaller after one that took longer, because a batch holds locks until its end. */
  targetMs: 100,
} as const;

/** After this time, a batch no longer occupies a place: the batches of other tables begin. */
const slowMs = 250;

/** The number of items for the next batch. @param size of a batch that took this time */
export const nextLimit = (limit: number, size: number, tookMs: number): number => {
  const { items, targetMs } = batchLimits;
  if (tookMs > targetMs) return Math.max(1, Math.min(limit, Math.floor((size * targetMs) / tookMs)));
  return tookMs * 2 < targetMs && size >= limit ? Math.min(items, limit * 2) : limit;
};

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly number: number;
  readonly bytes: number;
  readonly settle: (result: PromiseSettledResult<Result>) => void;
}

/** A lane as the places see it. */
interface Line {
  /** Number of the first item that waits; undefined: the lane is empty. */
  first(): number | undefined;
  /** Batches that run. */
  running: number;
  begin(onDone: () => void): void;
}

export const createLanes = ({ places, nowMs }: LanesOptions): Lanes => {
  const lines: Line[] = [];
  let taken = 0;
  let count = 0;

  /** The lane that begins next: that of the item that has waited longest. */
  const nextLine = (): Line | undefined => {
    if (taken >= places) return undefined;
    let line: Line | undefined;
    for (const one of lines) {
      const first = one.first();
      // a slow batch has given up its place for the other tables only
      if (first === undefined || one.running >= places) continue;
      if (line === undefined || first < (line.first() ?? Infinity)) line = one;
    }
    return line;
  };
  const next = (): void => {
    for (let line = nextLine(); line !== undefined; line = nextLine()) begin(line);
  };
  const begin = (line: Line): void => {
    taken += 1;
    line.running += 1;
    let hasPlace = true;
    const leave = (): void => {
      if (hasPlace) taken -= 1;
      hasPlace = false;
    };
    const slow = setTimeout(() => {
      leave();
      next();
    }, slowMs);
    line.begin(() => {
      clearTimeout(slow);
      leave();
      line.running -= 1;
      next();
    });
  };

  return {
    lane: <Item, Result>({ bytesOf, work }: LaneOptions<Item, Result>): Lane<Item, Result> => {
      const queue: Waiting<Item, Result>[] = [];
      let limit: number = batchLimits.items;
      const takeBatch = (): readonly Waiting<Item, Result>[] => {
        let [size, bytes] = [0, 0];
        for (const one of queue) {
          if (size > 0 && (size >= limit || bytes + one.bytes > batchLimits.bytes)) break;
          size += 1;
          bytes += one.bytes;
        }
        return queue.splice(0, size);
      };
      const line: Line = {
        running: 0,
        first: () => queue[0]?.number,
        begin: (onDone) => {
          const batch = takeBatch();
          const startedAtMs = nowMs();
          void work(batch.map(({ item }) => item)).then(({ results, stopped }) => {
            // a refusal costs further attempts, and a locked row seconds: the time says nothing about the next batch
            const isWhole = results.every(({ status }) => status === 'fulfilled');
            if (isWhole) limit = nextLimit(limit, batch.length, nowMs() - startedAtMs);
            const refused = stopped === undefined ? [] : queue.splice(0);
            // before the results, so that the next batch runs while they are stored
            onDone();
            for (const [index, { settle }] of batch.entries()) {
              const result = results[index];
              settle(result ?? { status: 'rejected', reason: new Error('an item has no result') });
            }
            for (const { settle } of refused) settle({ status: 'rejected', reason: stopped });
          });
        },
      };
      lines.push(line);
      return {
        add: (item) =>
          new Promise((resolve, reject) => {
            count += 1;
            queue.push({
              item,
              number: count,
              bytes: bytesOf(item),
              settle: (result) => (result.status === 'fulfilled' ? resolve(result.value) : reject(result.reason)),
            });
            next();
          }),
      };
    },
  };
};
