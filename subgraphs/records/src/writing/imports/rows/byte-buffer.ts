/** Bytes of a row that is not complete yet; a row that is too long keeps none. */
export interface ByteBuffer {
  /** Adds `part` from `start` to `end`. */
  add(part: Buffer, start: number, end: number): void;
  /** Everything buffer and `part` from `start` to `end`, as text; undefined: too long. Empties it. */
  take(part: Buffer, start: number, end: number): string | undefined;
}

/** @param maxBytes of a row */
export const createByteBuffer = (maxBytes: number): ByteBuffer => {
  let pieces: Buffer[] = [];
  let size = 0;
  return {
    add: (part, start, end) => {
      size += end - start;
      if (size > maxBytes) pieces = [];
      // a copy, so that the row does not keep the part
      else if (end > start) pieces.push(Buffer.from(part.subarray(start, end)));
    },
    take: (part, start, end) => {
      const before = pieces;
      size += end - start;
      const isTooLong = size > maxBytes;
      pieces = [];
      size = 0;
      if (isTooLong) return undefined;
      if (before.length === 0) return part.toString('utf8', start, end);
      return Buffer.concat([...before, part.subarray(start, end)]).toString('utf8');
    },
  };
};
