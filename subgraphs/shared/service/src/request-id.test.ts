import { describe, expect, it } from '@jest/globals';
import { requestIdOf } from './request-id.js';

describe('requestIdOf', () => {
  it("keeps the caller's id when it is plain", () => {
    for (const id of ['a-1-B2', '01920000-0000-7000-8000-000000000001', 'x'.repeat(64)]) {
      expect(requestIdOf({ 'x-request-id': id })).toBe(id);
    }
  });
  it.each([undefined, '', 'a b', 'a\nb', 'a_b', 'a:b', 'a.b', 'é', 'x'.repeat(65)])(
    'makes one instead of %p',
    (given) => {
      const headers = given === undefined ? {} : { 'x-request-id': given };
      expect(requestIdOf(headers)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});
