import { describe, expect, it } from '@jest/globals';
import { createAdaptor, createWorld } from '../../testing/event-world.js';
import type { Seen } from './seen.js';

const ada = { id: 1, name: 'Ada', note: 'n' };
const nothingYet: Seen = { applied: 0, begun: 0 };

/** A and B have the record; B's messages about it count as applied up to the given number. */
const linkedByBoth = () => {
  const world = createWorld({ adaptors: ['A', 'B'].map((name) => createAdaptor(name)) });
  const recordUuid = world.happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
  world.report('B', 'LINK', recordUuid);
  return world;
};
const firstSeen: Seen = { applied: 1, begun: 1 };

describe('an event', () => {
  it('overrides what its source had not seen, by event and property', () => {
    const { happen } = linkedByBoth();
    const first = happen('A', { action: 'PUT', json: { ...ada, name: 'Ada Byron', note: 'm' } });
    const second = happen('A', { action: 'PUT', json: { ...ada, name: 'Ada Lovelace', note: 'm' } });
    const outcome = happen('B', { action: 'PUT', json: { id: 1, name: 'Ada King', note: 'o' } }, firstSeen);
    expect(outcome.event?.overrides).toEqual([
      { eventUuid: second.event?.uuid, properties: ['name'] },
      { eventUuid: first.event?.uuid, properties: ['note'] },
    ]);
    expect(outcome.crossed).toBe('OVERRODE');
  });

  it.each([
    ['its source had seen the other', { id: 1, name: 'Ada King' }, { applied: 2, begun: 2 }],
    ['it changes something else', { id: 1, note: 'o' }, firstSeen],
    ['both say the same', { id: 1, name: 'Ada Lovelace' }, firstSeen],
  ])('overrides nothing where %s', (_case, json, seen) => {
    const { happen } = linkedByBoth();
    happen('A', { action: 'PUT', json: { ...ada, name: 'Ada Lovelace' } });
    const outcome = happen('B', { action: 'PUT', json }, seen);
    expect([outcome.event?.overrides, outcome.crossed]).toEqual([undefined, undefined]);
  });

  it('overrides another once: its own later reports are its own', () => {
    const { happen } = linkedByBoth();
    happen('A', { action: 'PUT', json: { ...ada, name: 'Ada Lovelace' } });
    expect(happen('B', { action: 'PUT', json: { id: 1, name: 'King' } }, firstSeen).crossed).toBe('OVERRODE');
    const again = happen('B', { action: 'PUT', json: { id: 1, name: 'Byron' } }, firstSeen);
    expect(again.event).toBeDefined();
    expect(again.event?.overrides).toBeUndefined();
  });

  it('does not override a change of a value that its source reported itself and only repeats', () => {
    const { happen, sent } = linkedByBoth();
    const note = happen('A', { action: 'PUT', json: { ...ada, note: 'm' } });
    happen('B', { action: 'PUT', json: { id: 1, name: 'King' } }, firstSeen);
    happen('A', { action: 'PUT', json: { id: 1, name: 'Byron' } });
    const outcome = happen('B', { action: 'PUT', json: { id: 1, name: 'King', note: 'o' } }, firstSeen);
    expect(outcome.event?.overrides).toEqual([{ eventUuid: note.event?.uuid, properties: ['note'] }]);
    expect(sent(outcome)).toEqual(['A PUT {"id":1,"note":"o"}', 'B PUT {"id":1,"note":"o"}']);
    // its user has set the former value again
    const back = happen('B', { action: 'PUT', json: { id: 1, name: 'Ada' } }, firstSeen);
    expect(back.event?.overrides).toMatchObject([{ properties: ['name'] }]);
  });

  it('changes a value back that its source has replaced in the meantime', () => {
    const { happen, sent } = linkedByBoth();
    happen('A', { action: 'PUT', json: { ...ada, note: 'm' } });
    happen('B', { action: 'PUT', json: { id: 1, name: 'King' } }, firstSeen);
    happen('A', { action: 'PUT', json: { id: 1, name: 'Byron' } });
    happen('B', { action: 'PUT', json: { id: 1, name: 'Queen' } }, firstSeen);
    const outcome = happen('B', { action: 'PUT', json: { id: 1, name: 'King' } }, firstSeen);
    expect(sent(outcome)).toEqual(['A PUT {"id":1,"name":"King"}', 'B PUT {"id":1,"name":"King"}']);
  });

  it('that creates what another has just created overrides its values', () => {
    const { happen } = createWorld({ adaptors: ['A', 'B'].map((name) => createAdaptor(name)) });
    const first = happen('A', { action: 'POST', json: ada });
    const outcome = happen('B', { action: 'POST', json: { id: 1, name: 'Ada', note: 'o' } }, nothingYet);
    expect(outcome.event?.overrides).toEqual([{ eventUuid: first.event?.uuid, properties: ['note'] }]);
  });

  it('that repeats the former state is stale, and not an event', () => {
    const { happen, sent } = linkedByBoth();
    happen('A', { action: 'PUT', json: { ...ada, name: 'Ada Lovelace' } });
    const outcome = happen('B', { action: 'PUT', json: ada }, firstSeen);
    expect([outcome.event, outcome.crossed, sent(outcome)]).toEqual([undefined, 'LATE', []]);
  });

  it('that deletes overrides all of the changes that its source had not seen', () => {
    const { happen } = linkedByBoth();
    const change = happen('A', { action: 'PUT', json: { ...ada, name: 'Ada Lovelace', note: 'm' } });
    const outcome = happen('B', { action: 'DELETE', drKey: { id: 1 } }, firstSeen);
    expect(outcome.event?.overrides).toEqual([{ eventUuid: change.event?.uuid, properties: [] }]);
    expect(outcome.crossed).toBe('OVERRODE');
  });

  it('that brings back what another deleted overrides the deletion', () => {
    const { happen, sent } = linkedByBoth();
    const deletion = happen('A', { action: 'DELETE', drKey: { id: 1 } });
    const outcome = happen('B', { action: 'PUT', json: { ...ada, note: 'still here' } }, firstSeen);
    expect(outcome.event?.overrides).toEqual([{ eventUuid: deletion.event?.uuid, properties: [] }]);
    expect(sent(outcome)).toContain('B POST {"id":1,"name":"Ada","note":"still here"}');
  });

  it('does not override its own deletion', () => {
    const { happen } = linkedByBoth();
    happen('A', { action: 'PUT', json: { ...ada, name: 'Ada Lovelace' } });
    happen('B', { action: 'DELETE', drKey: { id: 1 } }, firstSeen);
    const outcome = happen('B', { action: 'POST', json: { ...ada, name: 'Ada King' } }, firstSeen);
    expect(outcome.event).toBeDefined();
    expect(outcome.event?.overrides).toBeUndefined();
  });
});

