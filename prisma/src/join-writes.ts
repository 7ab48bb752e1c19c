import type { Writable } from 'node:stream';

/**
 * Returns a function to call before a write. The writes that follow each other without a wait for anything outside of
 * this process then leave in one piece: one system call for all of them, and the receiver wakes once.
 */
export const joinWrites = (stream: Pick<Writable, 'cork' | 'uncork'>): (() => void) => {
  let isJoining = false;
  const sendAll = (): void => {
    isJoining = false;
    stream.uncork();
  };
  return () => {
    if (isJoining) return;
    isJoining = true;
    stream.cork();
    // runs after the continuations of promises that are settled already
    process.nextTick(sendAll);
  };
};
