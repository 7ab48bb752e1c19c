import { pino, type Logger } from 'pino';
import { standardOutput, type LineStream } from './standard-output.js';
import { currentSpan } from './tracing.js';

const secretNames: ReadonlySet<string> = new Set([
  'password',
  'secret',
  'clientSecret',
  'client_secret',
  'authorization',
  'token',
  'access_token',
]);

const censor = '***';
const maxDepth = 5;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const clean = (value: unknown, depth: number): unknown => {
  // an error's own members are cleaned once they are written out, see `createLog`
  if (!isObject(value) || value instanceof Error || depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const cleaned = value.map((element) => clean(element, depth + 1));
    return cleaned.some((element, index) => element !== value[index]) ? cleaned : value;
  }
  let changed: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const shown = secretNames.has(name) ? censor : clean(value[name], depth + 1);
    if (shown !== value[name]) (changed ??= { ...value })[name] = shown;
  }
  return changed ?? value;
};

/** The members without what is secret by its name, at any depth that a log line has; the same object when there is nothing. */
const withoutSecrets = (members: Record<string, unknown>): Record<string, unknown> =>
  clean(members, 0) as Record<string, unknown>;

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

/** Lines about the work of a trace name it. */
const traceOfLine = (): { traceId?: string } => {
  const span = currentSpan();
  return span === undefined ? {} : { traceId: span.traceId };
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
      mixin: traceOfLine,
      serializers: { err: describeError },
    },
    destination,
  );
