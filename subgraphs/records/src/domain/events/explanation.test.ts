import { describe, expect, it } from '@jest/globals';
import { createAdaptor, createWorld, denying, uuid } from '../../testing/event-world.js';
import type { DestinationNote } from '../routing/destination-note.js';
import type { EventOutcome } from './event-outcome.js';
import { maxCandidates, readExplanation, timeOfUuid, writeExplanation } from './explanation.js';

const ada = { id: 1, name: 'Ada', note: 'new' };
const south = uuid(60);

const adaptors = [
  createAdaptor('A'),
  createAdaptor('B'),
  createAdaptor('C', { zoneUuid: south }),
  createAdaptor('D', { discoveryMode: true }),
  createAdaptor('E', { actions: ['GET'] }),
  createAdaptor('F', { active: false }),
  createAdaptor('G', { actions: ['PUT'] }),
];

const namesOf = new Map(adaptors.map(({ uuid: adaptorUuid, name }) => [adaptorUuid, name]));

/** `B POST` of a message, `C X` of an adaptor that is sent nothing. */
const shown = ({ notes = [] }: EventOutcome): string[] =>
  notes.map(({ adaptorUuid, reason, action }) => `${namesOf.get(adaptorUuid)} ${reason ?? action}`).toSorted();

const noteOn = ({ notes = [] }: EventOutcome, name: string): DestinationNote | undefined =>
  notes.find(({ adaptorUuid }) => namesOf.get(adaptorUuid) === name);

const textOf = (outcome: EventOutcome): string => {
  const event = outcome.event ?? outcome.echo;
  if (event === undefined) throw new TypeError('nothing is kept');
  return writeExplanation(event, outcome);
};

describe('the notes of an event', () => {
  it('name every adaptor that has a capability, with the first reason that applies', () => {
    const { happen } = createWorld({ adaptors });
    expect(shown(happen('A', { action: 'POST', json: ada }))).toEqual([
      'A SOURCE',
      'B POST',
      'C POST',
      'D POST',
      'E NOT_CAPABLE',
      'F INACTIVE',
      'G NOT_CAPABLE',
    ]);
  });

  it('tell an adaptor in discovery mode from one that is sent a record which is new everywhere', () => {
    const { happen } = createWorld({ adaptors: [createAdaptor('A'), createAdaptor('D', { actions: ['GET'] })] });
    happen('A', { action: 'POST', json: ada });
    const discovering = createWorld({
      adaptors: [createAdaptor('A'), createAdaptor('B', { discoveryMode: true, active: false })],
    });
    discovering.happen('A', { action: 'POST', json: ada });
    expect(shown(discovering.happen('A', { action: 'PUT', json: { id: 1, name: 'Grace' } }))).toEqual([
      'A SOURCE',
      'B DISCOVERY',
    ]);
  });

  it('name the entry that removed each property which would have been new', () => {
    const entry = denying({ uuid: uuid(71), zoneUuid: south, properties: ['note'], post: 'DENY', put: 'DENY' });
    const { happen } = createWorld({ adaptors, acls: [entry] });
    const created = happen('A', { action: 'POST', json: ada });
    expect(noteOn(created, 'C')).toMatchObject({
      reason: null,
      removed: [{ property: 'note', chain: 'INBOUND', aclUuid: uuid(71) }],
    });
    const changed = happen('A', { action: 'PUT', json: { ...ada, note: 'other' } });
    expect(noteOn(changed, 'C')).toMatchObject({
      reason: 'DENIED',
      by: { chain: 'INBOUND', aclUuid: uuid(71) },
      removed: [{ property: 'note', chain: 'INBOUND', aclUuid: uuid(71) }],
    });
  });

  it('show ECHO at a deletion for an adaptor that has already deleted the record', () => {
    const { happen } = createWorld({ adaptors: [createAdaptor('A'), createAdaptor('B'), createAdaptor('C')] });
    happen('A', { action: 'POST', json: ada });
    happen('B', { action: 'POST', json: ada });
    expect(shown(happen('A', { action: 'DELETE', drKey: { id: 1 } }))).toEqual(['A SOURCE', 'B DELETE', 'C DELETE']);
    expect(shown(happen('B', { action: 'DELETE', drKey: { id: 1 } }))).toEqual(['A ECHO', 'B SOURCE', 'C ECHO']);
  });

  it('are part of an echo, which is a separate event', () => {
    const { happen } = createWorld({ adaptors });
    const created = happen('A', { action: 'POST', json: ada });
    const echo = happen('B', { action: 'PUT', json: ada });
    expect(echo.event).toBeUndefined();
    expect(echo.echo).toMatchObject({ action: 'PUT', recordUuid: created.event?.recordUuid });
    expect(shown(echo)).toEqual(['A ECHO', 'B SOURCE', 'C ECHO', 'D ECHO', 'E ECHO', 'F ECHO', 'G ECHO']);
  });
});

describe('the text that is kept with an event', () => {
  it('has no note on the source, and none on adaptors that are sent the whole message', () => {
    const { happen } = createWorld({ adaptors: [createAdaptor('A'), createAdaptor('B'), createAdaptor('C')] });
    const created = happen('A', { action: 'POST', json: ada });
    expect(textOf(created)).toBe('{"o":""}');
    expect(readExplanation(textOf(created)).operation).toEqual({ aclUuid: null });
  });

  it('is read as it was written', () => {
    const entry = denying({ uuid: uuid(71), zoneUuid: south, properties: ['note'], post: 'DENY', put: 'DENY' });
    const { happen } = createWorld({ adaptors, acls: [entry] });
    const outcome: EventOutcome = {
      ...happen('A', { action: 'POST', json: ada }),
      way: { receivedAt: 1, issueUuid: uuid(72) },
    };
    const written = writeExplanation({ ...outcome.event!, writerUuid: uuid(73) }, outcome);
    const read = readExplanation(written);
    expect(read).toMatchObject({ issueUuid: uuid(72), writerUuid: uuid(73), candidates: [] });
    expect(read.notes.map(({ adaptorUuid }) => namesOf.get(adaptorUuid) ?? '').toSorted()).toEqual([
      'C',
      'E',
      'F',
      'G',
    ]);
    for (const note of read.notes) {
      const { removed = [], ...decided } = noteOn(outcome, namesOf.get(note.adaptorUuid) ?? '') ?? {};
      expect(note).toEqual({ action: undefined, by: undefined, changed: undefined, ...decided, removed });
    }
  });

  it('takes bounded room for candidates', () => {
    const { happen } = createWorld({ adaptors });
    const outcome = happen('A', { action: 'POST', json: ada });
    const candidate = {
      uuid: uuid(80),
      adaptorUuid: null,
      drKey: {},
      score: 1.5,
      comparisons: [
        { property: 'name', comparator: 'EXACT' as const, source: 'x'.repeat(100_000), destination: '', holds: true },
      ],
    };
    const many = Array.from({ length: 1_000 }, () => candidate);
    const written = textOf({ ...outcome, candidates: many });
    expect(readExplanation(written).candidates).toHaveLength(maxCandidates);
    expect(written.length).toBeLessThan(2_000);
  });
});

it('the time of a uuid of version 7 is read from it', () => {
  expect(timeOfUuid('019abcde-f012-7000-8000-000000000000')).toBe(0x019abcdef012);
});
