/** Waits before the second and later attempts, in milliseconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. */
export const defaultRetrySchedule: readonly number[] = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000,
];

export interface FailedAttempts {
  /** Attempts made so far, at least 1. */
  readonly attempts: number;
  readonly schedule: readonly number[];
  /** The wait that the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** The wait before the next attempt: that of the schedule, or of the receiver when it is longer. Undefined: no attempt is left. */
export const retryDelay = ({ attempts, schedule, retryAfterMs = 0 }: FailedAttempts): number | undefined => {
  const planned = schedule[attempts - 1];
  return planned === undefined ? undefined : Math.max(planned, retryAfterMs);
};
