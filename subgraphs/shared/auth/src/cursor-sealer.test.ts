import { describe, expect, it } from '@jest/globals';
import { createCursorSealer } from './cursor-sealer.js';

const sealer = createCursorSealer(Buffer.alloc(32, 1));
const positions = [0n, 1n, 2n, 4711n, 2n ** 32n, 2n ** 63n - 1n];

describe('sealed cursors', () => {
  it('open to their position, in every process with the same key', () => {
    const other = createCursorSealer(Buffer.alloc(32, 1));
    for (const position of positions) {
      expect(other.unseal(sealer.seal(position))).toBe(position);
      expect(other.unseal(sealer.sealSalted(position))).toBe(position);
      expect(other.seal(position)).toBe(sealer.seal(position));
    }
  });

  it('have one length, and nothing in common with the cursors next to them', () => {
    const cursors = positions.flatMap((position) => [sealer.seal(position), sealer.sealSalted(position)]);
    expect([...new Set(cursors.map(({ length }) => length))]).toEqual([59]);
    expect(new Set(cursors).size).toBe(cursors.length);
    // each of nonce, tag and content differs between neighbours
    const [one, two] = [1n, 2n].map((position) => Buffer.from(sealer.seal(position), 'base64url'));
    for (const [from, to] of [
      [0, 12],
      [12, 28],
      [28, 36],
      [36, 44],
    ] as const)
      expect(one?.subarray(from, to).equals(two?.subarray(from, to) ?? Buffer.alloc(0))).toBe(false);
  });

  it('with a salt differ at the same position', () => {
    expect(new Set(Array.from({ length: 100 }, () => sealer.sealSalted(7n))).size).toBe(100);
  });

  it('of another key, with a changed byte, or of another length do not open', () => {
    const cursor = sealer.seal(4711n);
    expect(createCursorSealer(Buffer.alloc(32, 2)).unseal(cursor)).toBeUndefined();
    const bytes = Buffer.from(cursor, 'base64url');
    for (let place = 0; place < bytes.length; place += 1) {
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(sealer.unseal(changed.toString('base64url'))).toBeUndefined();
    }
    for (const text of ['', '0', '4711', cursor.slice(1), `${cursor}AAAA`, 'A'.repeat(59)])
      expect(sealer.unseal(text)).toBeUndefined();
  });
});
