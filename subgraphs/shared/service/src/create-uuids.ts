import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const uuidBytes = 16;
/** Random bytes are taken from the system for so many at once: taking them costs more than the rest. */
const pooled = 1024;

/** Makes UUIDs of version 7 (RFC 9562), each greater than the one before, also within a millisecond. */
export const createUuids = (nowMs: () => number): (() => string) => {
  const pool = new Uint8Array(uuidBytes * pooled);
  let at = pool.length;
  let msecs = 0;
  let seq = 0;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const random = pool.subarray(at, at + uuidBytes);
    at += uuidBytes;
    const present = nowMs();
    if (present > msecs) {
      msecs = present;
      // starts in the lower half of its 32 bits, so that it does not run over within a millisecond
      seq = ((random[6] ?? 0) << 23) | ((random[7] ?? 0) << 16) | ((random[8] ?? 0) << 8) | (random[9] ?? 0);
      seq &= 0x7fffffff;
    } else {
      seq = (seq + 1) >>> 0;
      if (seq === 0) msecs += 1;
    }
    return v7({ random, msecs, seq });
  };
};
