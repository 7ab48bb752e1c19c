import { describe, expect, it } from '@jest/globals';
import { createSealer } from './sealer.js';

const sealer = createSealer(Buffer.alloc(32, 1));

describe('a sealer', () => {
  it.each(['', 'secret', 'ключ 🔑', 'x'.repeat(10_000)])('opens what it sealed: %j', (text) => {
    const sealed = sealer.seal(text);
    expect(sealer.unseal(sealed)).toBe(text);
    if (text !== '') expect(sealed).not.toContain(text);
  });

  it('seals the same text differently each time', () => {
    expect(sealer.seal('secret')).not.toBe(sealer.seal('secret'));
  });

  it('refuses text that another key sealed', () => {
    const other = createSealer(Buffer.alloc(32, 2));
    expect(() => other.unseal(sealer.seal('secret'))).toThrow();
  });

  it('refuses text that was changed or cut', () => {
    const sealed = sealer.seal('secret');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      // the last character of base64url may carry bits that mean nothing
      if (Buffer.from(changed.slice(3), 'base64url').equals(Buffer.from(sealed.slice(3), 'base64url'))) continue;
      expect(() => sealer.unseal(changed)).toThrow();
    }
    expect(() => sealer.unseal(sealed.slice(0, 20))).toThrow();
    expect(() => sealer.unseal('')).toThrow();
  });

  it('needs a key of 32 bytes', () => {
    expect(() => createSealer(Buffer.alloc(16))).toThrow(RangeError);
  });
});
