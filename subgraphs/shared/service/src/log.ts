import { pino, type Logger } from 'pino';

export type Log = Logger;

/**
 * One JSON line per request and per event on standard output, never payloads or secrets.
 *
 * @param level `debug`, `info`, `warn`, `error` or `silent`
 */
export const createLog = (level: string, bindings: Readonly<Record<string, string>> = {}): Log =>
  pino({
    level,
    base: { ...bindings },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['*.password', '*.secret', '*.clientSecret', '*.authorization', '*.token'], censor: '***' },
  });
