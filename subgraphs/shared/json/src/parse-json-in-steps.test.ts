import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonValue } from './json-value.js';
import { parseJson } from './parse-json.js';
import { parseJsonInSteps } from './parse-json-in-steps.js';
import { stringifyJson } from './stringify-json.js';

/** The value, and the number of steps. */
const parsed = (text: string): { readonly value: JsonValue; readonly steps: number } => {
  const parsing = parseJsonInSteps(text);
  for (let steps = 1; ; steps += 1) {
    const step = parsing.next();
    if (step.done === true) return { value: step.value, steps };
  }
};

const outcome = (read: () => JsonValue): unknown => {
  try {
    return stringifyJson(read());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return 'refused';
  }
};

/** Text that makes the members around it long. */
const long = `"${'x'.repeat(20_000)}"`;

const { json } = fc.letrec<{ json: string; array: string; object: string; leaf: string }>((tie) => ({
  leaf: fc.constantFrom(
    '1',
    '-0.5',
    'null',
    'true',
    '""',
    '"[{,"',
    String.raw`"\\\""`,
    '12345678901234567',
    long,
    long,
    long,
  ),
  array: fc
    .tuple(fc.array(tie('json'), { maxLength: 5 }), fc.constantFrom(',', ' ,\n'))
    .map(([items, comma]) => `[${items.join(comma)}]`),
  object: fc
    .array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'constructor', 'a,b', '"}'), tie('json')), { maxLength: 5 })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)} : ${value}`).join(', ')} }`),
  json: fc.oneof({ depthSize: 'medium' }, tie('leaf'), tie('array'), tie('object')),
}));

describe('JSON that is parsed in steps', () => {
  it('has the same value as when it is parsed at once', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 5 }), (parts) => {
        const text = ` [${[...parts, long, long, long, long].join(',')}]\n`;
        expect(stringifyJson(parsed(text).value) === stringifyJson(parseJson(text))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused when it is refused at once', () => {
    const change = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', '0', 'x', ' '));
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 4 }), change, (parts, [place, cut, added]) => {
        const text = `{"m":[${[...parts, '1', long, long].join(',')}],"n":[[${long},${long},[2]],{}]}`;
        // most faults are in the structure, not in the long texts
        const marks = Array.from(text.matchAll(/[[\]{},:"]/g), ({ index }) => index);
        const at = marks[place % marks.length] ?? 0;
        const faulty = text.slice(0, at) + added + text.slice(at + cut);
        expect(outcome(() => parsed(faulty).value) === outcome(() => parseJson(faulty))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['elements', `[${'1,'.repeat(500_000)}1]`],
    ['members', `{${Array.from({ length: 9_900 }, (_, n) => `"member ${n}":"${'x'.repeat(20)}"`).join(',')}}`],
    ['lists in an object', `{"a":{"b":[${'[1],'.repeat(200_000)}[]]}}`],
  ])('takes a step for at most 64 Ki characters: %s', (_, text) => {
    const { value, steps } = parsed(text);
    expect(steps).toBeGreaterThanOrEqual(text.length / 2 ** 16);
    expect(JSON.stringify(value)).toBe(text);
  });

  it.each([
    [`[${'1,'.repeat(50_000)}x]`, 100_001],
    [`[${'1,'.repeat(50_000)}1`, 100_002],
    [`{"a":[${'1,'.repeat(50_000)}1},`, 100_007],
  ])('names the position of a fault', (text, position) => {
    expect(() => parsed(text)).toThrow(new RegExp(`at position ${position}$`));
  });

  it('refuses an object of more than 10 000 members', () => {
    const members = (count: number): string => Array.from({ length: count }, (_, n) => `"member ${n}":1`).join(',');
    expect(Object.keys(parsed(`{${members(10_000)}}`).value ?? {})).toHaveLength(10_000);
    expect(() => parsed(`{${members(10_001)}}`)).toThrow('10000 members');
    expect(() => parsed(`[{${members(10_001)}}]`)).toThrow('10000 members');
  });

  it('refuses text that nests too deep, and integers of more than 1000 digits', () => {
    const deep = `[${long},${long},${long},${long},${'['.repeat(1_001)}${']'.repeat(1_001)}]`;
    expect(() => parsed(deep)).toThrow('1000 levels');
    expect(() => parseJson('9'.repeat(1_001))).toThrow('1000 digits');
    expect(parseJson('9'.repeat(1_000))).toBe(BigInt('9'.repeat(1_000)));
  });
});
