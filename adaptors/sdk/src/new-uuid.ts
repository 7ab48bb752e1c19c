import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const bytesOfOne = 16;
const pool = new Uint8Array(256 * bytesOfOne);
let used = pool.length;

/**
 * Random bytes for one uuid, from a buffer. A system call for each uuid takes longer than the rest of an event's
 * envelope.
 */
const rng = (): Uint8Array => {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytesOfOne;
  return pool.subarray(used - bytesOfOne, used);
};

/** A uuid of version 7: later uuids sort after earlier ones, to the millisecond. */
export const newUuid = (): string => v7({ rng });
