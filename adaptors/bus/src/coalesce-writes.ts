import type { Writable } from 'node:stream';

/**
 * Joins all writes of one turn of the event loop: they leave the stream in one piece at the end of the turn. The
 * answers to all messages of one read then need one system call instead of one each. No write waits for a timer.
 */
export const coalesceWrites = (stream: Writable): void => {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  let corked = false;
  const uncork = (): void => {
    corked = false;
    stream.uncork();
  };
  stream.write = (...args: unknown[]): boolean => {
    if (!corked) {
      corked = true;
      stream.cork();
      setImmediate(uncork);
    }
    return write(...args);
  };
};
