/**
 * Rows that incoming events have written and that the state does not contain yet. A scan that reads such a row waits
 * for the state; otherwise it would report the row back.
 */
export interface WrittenRows {
  /**
   * Must be called before the row is visible to other transactions. @returns a function to call when the state contains
   * the row, or never will
   */
  begin(): () => void;
  /** Resolves when the state contains every row that is visible now. */
  known(): Promise<void>;
  /**
   * Marks the current moment. The returned function checks whether no row of the table was being written at that moment
   * and none has been written since.
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
