/**
 * Rows that incoming events have written and that the state does not know yet. A scan that reads such a row waits for the state,
 * or it would report the row back.
 */
export interface WrittenRows {
  /** To be called before the row is visible to others. @returns to be called when the state knows the row, or never will */
  begin(): () => void;
  /** Resolves when the state knows every row that is visible now. */
  known(): Promise<void>;
  /**
   * Notes this moment. The function that it returns says whether every row of the table is still as it was then: no row was being
   * written, and none has been since.
   */
  watch(): () => boolean;
}

export const createWrittenRows = (): WrittenRows => {
  const waiting = new Set<Promise<void>>();
  let begun = 0;
  return {
    begin: () => {
      let end = (): void => undefined;
      const known = new Promise<void>((resolve) => {
        end = resolve;
      });
      waiting.add(known);
      begun += 1;
      return () => {
        waiting.delete(known);
        end();
      };
    },
    known: async () => {
      await Promise.all(waiting);
    },
    watch: () => {
      const before = waiting.size === 0 ? begun : undefined;
      return () => begun === before;
    },
  };
};
