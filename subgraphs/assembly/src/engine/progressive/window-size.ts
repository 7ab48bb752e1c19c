import { mostRecords } from '../../domain/effective-request.js';

const firstSize = 100;
const growth = 4;

/** Decides how many records the next window may have. */
export interface WindowSize {
  next(): number;
  /** Bytes that the next window will probably take. */
  expectedBytes(): number;
  /** Adjusts the size to the result of a finished window. */
  learn(records: number, bytes: number): void;
}

/**
 * It starts small, so that the first records are sent early. It grows up to the most records of one message to an
 * adaptor, as long as the answers of a window stay below a part of the memory.
 *
 * @param maxBytes memory that a window should not exceed
 */
export const createWindowSize = (maxBytes: number): WindowSize => {
  let size = firstSize;
  let bytesPerRecord = 0;
  return {
    next: () => size,
    expectedBytes: () => size * bytesPerRecord,
    learn: (records, bytes) => {
      if (records > 0) bytesPerRecord = Math.max(bytesPerRecord / 2, bytes / records);
      const fitting = bytesPerRecord === 0 ? mostRecords.plain : Math.floor(maxBytes / bytesPerRecord);
      size = Math.max(1, Math.min(size * growth, fitting, mostRecords.plain));
    },
  };
};
