import { describe, expect, it } from '@jest/globals';
import type { RaisedIssue } from '../events/event-outcome.js';
import { ParkedQueues } from './parked-queues.js';

const raised = (uuid: string, members: Partial<RaisedIssue> = {}): RaisedIssue => ({
  uuid,
  title: '',
  exception: 'OTHER',
  matchStatus: null,
  zoneUuid: 'z',
  adaptorUuid: 'a',
  domainVersionUuid: 'v',
  recordUuid: null,
  keyDigest: '00',
  cause: 'HELD',
  dataEvent: '{}',
  errors: [],
  ...members,
});

const queuesOf = (
  issues: Readonly<Record<string, readonly string[]>>,
  { unreadable = [], cut = [] }: { readonly unreadable?: readonly string[]; readonly cut?: readonly string[] } = {},
): ParkedQueues =>
  new ParkedQueues({
    issues: new Map(Object.entries(issues).map(([queue, uuids]) => [queue, [...uuids]])),
    invalid: new Map(unreadable.map((uuid) => [uuid, { kind: 'UNREADABLE' }])),
    cut: new Set(cut),
    ofRecords: [],
    braked: new Map(),
  });

describe('lanes', () => {
  it('park new events behind any issue, and waiting events behind earlier ones', () => {
    const queues = queuesOf({ a: ['2', '4'] });
    expect(queues.isBlocked('a', undefined)).toBe(true);
    expect(queues.isBlocked('b', undefined)).toBe(false);
    expect(['1', '2', '3', '4'].map((issue) => queues.isBlocked('a', issue))).toEqual([false, false, true, true]);
  });

  it('let the next one go when the one before is settled', () => {
    const queues = queuesOf({ a: ['2', '4'] });
    queues.settle('a', '2');
    expect([queues.first('a'), queues.isBlocked('a', '4')]).toEqual(['4', false]);
    queues.settle('a', '4');
    expect([queues.first('a'), queues.isBlocked('a', undefined)]).toEqual([undefined, false]);
    queues.settle('b', '1');
    expect(queues.first('b')).toBeUndefined();
  });

  it('put what is raised in its place, once', () => {
    const queues = queuesOf({ a: ['2', '4'] });
    for (const issue of ['5', '3', '1', '3']) queues.raise('a', raised(issue));
    queues.raise('b', raised('9', { cause: 'FAULTY' }));
    const order: string[] = [];
    for (let first = queues.first('a'); first !== undefined; first = queues.first('a')) {
      order.push(first);
      queues.settle('a', first);
    }
    expect(order).toEqual(['1', '2', '3', '4', '5']);
    expect(queues.first('b')).toBe('9');
  });

  it('name the first issue if its event is not valid, loaded or raised', () => {
    const queues = queuesOf({ a: ['2', '4'] }, { unreadable: ['2'] });
    expect(queues.firstInvalid('a')).toEqual({ uuid: '2', event: { kind: 'UNREADABLE' } });
    queues.settle('a', '2');
    expect(queues.firstInvalid('a')).toBeUndefined();
    const dataEvent = '{"json":{"Name":1,"note":"n"}}';
    const errors = [{ pointer: '/json/name', code: 'WRONG_TYPE', detail: '' }];
    queues.raise('b', raised('9', { cause: 'FAULTY', exception: 'PARSING', dataEvent, errors }));
    expect(queues.firstInvalid('b')?.event).toEqual({
      kind: 'READABLE',
      sound: { properties: { note: 'n' }, seen: undefined },
    });
  });

  it.each([
    ['OPERATIONAL', 'OTHER'],
    ['AMBIGUOUS', 'MATCHING'],
    ['FAULTY', 'OTHER'],
    ['HELD', 'OTHER'],
    ['KEY_TAKEN', 'MATCHING'],
  ] as const)('take an event that waits as %s of %s for a valid one', (cause, exception) => {
    const queues = queuesOf({});
    queues.raise('a', raised('1', { cause, exception }));
    expect([queues.first('a'), queues.firstInvalid('a')]).toEqual(['1', undefined]);
  });

  it('hold new events when all that was loaded is settled and there may be more', () => {
    const queues = queuesOf({ a: ['2'], b: ['3'] }, { cut: ['a'] });
    queues.settle('a', '2');
    queues.settle('b', '3');
    expect([queues.isBlocked('a', undefined), queues.hasWaiting('a')]).toEqual([true, true]);
    expect([queues.isBlocked('b', undefined), queues.hasWaiting('b')]).toEqual([false, false]);
  });
});
