import { describe, expect, it } from '@jest/globals';
import { HeldLanes } from './held-lanes.js';

const lanesOf = (
  issues: Readonly<Record<string, readonly string[]>>,
  { unreadable = [], cut = [] }: { readonly unreadable?: readonly string[]; readonly cut?: readonly string[] } = {},
): HeldLanes =>
  new HeldLanes({
    issues: new Map(Object.entries(issues).map(([lane, uuids]) => [lane, [...uuids]])),
    unreadable: new Set(unreadable),
    cut: new Set(cut),
  });

describe('lanes', () => {
  it('park new events behind any issue, and waiting events behind earlier ones', () => {
    const lanes = lanesOf({ a: ['2', '4'] });
    expect(lanes.isHeld('a', undefined)).toBe(true);
    expect(lanes.isHeld('b', undefined)).toBe(false);
    expect(['1', '2', '3', '4'].map((issue) => lanes.isHeld('a', issue))).toEqual([false, false, true, true]);
  });

  it('let the next one go when the one before is settled', () => {
    const lanes = lanesOf({ a: ['2', '4'] });
    lanes.settle('a', '2');
    expect([lanes.first('a'), lanes.isHeld('a', '4')]).toEqual(['4', false]);
    lanes.settle('a', '4');
    expect([lanes.first('a'), lanes.isHeld('a', undefined)]).toEqual([undefined, false]);
    lanes.settle('b', '1');
    expect(lanes.first('b')).toBeUndefined();
  });

  it('put what is raised in its place, once', () => {
    const lanes = lanesOf({ a: ['2', '4'] });
    for (const issue of ['5', '3', '1', '3']) lanes.raise('a', issue, 'HELD');
    lanes.raise('b', '9', 'FAULTY');
    const order: string[] = [];
    for (let first = lanes.first('a'); first !== undefined; first = lanes.first('a')) {
      order.push(first);
      lanes.settle('a', first);
    }
    expect(order).toEqual(['1', '2', '3', '4', '5']);
    expect(lanes.first('b')).toBe('9');
  });

  it('name the first issue if its event cannot be read, loaded or raised', () => {
    const lanes = lanesOf({ a: ['2', '4'] }, { unreadable: ['2'] });
    expect(lanes.firstUnreadable('a')).toBe('2');
    lanes.settle('a', '2');
    expect(lanes.firstUnreadable('a')).toBeUndefined();
    lanes.raise('b', '9', 'UNREADABLE');
    expect(lanes.firstUnreadable('b')).toBe('9');
  });

  it('hold new events when all that was loaded is settled and there may be more', () => {
    const lanes = lanesOf({ a: ['2'], b: ['3'] }, { cut: ['a'] });
    lanes.settle('a', '2');
    lanes.settle('b', '3');
    expect([lanes.isHeld('a', undefined), lanes.hasWaiting('a')]).toEqual([true, true]);
    expect([lanes.isHeld('b', undefined), lanes.hasWaiting('b')]).toEqual([false, false]);
  });
});
