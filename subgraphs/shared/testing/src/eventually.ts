/** How long a condition may take. */
export interface Patience {
  /** Default 25 000: less than the default of a test, so that the test reports this failure. */
  readonly deadlineMs?: number;
  /** Between two looks. Default 50. */
  readonly intervalMs?: number;
}

/**
 * Looks again and again until the check passes, and gives its result.
 *
 * @throws the last failure of the check when the deadline passes
 */
export const eventually = async <T>(check: () => Promise<T> | T, patience: Patience = {}): Promise<T> => {
  const { deadlineMs = 25_000, intervalMs = 50 } = patience;
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    try {
      return await check();
    } catch (failure) {
      if (Date.now() > deadline) throw failure;
      await new Promise((resolve) => {
        setTimeout(resolve, intervalMs);
      });
    }
  }
};
