/** Milliseconds of the machine's monotonic clock: all processes read the same. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
