const shortestWaitMs = 200;
const longestWaitMs = 10_000;

/** A connection that lasts less than this counts as a failure, because the next one may end for the same reason. */
const steadyAfterMs = 5_000;

/**
 * Time to wait before the next attempt: 0.2 seconds, doubled with each failure, up to 10 seconds. Half of the time is
 * random, so that many clients do not reconnect at the same time.
 *
 * @param failures consecutive attempts without a lasting connection
 */
export const waitBeforeAttempt = (failures: number): number => {
  const wait = Math.min(longestWaitMs, shortestWaitMs * 2 ** Math.min(failures, 10));
  return wait / 2 + (Math.random() * wait) / 2;
};

/**
 * Number of consecutive failures after a connection or an attempt has ended.
 *
 * @param heldMs how long the connection was up; 0 for an attempt that failed
 */
export const failuresBefore = (failures: number, heldMs: number): number => (heldMs >= steadyAfterMs ? 0 : failures);
