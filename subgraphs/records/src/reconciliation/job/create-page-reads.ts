/** How the pages of a job are read. */
export interface PageReading<Loaded, Read> {
  /** The records after a place. Null: the first ones. */
  readonly load: (after: string | null) => Promise<Loaded>;
  /** The last place of a page. Undefined: no page follows it. */
  readonly lastOf: (loaded: Loaded) => string | undefined;
  /** Asks for the content of a page. Changes nothing. */
  readonly read: (loaded: Loaded) => Promise<Read>;
  /** Most pages that are read at the same time, in addition to the one that is worked on. 0: a page is read when it is asked for. */
  readonly ahead: () => number;
}

/** The pages of a job in their order. The next pages are read while one is worked on. */
export interface PageReads<Read> {
  /** The page after a place. Another place than the expected one drops the pages that were read ahead. */
  next(after: string | null): Promise<Read>;
  /** Drops the pages that were read ahead. They are read again. */
  drop(): void;
  /** Waits for the reads that have begun. */
  settle(): Promise<void>;
}

interface Begun<Read> {
  readonly after: string | null;
  readonly result: Promise<Read>;
  /** The last place of the page, when it is loaded and a page may follow. */
  last?: string | undefined;
}

/** A page is loaded when the one before it is, so several pages are asked for at the same time. */
export const createPageReads = <Loaded, Read>({
  load,
  lastOf,
  read,
  ahead,
}: PageReading<Loaded, Read>): PageReads<Read> => {
  let begun: Begun<Read>[] = [];
  const working = new Set<Promise<unknown>>();

  const begin = (after: string | null): Begun<Read> => {
    const loading = load(after);
    const one: Begun<Read> = { after, result: loading.then(read) };
    begun.push(one);
    // a page that is dropped fails in silence; the caller of `next` gets the failure of its page
    const ended = Promise.allSettled([one.result]);
    working.add(ended);
    void ended.then(() => working.delete(ended));
    loading.then(
      (loaded) => {
        one.last = lastOf(loaded);
        extend();
      },
      () => undefined,
    );
    return one;
  };
  const extend = (last = begun.at(-1)?.last): void => {
    if (last !== undefined && begun.length < ahead()) begin(last);
  };

  return {
    next: async (after) => {
      if (begun[0]?.after !== after) begun = [];
      const one = begun[0] ?? begin(after);
      try {
        const found = await one.result;
        begun = begun.slice(1);
        extend(begun.at(-1)?.last ?? (begun.length === 0 ? one.last : undefined));
        return found;
      } catch (error) {
        begun = [];
        throw error;
      }
    },
    drop: () => {
      begun = [];
    },
    settle: async () => {
      while (working.size > 0) await Promise.all(working);
    },
  };
};
