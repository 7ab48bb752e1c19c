import { createLog, type Log } from './log.js';
import { standardOutput, type LineStream } from './standard-output.js';

/**
 * `readable`: lines for people. `auto`: on a terminal readable and without the lines of successful requests, so that the
 * addresses that the service printed stay in sight; otherwise JSON.
 */
export const logFormats = ['auto', 'json', 'readable'] as const;

type LogFormat = (typeof logFormats)[number];

/** Where the lines of a log go. */
export interface LogOutput {
  readonly isTerminal: boolean;
  readonly lines: LineStream;
}

const processOutput = (): LogOutput => ({ isTerminal: process.stdout.isTTY, lines: standardOutput() });

/** The log of a process. The formatter of readable lines is loaded only for a process that uses it. */
export const openLog = async (
  level: string,
  format: LogFormat,
  { isTerminal, lines }: LogOutput = processOutput(),
): Promise<Log> => {
  if (format === 'json' || (format === 'auto' && !isTerminal)) return createLog(level, {}, lines);
  const { readableOutput } = await import('./readable-output.js');
  const log = createLog(level, {}, readableOutput(isTerminal && process.env['NO_COLOR'] === undefined, lines));
  return format === 'auto' ? Object.assign(log, { successLevel: 'debug' } as const) : log;
};
