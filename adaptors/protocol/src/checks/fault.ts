/** A fault of a message, and its place. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the message; empty for the message itself. */
  readonly pointer: string;
  readonly code: FaultCode;
  /** One sentence for a human reader. */
  readonly detail: string;
}

export type FaultCode =
  | 'NOT_JSON'
  | 'TOO_LARGE'
  | 'TOO_DEEP'
  | 'REQUIRED'
  | 'WRONG_TYPE'
  | 'WRONG_FORMAT'
  | 'UNKNOWN_VALUE'
  | 'INVALID_CHARACTER';

/** A value, or all faults that were found. */
export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly Fault[] };

export const valid = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const invalid = (...faults: readonly Fault[]): Parsed<never> => ({ ok: false, faults });

/** Most faults in one line. */
const maxDescribed = 20;

/** Joins faults into one line, for a log or a report to the other end. Counts those that would make the line too long. */
export const describeFaults = (faults: readonly Fault[]): string => {
  const described = faults
    .slice(0, maxDescribed)
    .map((fault) => `${fault.pointer === '' ? 'message' : fault.pointer} ${fault.detail}`);
  const more = faults.length - described.length;
  return [...described, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
};
