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

/** How long a line waits for others at most, in milliseconds. */
const gatherMs = 10;
/** Lines with so many characters together wait no longer. */
const maxGathered = 2 ** 16;

/**
 * The lines of ten milliseconds go out in one piece: a system call for each answer costs a tenth of a small request. The rest is
 * written at the exit of the process, whatever its cause: an end, `process.exit`, an uncaught error. A
 * process that is killed loses the lines of ten milliseconds. A reader that goes away, or a full disk, costs lines and nothing
 * else.
 */
const openOutput = (fileDescriptor: number): LineStream => {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    const text = pending;
    pending = '';
    clearTimeout(timer);
    timer = undefined;
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
      if (pending.length >= maxGathered) flush();
      else timer ??= setTimeout(flush, gatherMs).unref();
    },
  };
};

let opened: LineStream | undefined;

/** The process's standard output as a log's destination, one for all logs. */
export const standardOutput = (): LineStream => (opened ??= openOutput(1));
