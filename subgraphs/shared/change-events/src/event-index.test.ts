import { describe, expect, it } from '@jest/globals';
import type { ChangeEvent } from './change-event.js';
import { matchesEvents } from './compile-events.js';
import { eventActions, type EventEntry } from './event-entry.js';
import { createEventIndex } from './event-index.js';

/** The same sequence in each run. */
const createRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x7fffffff) * below) % below;
  };
};

const words = ['zones', 'adaptors', 'domains', 'a', 'b'];

describe('the index of events', () => {
  it('finds exactly those whose events include a change, also after replacements and removals', () => {
    const random = createRandom(7);
    const segment = (): string => ['?', '*', ...words, ...words][random(12)] as string;
    const pattern = (): string => `/${Array.from({ length: 1 + random(4) }, segment).join('/')}`;
    const entry = (): EventEntry => ({
      resource: pattern(),
      actions: [eventActions[random(5)] as EventEntry['actions'][number]],
    });
    const change = (): ChangeEvent => ({
      action: (['POST', 'PUT', 'PATCH', 'DELETE'] as const)[random(4)] as ChangeEvent['action'],
      resourceType: random(20) === 0 ? 'Internal' : 'Zone',
      resource: `/${Array.from({ length: 1 + random(4) }, () => words[random(5)]).join('/')}`,
    });
    const index = createEventIndex();
    const plain = new Map<string, EventEntry[]>();
    let found = 0;
    for (let step = 0; step < 1000; step += 1) {
      const holder = `holder ${random(60)}`;
      if (random(3) === 0) {
        index.delete(holder);
        plain.delete(holder);
      } else {
        const events = Array.from({ length: 1 + random(3) }, entry);
        index.set(holder, events);
        plain.set(holder, events);
      }
      const asked = change();
      const expected = [...plain].filter(([, events]) => matchesEvents(events, asked)).map(([name]) => name);
      expect([...index.find(asked)].toSorted()).toEqual(expected.toSorted());
      found += expected.length;
    }
    expect(found).toBeGreaterThan(1000);
  });

  it('finds a holder once, at each path of a change', () => {
    const index = createEventIndex();
    index.set('all', [
      { resource: '/*', actions: ['ALL'] },
      { resource: '/domains/versions/?', actions: ['POST'] },
    ]);
    index.set('versions', [{ resource: '/domains/versions/?', actions: ['POST', 'DELETE'] }]);
    const version = { resourceType: 'DomainVersion', resource: '/domains/d/versions/v', resourceUuid: 'v' } as const;
    expect([...index.find({ ...version, action: 'POST' })]).toEqual(['all', 'versions']);
    expect([...index.find({ ...version, action: 'PUT' })]).toEqual(['all']);
  });
});
