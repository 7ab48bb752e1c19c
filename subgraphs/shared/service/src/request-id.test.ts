import { describe, expect, it } from '@jest/globals';
import { requestIdOf } from './request-id.js';

describe('requestIdOf', () => {
  it("keeps the caller's id when it is plain", () => {
    expect(requestIdOf({ 'x-request-id': 'a-1.b:c_2' })).toBe('a-1.b:c_2');
  });
  it.each([undefined, '', 'a b', 'a\nb', 'x'.repeat(129)])('makes one instead of %p', (given) => {
    const headers = given === undefined ? {} : { 'x-request-id': given };
    expect(requestIdOf(headers)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
