/**
 * Rows that incoming events have written and that the state does not contain yet. A scan that reads such a row waits
 * for the state; otherwise it would report the row back.
 */
export interface WrittenRows {
  /**
   * Must be called before the rows are visible to other transactions. @returns a function to call when the state contains
   * the rows, or never will
   */
  begin(keyTexts: readonly string[]): () => void;
  /** Resolves when the state contains every row that is visible now. */
  known(): Promise<void>;
  /** Marks the current moment, before rows are read. */
  mark(): number;
  /**
   * Those of the rows that may have been written since the mark, so that they may have been read with an earlier content
   * than the state has. All of them if the mark is too old.
   */
  since(mark: number, keyTexts: readonly string[]): readonly string[];
  /** Runs the work when no other work on one of these rows' state runs. Work must not nest. */
  locked<Result>(keyTexts: readonly string[], work: () => Promise<Result>): Promise<Result>;
}

/** Number of written rows that are remembered for `since`. */
const maxRemembered = 10_000;

export const createWrittenRows = (): WrittenRows => {
  /** Rows that are being written, by the number of their event. */
  const waiting = new Map<number, Promise<void>>();
  let begun = 0;
  /** The last event of each row, oldest first. */
  const lastEvents = new Map<string, number>();
  let forgottenUpto = 0;
  /** The last work on the state of each row. */
  const holders = new Map<string, Promise<unknown>>();

  const remember = (keyText: string, event: number): void => {
    lastEvents.delete(keyText);
    lastEvents.set(keyText, event);
    if (lastEvents.size <= maxRemembered) return;
    const [oldest] = lastEvents;
    if (oldest === undefined) return;
    lastEvents.delete(oldest[0]);
    forgottenUpto = oldest[1];
  };

  return {
    begin: (keyTexts) => {
      begun += 1;
      const event = begun;
      let end = (): void => undefined;
      const known = new Promise<void>((resolve) => {
        end = resolve;
      });
      waiting.set(event, known);
      for (const keyText of keyTexts) remember(keyText, event);
      return () => {
        waiting.delete(event);
        end();
      };
    },
    known: async () => {
      await Promise.all(waiting.values());
    },
    // a row that is being written may become visible after the mark
    mark: () => Math.min(begun, ...[...waiting.keys()].map((event) => event - 1)),
    since: (mark, keyTexts) =>
      mark === begun ? [] : keyTexts.filter((keyText) => forgottenUpto > mark || (lastEvents.get(keyText) ?? 0) > mark),
    locked: async (keyTexts, work) => {
      const earlier = Promise.all(keyTexts.flatMap((keyText) => holders.get(keyText) ?? []));
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      for (const keyText of keyTexts) holders.set(keyText, held);
      try {
        await earlier;
        return await work();
      } finally {
        release();
        for (const keyText of keyTexts) if (holders.get(keyText) === held) holders.delete(keyText);
      }
    },
  };
};
