import { describe, expect, it } from '@jest/globals';
import { stringifyJson } from './stringify-json.js';

describe('stringifyJson', () => {
  it.each([
    [9223372036854775807n, '9223372036854775807'],
    [{ a: [-9223372036854775808n], b: undefined }, '{"a":[-9223372036854775808]}'],
    [
      { n: 1n, text: 'é"\n\u2028', fraction: 6.8500000000000005 },
      '{"n":1,"text":"é\\"\\n\u2028","fraction":6.8500000000000005}',
    ],
    [{ n: 1n, at: new Date(0) }, '{"n":1,"at":"1970-01-01T00:00:00.000Z"}'],
    [{ a: 1, b: undefined }, '{"a":1}'],
    [null, 'null'],
  ])('writes %p', (value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });

  it('has no text for a value that contains itself', () => {
    const circle: Record<string, unknown> = {};
    circle['circle'] = circle;
    expect(() => stringifyJson(circle)).toThrow(RangeError);
  });

  it.each([1, 12345678901234567890n])('indents %s', (value) => {
    expect(stringifyJson({ a: [value] }, 2)).toBe(`{\n  "a": [\n    ${value}\n  ]\n}`);
  });
});
