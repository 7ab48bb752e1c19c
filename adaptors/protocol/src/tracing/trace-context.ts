/** The part of a trace that one process hands on to the next (W3C trace context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Longest text that is read. A later version of the standard may add members at the end. */
const maxLength = 256;

/** Version ff is not valid, version 00 has four members, and a later version may have more. */
const form =
  /^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})|(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?)$/;

const zeros = /^0+$/;

/** Reads a `traceparent` of anyone. Undefined: it is malformed, so it is ignored. */
export const readTraceparent = (given: unknown): TraceContext | undefined => {
  if (typeof given !== 'string' || given.length > maxLength) return undefined;
  const found = form.exec(given);
  if (found === null) return undefined;
  const [traceId = '', spanId = '', flags = ''] = found.slice(1).filter((member) => member !== undefined);
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
};

export const writeTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
