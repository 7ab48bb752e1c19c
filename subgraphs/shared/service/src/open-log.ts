import { createLog, type Log } from './log.js';

/** `readable`: lines for people. `auto`: readable on a terminal, otherwise JSON. */
export const logFormats = ['auto', 'json', 'readable'] as const;

type LogFormat = (typeof logFormats)[number];

/** The log of a process. The formatter of readable lines is loaded only for a process that uses it. */
export const openLog = async (level: string, format: LogFormat): Promise<Log> => {
  const isTerminal = process.stdout.isTTY;
  if (format === 'json' || (format === 'auto' && !isTerminal)) return createLog(level);
  const { readableOutput } = await import('./readable-output.js');
  return createLog(level, {}, readableOutput(isTerminal && process.env['NO_COLOR'] === undefined));
};
