/** Milliseconds to wait before another attempt: 100, doubled with each consecutive failure, at most 5 seconds. */
export const retryDelayMs = (failuresInARow: number): number => Math.min(5_000, 100 * 2 ** (failuresInARow - 1));
