import { isUtf8 } from 'node:buffer';
import { BrokenFile, type BrokenFileOptions } from './broken-file.js';

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

const sequenceLength = (lead: number): number => {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
};

/** How many of the bytes are before a character that their end cuts. */
const wholeCharacters = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (!isContinuation(byte)) return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

const startsWell = (bytes: Buffer): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
};

/** Length of the longest start that is UTF-8, or may become so. */
const lengthOfUtf8 = (bytes: Buffer): number => {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (startsWell(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return wholeCharacters(bytes.subarray(0, good));
};

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Gives the parts again, cut between characters and without a byte order mark.
 *
 * @throws BrokenFile with the position of the first byte that is not UTF-8, after everything before it
 */
export const utf8Parts = async function* (
  parts: AsyncIterable<Buffer>,
  code: BrokenFileOptions['code'],
): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  const notUtf8 = (at: number): BrokenFile =>
    new BrokenFile(`the file is not UTF-8 at byte ${at}`, { code, position: at });

  for await (const part of parts) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    const whole = bytes.subarray(0, wholeCharacters(bytes));
    if (!isUtf8(whole)) {
      const good = lengthOfUtf8(whole);
      yield whole.subarray(0, good);
      throw notUtf8(position + good);
    }
    const isMarked = position === 0 && whole.subarray(0, 3).equals(byteOrderMark);
    yield isMarked ? whole.subarray(3) : whole;
    rest = bytes.subarray(whole.length);
    position += whole.length;
  }
  if (rest.length > 0) throw notUtf8(position);
};
