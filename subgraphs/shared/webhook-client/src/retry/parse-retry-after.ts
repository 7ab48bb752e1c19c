/** The longest wait that a receiver may ask for: one day. */
const maxWaitMs = 86_400_000;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds: a number of seconds or a date (RFC 9110).
 *
 * @returns undefined when the header says nothing that can be read; at most one day
 */
export const parseRetryAfter = (value: string | undefined, now: Date): number | undefined => {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxWaitMs);
  // dates of HTTP begin with the day's name; Date.parse alone would read almost anything
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const time = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.min(Math.max(time - now.getTime(), 0), maxWaitMs);
};
