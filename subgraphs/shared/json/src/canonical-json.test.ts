import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';
import { parseJson } from './parse-json.js';

describe('canonicalJson', () => {
  it.each([
    ['{"b":1,"a":{"d":[2,1],"c":null}}', ' { "a" : { "c" : null, "d" : [ 2, 1.0 ] }, "b" : 1e0 } '],
    ['{"é":1,"z":2,"Z":3}', '{"Z":3,"z":2,"\\u00e9":1}'],
    ['{"n":9223372036854775807,"m":1}', '{"m":1,"n":9223372036854775807}'],
    ['{"a":1,"__proto__":2}', '{"__proto__":2,"a":1}'],
  ])('gives %s and %s the same text', (one, other) => {
    expect(canonicalJson(parseJson(one))).toBe(canonicalJson(parseJson(other)));
  });

  it.each([
    ['[1,2]', '[2,1]'],
    ['{"a":null}', '{}'],
    ['1', '"1"'],
    ['9223372036854775807', '9223372036854775806'],
  ])('tells %s from %s', (one, other) => {
    expect(canonicalJson(parseJson(one))).not.toBe(canonicalJson(parseJson(other)));
  });

  it('writes members in code-unit order without white space', () => {
    expect(canonicalJson({ b: [1n, 'x'], a: undefined, A: true })).toBe('{"A":true,"b":[1,"x"]}');
  });
});
