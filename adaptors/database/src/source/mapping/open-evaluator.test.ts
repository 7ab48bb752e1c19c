import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@fds/adaptor-protocol';
import { casesOf, createRandom } from '@fds/testing';
import { openEvaluator } from './open-evaluator.js';

const evaluatorOf = (expressions: Readonly<Record<string, string>>) =>
  openEvaluator({ expressions, codes: { sex: { m: 'male', f: 'female', 1: true } }, lookups: ['city'] });

const evaluate = async (text: string, input: Readonly<Record<string, JsonValue>> = {}, isReverse = false) => {
  const [result] = await evaluatorOf({ it: text }).evaluate([{ places: ['it'], input, isReverse, rows: {} }]);
  return result?.fault?.message ?? result?.values['it'];
};

const big = 9007199254740993n;

describe('the result of an expression', () => {
  it.each<[string, Readonly<Record<string, JsonValue>>, JsonValue]>([
    ['a', { a: big }, big],
    ['a & ""', { a: big }, '9007199254740993'],
    ['$string(a)', { a: { b: [big, 0.1234567890123457] } }, '{"b":[9007199254740993,0.1234567890123457]}'],
    ['a & ""', { a: 9007199254740991 }, '9007199254740991'],
    ['a = b', { a: big, b: big }, true],
    ['$number(a)', { a: '9007199254740993' }, big],
    ['a', { a: '123456789012345678901234567890.123' }, '123456789012345678901234567890.123'],
    ['nothing', {}, null],
    ['a', { a: null }, null],
    ['$pad(a, 3, "0")', { a: '7' }, '700'],
    ['$pad(a, -3, "0")', { a: '7' }, '007'],
    ['$lookup(a, "b")', { a: { b: 5 } }, 5],
    ['$code("sex", a)', { a: 'm' }, 'male'],
    ['$code("sex", a)', { a: 1 }, true],
    ['$code("sex", a)', { a: null }, null],
    ['$codes.sex.f', {}, 'female'],
    ['{"a": [a, a]}', { a: 1 }, { a: [1, 1] }],
    ['a.constructor', { a: {} }, null],
    ['a.__proto__', { a: {} }, null],
    ['$lookup(a, "constructor")', { a: {} }, null],
  ])('%s', async (text, input, result) => {
    expect(await evaluate(text, input)).toEqual(result);
  });

  it.each<[string, Readonly<Record<string, JsonValue>>, RegExp]>([
    ['a + 1', { a: big }, /must evaluate to a number/],
    ['$sum([a, 1])', { a: big }, /Argument 1 of function "sum"/],
    ['a * 10', { a: 9007199254740991 }, /beyond 2\^53/],
    ['$number(a)', { a: '1234567890.12345678901' }, /more digits/],
    ['$code("sex", a)', { a: 'x' }, /^fails: \$code: the table of codes "sex" does not have the code$/],
    ['$code("sex", a)', { a: 'constructor' }, /does not have the code/],
    ['$code("seks", a)', { a: 'm' }, /no table of codes "seks"/],
    ['$lookup("town", a)', { a: 1 }, /no lookup "town"/],
    ['function($x) { $x }', {}, /not JSON/],
    ['$number("1e308") * 100', {}, /not a number/],
    ['$eval("1")', {}, /fails/],
  ])('%s is a fault', async (text, input, message) => {
    expect(await evaluate(text, input)).toMatch(message);
  });

  it('does not name the values of the row in a fault', async () => {
    expect(await evaluate('a - 1', { a: 'secret' })).not.toContain('secret');
  });

  it('is the value of a code, and back', async () => {
    expect(await evaluate('$code("sex", a)', { a: 'female' }, true)).toBe('f');
    expect(await evaluate('$code("sex", a)', { a: true }, true)).toBe('1');
    expect(await evaluate('$code("sex", a)', { a: 'f' }, true)).toMatch(/does not have the value/);
  });

  it('asks for the row of a lookup', async () => {
    const evaluator = evaluatorOf({ it: '$lookup("city", a).name' });
    const item = { places: ['it'], input: { a: 7 }, isReverse: false, rows: {} };
    expect((await evaluator.evaluate([item]))[0]?.missing).toEqual([['city', 7]]);
    const rows = { '["city","7"]': { name: 'Lyon' } };
    expect((await evaluator.evaluate([{ ...item, rows }]))[0]?.values).toEqual({ it: 'Lyon' });
  });

  it('passes any value through', async () => {
    const { next } = createRandom(3);
    const evaluator = evaluatorOf({ it: 'a' });
    const items = Array.from({ length: casesOf(500) }, () => {
      const whole = BigInt.asIntN(64, BigInt(Math.floor(next() * 2 ** 53)) * 4099n);
      const value = [whole, next() * 10 ** Math.floor(next() * 15), String(whole) + String(next()).slice(1)][
        Math.floor(next() * 3)
      ] as JsonValue;
      return { places: ['it'], input: { a: value }, isReverse: false, rows: {} };
    });
    const results = await evaluator.evaluate(items);
    expect(results.map(({ values }) => values['it'])).toEqual(items.map(({ input }) => input.a));
  });
});

it('evaluates rows whose results need more memory together than the thread may use', async () => {
  const places = ['one', 'two', 'three', 'four'];
  const text = '$join([1..100].$pad($$.a & "", 10000, "-"))';
  const evaluator = evaluatorOf(Object.fromEntries(places.map((place) => [place, text])));
  const items = Array.from({ length: 60 }, (_, a) => ({ places, input: { a }, isReverse: false, rows: {} }));
  const results = await evaluator.evaluate(items);
  expect(results.map(({ fault }) => fault)).toEqual(items.map(() => undefined));
  const begins = results.map(({ values }) => places.map((place) => Number.parseInt(values[place] as string, 10)));
  expect(begins).toEqual(items.map(({ input: { a } }) => [a, a, a, a]));
}, 60_000);

describe('an expression that does not end', () => {
  it.each([
    ['$f := function($n) { $f($n + 1) }', '($f := function($n) { $f($n + 1) + 1 }; $f(0))'],
    ['tail calls', '($f := function($n) { $f($n + 1) }; $f(0))'],
    ['a large range', '$count([1..9000000])'],
    ['a regular expression that backtracks', '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)'],
    ['a wide text', '$pad("x", 500000000)'],
    ['a text that doubles', '($f := function($n, $s) { $n = 0 ? $s : $f($n - 1, $s & $s) }; $f(40, "abcdefgh"))'],
    ['a list that grows', '$sum([1..15000].($a := [1..15000]; $count($a)))'],
    ['lists in lists', '($f := function($n, $s) { $n = 0 ? $s : $f($n - 1, [[$s], [$s]]) }; $string($f(26, a)))'],
  ])(
    '%s is a fault of its row, and the others are evaluated',
    async (_, text) => {
      const evaluator = evaluatorOf({ bad: text, good: 'a' });
      const item = { input: { a: 'x' }, isReverse: false, rows: {} };
      const before = performance.eventLoopUtilization();
      const results = await evaluator.evaluate([
        { ...item, places: ['good'] },
        { ...item, places: ['bad'] },
        { ...item, places: ['good'] },
      ]);
      expect(results.map(({ values }) => values['good'])).toEqual(['x', undefined, 'x']);
      expect(results[1]?.fault?.place).toBe('bad');
      // the thread of the adaptor was free
      expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
    },
    30_000,
  );
});
