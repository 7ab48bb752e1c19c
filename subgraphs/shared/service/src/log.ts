import { pino, type Logger } from 'pino';
import { standardOutput, type LineStream } from './standard-output.js';
import { withoutSecrets } from './without-secrets.js';

export type Log = Logger & {
  /** The level of the lines of successful requests. Default: `info`. */
  readonly successLevel?: 'debug';
};

/** The message of an error, and that of its cause. */
const describeError = (error: Error): unknown => {
  const described: unknown = pino.stdSerializers.err(error);
  return typeof described === 'object' && described !== null
    ? withoutSecrets(described as Record<string, unknown>)
    : described;
};

/**
 * One JSON line per request and per event on standard output, never payloads or secrets.
 *
 * @param level `debug`, `info`, `warn`, `error` or `silent`
 * @param bindings members of every line
 * @param destination default: standard output, in pieces of ten milliseconds, with nothing lost at an exit
 */
export const createLog = (
  level: string,
  bindings: Readonly<Record<string, string>> = {},
  destination: LineStream = standardOutput(),
): Log =>
  pino(
    {
      level,
      base: { ...bindings },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: withoutSecrets },
      serializers: { err: describeError },
    },
    destination,
  );
