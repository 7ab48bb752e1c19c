import { describe, expect, it } from '@jest/globals';
import { maxNotApplied, maxReason, withNotApplied } from './not-applied.js';

const carried = new Set(['name', 'phone', 'note']);

describe('the properties that an adaptor could not apply', () => {
  it('are kept by reason, and each one has its last reason', () => {
    const first = withNotApplied({}, { properties: ['phone', 'note'], reason: 'not mapped' }, carried);
    expect(first).toEqual({ 'not mapped': ['phone', 'note'] });
    const second = withNotApplied(first, { properties: ['note'], reason: 'read-only' }, carried);
    expect(second).toEqual({ 'not mapped': ['phone'], 'read-only': ['note'] });
    expect(withNotApplied(second, { properties: ['note'], reason: 'read-only' }, carried)).toEqual(second);
  });

  it('are properties of the message', () => {
    expect(withNotApplied({}, { properties: ['__proto__', 'fax'], reason: 'not mapped' }, carried)).toEqual({});
  });

  it('take no more room than the limit, however much an adaptor reports', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `property "${index}"`);
    const many = withNotApplied({}, { properties: names, reason: '"'.repeat(100_000) }, new Set(names));
    expect(Object.keys(many)).toEqual(['"'.repeat(maxReason)]);
    expect(JSON.stringify(many).length).toBeLessThanOrEqual(maxNotApplied);
    expect(JSON.stringify(many).length).toBeGreaterThan(maxNotApplied - 100);
    let known = {};
    for (const name of names.slice(0, 2_000)) {
      known = withNotApplied(known, { properties: [name], reason: name.repeat(20) }, new Set(names));
    }
    expect(JSON.stringify(known).length).toBeLessThanOrEqual(maxNotApplied);
  });
});
