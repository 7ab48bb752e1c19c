import { prettyFactory } from 'pino-pretty';
import { standardOutput, type LineStream } from './standard-output.js';

/** A log's lines for people: time, level, message, then the members, on one line each. */
export const readableOutput = (colorize: boolean, output: LineStream = standardOutput()): LineStream => {
  const format = prettyFactory({
    colorize,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
  });
  return { write: (line) => output.write(format(line)) };
};