describe('a deletion of a record that another change has brought back', () => {
  /** A deleted what B and C have, and B brought it back. The DELETE is message 2 to B and C, the return message 3. */
  const broughtBack = () => {
    const world = createWorld();
    const recordUuid = world.happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    for (const name of ['B', 'C']) world.report(name, 'LINK', recordUuid);
    world.happen('A', { action: 'DELETE', drKey: { id: 1 } });
    const back = world.happen('B', { action: 'PUT', json: { ...ada, note: 'still here' } }, firstSeen);
    return { ...world, back };
  };

  it.each([
    ['was made before it', firstSeen, []],
    ['may have been made before it', { applied: 1, begun: 3 }, ['C POST {"id":1,"name":"Ada","note":"still here"}']],
  ])('is kept as overridden by the change if it %s', (_when, seen, repeated) => {
    const { happen, sent, back } = broughtBack();
    const late = happen('C', { action: 'DELETE', drKey: { id: 1 } }, seen);
    expect(late.event).toMatchObject({ action: 'DELETE', recordUuid: back.event?.recordUuid, denied: [] });
    expect(late.event?.overriddenByUuid).toBe(back.event?.uuid);
    expect([late.crossed, late.change, sent(late)]).toEqual(['LATE', undefined, repeated]);
  });

  it('takes effect if its source had seen the change', () => {
    const { happen, sent } = broughtBack();
    const deletion = happen('C', { action: 'DELETE', drKey: { id: 1 } }, { applied: 3, begun: 3 });
    expect(deletion.event?.overriddenByUuid).toBeUndefined();
    expect(sent(deletion)).toEqual(['A DELETE {}', 'B DELETE {}']);
  });

  it('takes effect if its source brought the record back itself, before it was told to delete it', () => {
    const { happen, sent } = broughtBack();
    const deletion = happen('B', { action: 'DELETE', drKey: { id: 1 } }, firstSeen);
    expect([deletion.event?.action, deletion.event?.overriddenByUuid]).toEqual(['DELETE', undefined]);
    expect(sent(deletion)).toEqual(['A DELETE {}', 'C DELETE {}', 'B DELETE {}']);
  });
});
