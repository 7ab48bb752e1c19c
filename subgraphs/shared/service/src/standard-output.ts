import { writeSync } from 'node:fs';

/** Takes lines of a log. */
export interface LineStream {
  write(line: string): void;
}

const retryMs = 10;

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');

/** Writes all of it, and waits while a pipe is full. @throws the system's error, EPIPE when the reader has closed the pipe */
const writeWhole = (fileDescriptor: number, text: string): void => {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length;) {
    try {
      from += writeSync(fileDescriptor, bytes, from);
    } catch (error) {
      if (!isFull(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
    }
  }
};

/**
 * The writes of one turn of the event loop go out at its end in one piece, before any other event is handled. The rest is
 * written at the exit of the process, whatever its cause: an end, `process.exit`, an uncaught error. A
 * process that is killed loses the lines of one turn. A reader that goes away, or a full disk, costs lines and nothing
 * else.
 */
const openOutput = (fileDescriptor: number): LineStream => {
  let pending = '';
  let isScheduled = false;
  const flush = (): void => {
    const text = pending;
    pending = '';
    isScheduled = false;
    if (text === '') return;
    try {
      writeWhole(fileDescriptor, text);
    } catch {
      // no output is left to report it
    }
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      pending += line;
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(flush);
    },
  };
};

let opened: LineStream | undefined;

/** The process's standard output as a log's destination, one for all logs. */
export const standardOutput = (): LineStream => (opened ??= openOutput(1));
