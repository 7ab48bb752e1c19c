import type { Writable } from 'node:stream';

/**
 * From now on, all writes of one turn of the event loop leave the stream in one piece at the end of the turn: one system
 * call for the answers to all messages of one read, instead of one each. Nothing waits for a timer.
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
