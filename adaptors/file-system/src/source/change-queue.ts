import { EventEmitter, once } from 'node:events';

/** A queue of work. It delays a producer when it is full, and rejects when the work failed. */
export interface ChangeQueue<T> {
  /** Resolves when the items are in the queue. If the size is 0, resolves when the items are done. */
  put(items: readonly T[]): Promise<void>;
  /** Resolves when the queue is empty. @throws the error of the work */
  drain(): Promise<void>;
}

/**
 * @param size maximum number of waiting items; 0: none
 * @param batchSize maximum number of items that the work takes at once
 */
export const createChangeQueue = <T>(
  size: number,
  batchSize: number,
  work: (items: readonly T[]) => Promise<void>,
): ChangeQueue<T> => {
  const waiting: T[] = [];
  /** The running work on the items; rejects when the work failed. */
  let working: Promise<void> = Promise.resolve();
  let isWorking = false;
  const room = new EventEmitter();

  const run = async (): Promise<void> => {
    try {
      while (waiting.length > 0) {
        await work(waiting.splice(0, batchSize));
        room.emit('room');
      }
    } finally {
      isWorking = false;
      room.emit('room');
    }
  };
  const begin = (): void => {
    if (isWorking) return;
    isWorking = true;
    working = run();
    working.catch(() => undefined); // avoids an unhandled rejection: put and drain report the error
  };

  return {
    put: async (items) => {
      if (size === 0) {
        for (let at = 0; at < items.length; at += batchSize) await work(items.slice(at, at + batchSize));
        return;
      }
      for (const item of items) {
        if (!isWorking) await working;
        while (waiting.length >= size) {
          await once(room, 'room');
          if (!isWorking) await working;
        }
        waiting.push(item);
        begin();
      }
    },
    drain: () => working,
  };
};
