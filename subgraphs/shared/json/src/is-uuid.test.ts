import { expect, it } from '@jest/globals';
import { isUuid } from './is-uuid.js';

const uuid = '0199a3b0-7c1e-7d2a-9f00-1234567890ab';

it.each([
  [uuid, true],
  [uuid.toUpperCase(), true],
  ['00000000-0000-0000-0000-000000000000', true],
  ['', false],
  [` ${uuid}`, false],
  [`${uuid}\n`, false],
  [`{${uuid}}`, false],
  [uuid.replaceAll('-', ''), false],
  [uuid.replace('a', 'g'), false],
  [uuid.slice(1), false],
])('decides whether %p is a UUID', (text, answer) => {
  expect(isUuid(text)).toBe(answer);
});
