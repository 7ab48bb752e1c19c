/** Limits the rate of log entries; both ends of the bus use it. */
export interface LogRate {
  /**
   * May another entry pass now?
   *
   * @returns the number of suppressed entries since the last passed entry; undefined when this entry is suppressed
   */
  pass(nowMs: number): { readonly keptBack: number } | undefined;
}

const burst = 50;
const perSecond = 5;

/** Passes 5 entries a second on average, 50 at once. */
export const createLogRate = (): LogRate => {
  let tokens = burst;
  let filledAtMs: number | undefined;
  let keptBack = 0;
  return {
    pass: (nowMs) => {
      const elapsedMs = Math.max(0, nowMs - (filledAtMs ?? nowMs));
      tokens = Math.min(burst, tokens + (elapsedMs / 1_000) * perSecond);
      filledAtMs = nowMs;
      if (tokens < 1) {
        keptBack += 1;
        return undefined;
      }
      tokens -= 1;
      const passed = { keptBack };
      keptBack = 0;
      return passed;
    },
  };
};
