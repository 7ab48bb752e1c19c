/** Milliseconds to wait before a repeat: 100, doubled with each failure in a row, at most 5 seconds. */
export const retryDelayMs = (failuresInARow: number): number => Math.min(5_000, 100 * 2 ** (failuresInARow - 1));
