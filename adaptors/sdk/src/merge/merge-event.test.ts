import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';
import { areEqualJson, mergeEvent, type MergeInput } from './merge-event.js';

type Held = JsonValue | undefined;

const values: readonly Held[] = [undefined, null, 1, 2];
const record = (property: Held): JsonObject => (property === undefined ? {} : { p: property });

/** All small cases: each record and event has the property `p`, and `q`, which the event only repeats. */
const cases = function* (): Generator<MergeInput> {
  for (const base of [...values.map(record), undefined])
    for (const local of [...values.map(record), undefined])
      for (const incoming of values)
        for (const changed of [undefined, [], ['p'], ['p', 'absent', 'p']])
          for (const read of [undefined, {}, { p: 1 }, { p: null }])
            yield {
              base: base === undefined ? undefined : { q: 'base', ...base },
              local: local === undefined ? undefined : { q: 'local', ...local },
              event: {
                json: { ...record(incoming), ...(changed === undefined ? {} : { q: 'repeated' }) },
                ...(changed === undefined ? {} : { changed }),
                ...(read === undefined ? {} : { read }),
              },
            };
};

/** The rule for one property, `p`, written without the function. */
const expected = ({ base, local, event }: MergeInput): 'WRITE' | 'KEEP' | 'NOTHING' => {
  const isNew = 'p' in event.json && (event.changed === undefined || event.changed.includes('p'));
  const wasAbsent = event.read !== undefined && Object.keys(event.read).length === 0;
  if (local === undefined && (base === undefined || wasAbsent)) return 'p' in event.json ? 'WRITE' : 'NOTHING';
  if (!isNew) return 'NOTHING';
  if (local === undefined) return 'KEEP';
  if (local['p'] === event.json['p']) return 'NOTHING';
  const hasRead = event.read !== undefined && 'p' in event.read;
  if (hasRead) return event.read?.['p'] === local['p'] ? 'WRITE' : 'KEEP';
  if (base === undefined || !('p' in base)) return 'p' in local ? 'KEEP' : 'WRITE';
  return base['p'] === local['p'] ? 'WRITE' : 'KEEP';
};

describe('mergeEvent', () => {
  it('decides every small case by the rule', () => {
    let count = 0;
    for (const input of cases()) {
      const { write, kept, base } = mergeEvent(input);
      const found = 'p' in write ? 'WRITE' : kept.includes('p') ? 'KEEP' : 'NOTHING';
      expect({ input, found }).toEqual({ input, found: expected(input) });
      const takesOver = found === 'WRITE' || (found === 'NOTHING' && input.local?.['p'] === input.event.json['p']);
      const isNew = input.event.changed?.includes('p') ?? true;
      const isOutdated = found === 'KEEP' && input.event.read !== undefined && 'p' in input.event.read;
      const former = isOutdated ? undefined : input.base?.['p'];
      const after = takesOver && isNew && 'p' in input.event.json ? input.event.json['p'] : former;
      if (input.local !== undefined) expect({ input, after: base['p'] }).toEqual({ input, after });
      count += 1;
    }
    expect(count).toBe(5 * 5 * 4 * 4 * 4);
  });

  it('never writes a property that the event only repeats into a record that the system has', () => {
    for (const input of cases()) {
      if (input.local === undefined || input.event.changed === undefined) continue;
      const { write, kept, base } = mergeEvent(input);
      expect([...Object.keys(write), ...kept]).not.toContain('q');
      expect(base['q']).toBe(input.base?.['q']);
    }
  });

  it('has the same effect when the event is applied a second time', () => {
    for (const input of cases()) {
      const first = mergeEvent(input);
      if (input.local === undefined) continue;
      const local = { ...input.local, ...first.write };
      const second = mergeEvent({ ...input, local, base: first.base });
      expect({ input, write: second.write, base: second.base }).toEqual({ input, write: {}, base: first.base });
      expect(second.kept).toEqual(first.kept);
    }
  });

  it('compares values by the equality of the system', () => {
    const areEqual = (property: string, left: Held, right: Held): boolean =>
      property === 'amount' ? Number(left) === Number(right) : left === right;
    const input = { local: { amount: '1.50', name: 'B' }, event: { json: { amount: '2', name: 'C' } }, areEqual };
    expect(mergeEvent({ ...input, base: { amount: '1.5', name: 'b' } })).toEqual({
      write: { amount: '2' },
      kept: ['name'],
      base: { amount: '2', name: 'b' },
    });
  });

  it('treats names of properties as data', () => {
    const json = JSON.parse('{"__proto__": 1, "constructor": 2}') as JsonObject;
    const { write, kept } = mergeEvent({ base: {}, local: {}, event: { json } });
    expect([Object.keys(write), kept]).toEqual([['__proto__', 'constructor'], []]);
    const local = JSON.parse('{"__proto__": 3, "constructor": 4}') as JsonObject;
    expect(mergeEvent({ base: {}, local, event: { json } }).kept).toEqual(['__proto__', 'constructor']);
    const base = JSON.parse('{"__proto__": 0}') as JsonObject;
    expect(Object.keys(mergeEvent({ base, local: base, event: { json } }).write)).toEqual(['__proto__', 'constructor']);
  });
});

it.each<[Held, Held, boolean]>([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[1], { 0: 1 }, false],
  [9223372036854775807n, 9223372036854775807n, true],
  [null, undefined, false],
  [null, {}, false],
])('areEqualJson of %p and %p is %p', (left, right, equal) => {
  expect([areEqualJson(left, right), areEqualJson(right, left)]).toEqual([equal, equal]);
});
