import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

const secretNames = ['password', 'secret', 'clientSecret', 'client_secret', 'authorization', 'token', 'access_token'];

/**
 * One JSON line per request and per event on standard output, never payloads or secrets.
 *
 * @param level `debug`, `info`, `warn`, `error` or `silent`
 * @param bindings members of every line
 * @param destination default: standard output, written at once so that a crash loses no line
 */
export const createLog = (
  level: string,
  bindings: Readonly<Record<string, string>> = {},
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Log =>
  pino(
    {
      level,
      base: { ...bindings },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '***' },
    },
    destination,
  );
