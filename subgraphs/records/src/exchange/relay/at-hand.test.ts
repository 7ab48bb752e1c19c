import { expect, it } from '@jest/globals';
import { createAtHand, type AtHandBudget } from './at-hand.js';

const message = (sequence: number, size: number) => ({ sequence, recordUuid: 'r', message: 'x'.repeat(size) });

it('keeps at most the budget for all adaptors together, and continues with one message', () => {
  const budget: AtHandBudget = { used: 0, max: 1_000_000 };
  const adaptors = Array.from({ length: 10 }, () => createAtHand(budget));
  for (const atHand of adaptors) {
    for (let sequence = 1; sequence <= 10; sequence += 1) atHand.offer(message(sequence, 200_000));
  }
  expect(budget.used).toBe(1_000_000);
  expect(adaptors.map(({ size }) => size)).toEqual([5, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(adaptors[1]?.maxLoaded).toBe(1);
  adaptors[1]?.replace([message(1, 200_000)]);
  expect(adaptors[1]?.peek(1, 1)).toHaveLength(1);
  adaptors[1]?.drop(1);
  expect(adaptors[0]?.peek(3, 5).map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
  expect(budget.used).toBe(1_000_000);
  adaptors[0]?.drop(5);
  expect(budget.used).toBe(0);
});

it('keeps at most 4 Mi characters of one adaptor', () => {
  const budget: AtHandBudget = { used: 0, max: 1_000_000_000 };
  const atHand = createAtHand(budget);
  for (let sequence = 1; sequence <= 100; sequence += 1) atHand.offer(message(sequence, 2 ** 18));
  expect(budget.used).toBe(2 ** 22);
  atHand.clear();
  expect(budget.used).toBe(0);
});
