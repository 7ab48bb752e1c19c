import { EventEmitter, once } from 'node:events';

/** Work that waits: a producer is held up when the queue is full, and fails when the work failed. */
export interface ChangeQueue<T> {
  /** Resolves when the items are in the queue; with a queue of size 0, when they are done. */
  put(items: readonly T[]): Promise<void>;
  /** Resolves when the queue is empty. @throws the error of the work */
  drain(): Promise<void>;
}

/**
 * @param size items that may wait; 0: none
 * @param batchSize most items that the work takes at once
 */
export const createChangeQueue = <T>(
  size: number,
  batchSize: number,
  work: (items: readonly T[]) => Promise<void>,
): ChangeQueue<T> => {
  const waiting: T[] = [];
  /** The work on the waiting items; rejects when it failed. */
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
    working.catch(() => undefined); // put and drain report it
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
