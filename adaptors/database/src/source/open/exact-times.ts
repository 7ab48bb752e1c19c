/** A time from SQL Server's driver: a Date, and the fraction below the millisecond, in seconds. */
interface PreciseDate extends Date {
  readonly nanosecondsDelta?: number;
}

const timeText = (time: PreciseDate): string => {
  const microseconds = Math.round((time.nanosecondsDelta ?? 0) * 1_000_000);
  return time.toISOString().replace(/Z$/, `${String(microseconds).padStart(3, '0')}Z`);
};

/** Rows with their times as texts with microseconds. */
export const withTimeTexts = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return answer.map(withTimeTexts);
  if (typeof answer !== 'object' || answer === null || Object.getPrototypeOf(answer) !== Object.prototype)
    return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([column, value]: [string, unknown]) => [
      column,
      value instanceof Date ? timeText(value) : value,
    ]),
  );
};
