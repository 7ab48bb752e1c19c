import { describe, expect, it } from '@jest/globals';
import { compileLinearPattern, patternCacheBytes } from './linear-pattern.js';
import { preparePatterns } from './prepare-patterns.js';

/** A pattern whose program is almost as large as is allowed. */
const large = (n: number): string => `${n}[a-z]{300}[0-9]{150}`;

describe('compiled patterns', () => {
  it('are compiled once', () => {
    expect(compileLinearPattern('once[a-z]')).toBe(compileLinearPattern('once[a-z]'));
    expect(compileLinearPattern('once(')).toBe(compileLinearPattern('once('));
  });

  it('are kept up to 64 MiB, those that were asked for last', () => {
    const first = compileLinearPattern(large(0));
    const used = compileLinearPattern('used[a-z]');
    for (let n = 1; n < 2_000; n += 1) {
      compileLinearPattern(large(n));
      expect(compileLinearPattern('used[a-z]')).toBe(used);
    }
    expect(patternCacheBytes()).toBeLessThanOrEqual(64 * 2 ** 20);
    expect(patternCacheBytes()).toBeGreaterThan(60 * 2 ** 20);
    expect(compileLinearPattern(large(0))).not.toBe(first);
  });

  it('are prepared for a model one by one, and are then at hand', () => {
    const schema = {
      properties: {
        a: { type: 'string', pattern: 'a+' },
        b: { type: 'object', properties: { c: { type: 'string', pattern: 'c+' } } },
        d: { type: 'array', items: { properties: { e: { type: 'string', pattern: 'e+' }, f: 1, pattern: null } } },
      },
    };
    expect([...preparePatterns(schema)]).toHaveLength(3);
    for (const odd of [null, 'x', [], { properties: [] }, { properties: { a: null } }])
      expect([...preparePatterns(odd)]).toEqual([]);
  });

  it('are not prepared for a model with too many properties', () => {
    const properties = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`p${n}`, { pattern: `${n}` }]));
    expect([...preparePatterns({ properties })]).toEqual([]);
  });
});
