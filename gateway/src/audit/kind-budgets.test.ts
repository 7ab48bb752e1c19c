import { expect, it } from '@jest/globals';
import { createKindBudgets, cutText, type KindBudgetsOptions } from './kind-budgets.js';
import { refusalForm, type Refusal } from './refusal-audit.js';

const createRefusalBudgets = (options: KindBudgetsOptions) => createKindBudgets(refusalForm, options);

const refusedAccess = (actorUuid: string | undefined, resource: string): Refusal => ({
  actorUuid,
  action: 'GET',
  resource,
  code: 'FORBIDDEN',
  detail: 'not granted',
  address: '10.0.0.1',
});

it('gives every actor a budget, and all anonymous callers a common one', () => {
  const budgets = createRefusalBudgets({ maxActorKinds: 2, maxAnonymousKinds: 3 });
  for (const actor of [undefined, 'one'])
    for (let time = 0; time < 10; time += 1) budgets.take(refusedAccess(actor, `/x/${time}`));
  expect(budgets.take(refusedAccess('two', '/x/0'))).toMatchObject({ actorUuid: 'two', resource: '/x/0' });
  expect(budgets.end().map(({ event, count }) => [event.actorUuid, event.code, count])).toEqual([
    [undefined, 'OTHERS', 7],
    ['one', 'OTHERS', 8],
  ]);
  expect(budgets.isEmpty).toBe(true);
});

it('counts the refusals of a bounded number of actors separately, and those of all others together', () => {
  let exceeded = 0;
  const budgets = createRefusalBudgets({ maxActors: 1, maxCountedActors: 1, onExceeded: () => (exceeded += 1) });
  for (const actor of ['one', 'two', 'two', 'three', 'four']) budgets.take(refusedAccess(actor, '/x'));
  expect(budgets.end().map(({ event, count }) => [event.actorUuid, count])).toEqual([
    ['two', 2],
    [undefined, 2],
  ]);
  expect(exceeded).toBe(4);
});

it('keeps a bounded number of bytes for any input', () => {
  const budgets = createRefusalBudgets({ maxActors: 4, maxActorKinds: 5, maxAnonymousKinds: 5 });
  const long = 'x'.repeat(100_000);
  let kept = 0;
  for (let actor = 0; actor < 10; actor += 1)
    for (let kind = 0; kind < 10; kind += 1) {
      const refusal = {
        ...refusedAccess(`actor-${actor}`, `/${kind}/${long}`),
        detail: long,
        code: long,
        action: long,
      };
      const written = budgets.take({ ...refusal, address: long });
      if (written !== undefined) kept += JSON.stringify(written).length;
    }
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(4 * 5 * 1_000);
});

it.each<[string, number, string]>([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['aä', 2, 'a'],
  ['aä', 3, 'aä'],
  ['€€', 5, '€'],
  ['😀😀', 7, '😀'],
  ['', 4, ''],
])('cuts %j at %i bytes, between characters', (text, maxBytes, expected) => {
  expect(cutText(text, maxBytes)).toBe(expected);
});
