import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const uuidBytes = 16;
/** Random bytes are taken from the system for so many at once: taking them costs more than the rest. */
const pooled = 1024;

const hexDigits = Buffer.from('0123456789abcdef', 'latin1');

/** Writes the text of a UUID into one buffer again and again: a text in one piece costs a tenth of one that is put together. */
const createTextOf = (): ((bytes: Uint8Array) => string) => {
  const text = Buffer.from('00000000-0000-0000-0000-000000000000', 'latin1');
  const places = [...text].flatMap((character, place) => (character === hexDigits[0] ? [place] : []));
  return (bytes) => {
    for (let digit = 0; digit < places.length; digit += 1) {
      const byte = bytes[digit >> 1] ?? 0;
      text[places[digit] ?? 0] = hexDigits[digit % 2 === 0 ? byte >> 4 : byte & 0xf] ?? 0;
    }
    return text.toString('latin1');
  };
};

/** Makes UUIDs of version 7 (RFC 9562), each greater than the one before, also within a millisecond. */
export const createUuids = (nowMs: () => number): (() => string) => {
  const pool = Buffer.alloc(uuidBytes * pooled);
  const random = Buffer.alloc(uuidBytes);
  const uuid = Buffer.alloc(uuidBytes);
  const textOf = createTextOf();
  let at = pool.length;
  let msecs = 0;
  let seq = 0;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    // a view of the pool would cost more than the copy
    for (let byte = 0; byte < uuidBytes; byte += 1) random[byte] = pool[at + byte] ?? 0;
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
    return textOf(v7({ random, msecs, seq }, uuid));
  };
};
