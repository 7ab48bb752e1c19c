/** Counts requests by key, in whole seconds of the clock. Its memory is cleared every second, so it stays small. */
export interface RateLimiter {
  readonly perSecond: number;
  /**
   * Counts requests, one by default. @returns how many further requests the key may make in this second; negative when these exceed the
   * limit
   */
  take(key: string, requests?: number): number;
}

/**
 * @param perSecond requests of a key in a second, at least 1. When the second changes, twice as many requests may pass
 * at once
 */
export const createRateLimiter = (perSecond: number, now: () => Date): RateLimiter => {
  const counts = new Map<string, number>();
  let second = Number.NEGATIVE_INFINITY;
  return {
    perSecond,
    take: (key, requests = 1) => {
      const current = Math.floor(now().getTime() / 1000);
      if (current !== second) {
        counts.clear();
        second = current;
      }
      const count = (counts.get(key) ?? 0) + requests;
      counts.set(key, count);
      return perSecond - count;
    },
  };
};
