import { describe, expect, it } from '@jest/globals';
import { findRequestUuid } from './find-request-uuid.js';

const [known, other] = ['0199d0a0-0000-7000-8000-000000000001', '0199d0a0-0000-7000-8000-000000000002'];
const find = (text: string): string | undefined => findRequestUuid(Buffer.from(text), (uuid) => uuid === known);

describe('findRequestUuid', () => {
  it.each([
    ['a compact message', `{"data":{"requestUuid":"${known}","part":1}}`],
    ['blanks', `{"data":{"requestUuid" \n :  "${known}"}}`],
    ['another one before it', `{"x":{"requestUuid":"${other}"},"data":{"requestUuid":"${known}"}}`],
    ['the name as a value', `{"x":"requestUuid","data":{"requestUuid":"${known}"}}`],
  ])('finds the id in %s', (_, text) => {
    expect(find(text)).toBe(known);
  });

  it.each(['', '{', `{"data":{"requestUuid":"${other}"}}`, `{"correlationid":"${known}"}`, `{"requestUuid":"${known}`])(
    'finds no id in %s',
    (text) => {
      expect(find(text)).toBeUndefined();
    },
  );
});
