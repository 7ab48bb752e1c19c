import { AppError } from '@fds/errors';

const isTimeZone = (name: string): boolean => {
  // offsets such as +01:00 are not names, and databases interpret their sign differently
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** The name if it is an IANA time zone. */
export const knownTimeZone = (name: string | null | undefined): string | undefined =>
  typeof name === 'string' && isTimeZone(name) ? name : undefined;

/** The time zone of the argument; undefined when it has none. @throws AppError INVALID_PARAMETER */
export const requireTimeZone = (name: string | null | undefined): string | undefined => {
  if (name === null || name === undefined) return undefined;
  if (isTimeZone(name)) return name;
  throw new AppError('INVALID_PARAMETER', 'the zone must be the IANA name of a time zone, Europe/Oslo for example', {
    errors: [{ pointer: 'options', code: 'UNKNOWN_VALUE', detail: 'zone is the name of no time zone' }],
  });
};
