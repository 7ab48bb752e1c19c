import { deepStrictEqual } from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import type { AclEffect, AclEntry } from '@fds/governance-rules';
import { decideNaively } from '@fds/governance-rules/testing';
import type { JsonObject } from '@fds/json';
import { casesOf, createRandom, type Random } from '@fds/testing';
import { createAdaptor, createWorld, denying, uuid } from '../../testing/event-world.js';

/** The zone that owns the domain, and the zone of adaptor A. */
const [owner, foreign] = [uuid(50), uuid(60)];
const adaptors = [
  createAdaptor('A', { zoneUuid: foreign }),
  createAdaptor('B', { zoneUuid: owner }),
  createAdaptor('C', { zoneUuid: uuid(61) }),
];
const inbound = (entry: Partial<AclEntry>) => denying({ zoneUuid: owner, chain: 'INBOUND', uuid: uuid(71), ...entry });
const outbound = (entry: Partial<AclEntry>) =>
  denying({ zoneUuid: foreign, chain: 'OUTBOUND', uuid: uuid(72), ...entry });
const createStore = (acls: readonly AclEntry[]) =>
  createWorld({ domainType: 'SERVICE_DATA_STORE', adaptors, acls, acknowledged: true });

const ada = { id: 1, name: 'Ada', note: 'first' };
const everything = { post: 'DENY', put: 'DENY', delete: 'DENY' } as const;

describe('an event of an adaptor at the store', () => {
  it.each([
    ['the inbound chain of the zone that owns the domain', inbound(everything)],
    ['the outbound chain of the zone of the adaptor', outbound(everything)],
    ['an entry that names the adaptor', inbound({ ...everything, sourceAdaptorUuid: adaptors[0]?.uuid ?? '' })],
    ['an entry that names the version', inbound({ ...everything, domainVersionUuid: uuid(1) })],
  ])('is denied by %s, and goes to no adaptor', (_name, entry) => {
    const { happen, sent, book, version } = createStore([entry]);
    const { event: kept } = happen('B', { action: 'POST', json: ada });
    const record = book.byUuid(kept?.recordUuid ?? '');
    const denial = { adaptorUuid: null, chain: entry.chain, aclUuid: entry.uuid };

    const change = happen('A', { action: 'PUT', json: { ...ada, name: 'Mallory' } });
    expect(change.event).toMatchObject({ action: 'PUT', recordUuid: record?.uuid, denied: [denial] });
    expect([sent(change), change.change, change.issue]).toEqual([[], undefined, undefined]);
    expect(record?.json).toEqual(ada);

    const deletion = happen('A', { action: 'DELETE', drKey: { id: 1 } });
    expect(deletion.event).toMatchObject({ action: 'DELETE', denied: [denial] });
    expect([sent(deletion), deletion.change]).toEqual([[], undefined]);
    expect(book.byUuid(record?.uuid ?? '')?.json).toEqual(ada);

    const creation = happen('A', { action: 'POST', json: { ...ada, id: 2 } });
    expect(creation.event).toMatchObject({ action: 'POST', matchStatus: 'PRESUMED_NEW', denied: [denial] });
    expect(sent(creation)).toEqual([]);
    expect(book.byKey(version.uuid, version.model.keyDigest({ id: 2 }))).toEqual([]);
  });

  it('is not restricted by an entry that names a destination adaptor', () => {
    const { happen, book } = createStore([inbound({ ...everything, destinationAdaptorUuid: adaptors[1]?.uuid ?? '' })]);
    const { event } = happen('A', { action: 'POST', json: ada });
    expect(event).toMatchObject({ denied: [{ adaptorUuid: adaptors[1]?.uuid }] });
    expect(book.byUuid(event?.recordUuid ?? '')?.json).toEqual(ada);
  });

  it('is stored and routed without the properties that are denied', () => {
    const { happen, sent, book } = createStore([inbound({ put: 'DENY', properties: ['name'] })]);
    const { event: kept } = happen('B', { action: 'POST', json: ada });
    const outcome = happen('A', { action: 'PUT', json: { id: 1, name: 'Mallory', note: 'second' } });
    expect(outcome.event).toMatchObject({ denied: [], notStored: ['name'] });
    expect(outcome.stored).toEqual({
      zoneUuid: owner,
      action: 'PUT',
      json: { id: 1, note: 'second' },
      removedProperties: ['name'],
    });
    expect(book.byUuid(kept?.recordUuid ?? '')?.json).toEqual({ ...ada, note: 'second' });
    expect(sent(outcome).filter((message) => message.includes('Mallory'))).toEqual([]);
    expect(sent(outcome).join(' ')).toContain('second');
  });

  it('is denied when all of its news is, although other properties are repeated', () => {
    const { happen, book } = createStore([inbound({ put: 'DENY', properties: ['name'] })]);
    const { event: kept } = happen('B', { action: 'POST', json: ada });
    const outcome = happen('A', { action: 'PUT', json: { ...ada, name: 'Mallory' } });
    expect(outcome.event?.denied).toEqual([{ adaptorUuid: null, chain: 'INBOUND', aclUuid: uuid(71) }]);
    expect(book.byUuid(kept?.recordUuid ?? '')?.json).toEqual(ada);
  });

  it.each([
    ['a required property', 'name'],
    ['the DR Key', 'id'],
  ])('is denied when a new record would lack %s', (_name, property) => {
    const { happen, book, version } = createStore([inbound({ post: 'DENY', properties: [property] })]);
    const outcome = happen('A', { action: 'POST', json: ada });
    expect(outcome.issue).toBeUndefined();
    expect(outcome.event?.denied).toEqual([{ adaptorUuid: null, chain: 'INBOUND', aclUuid: uuid(71) }]);
    expect(book.byKey(version.uuid, version.model.keyDigest({ id: 1 }))).toEqual([]);
  });

  it('is judged again when the chains have changed', () => {
    const { happen, book } = createStore([inbound({ put: 'DENY', properties: ['name'] })]);
    const { event: kept } = happen('B', { action: 'POST', json: ada });
    happen('A', { action: 'PUT', json: { ...ada, name: 'Mallory' } });
    // a repetition of the same values is an echo: the source is known to hold them
    expect(happen('A', { action: 'PUT', json: { ...ada, name: 'Mallory' } }).event).toBeUndefined();
    happen('A', { action: 'PUT', json: { ...ada, name: 'Mallory', note: 'own' } });
    expect(book.byUuid(kept?.recordUuid ?? '')?.json).toEqual({ ...ada, note: 'own' });
  });

  it('counts at both chains, by default too', () => {
    const { happen } = createStore([]);
    const { consulted } = happen('A', { action: 'POST', json: ada });
    expect(consulted?.[0]).toMatchObject({
      destinationAdaptorUuid: null,
      destinationZoneUuid: owner,
      decision: { outcome: 'ALLOWED', byDefault: ['OUTBOUND', 'INBOUND'] },
    });
  });

  it('does not learn that other records refer to the record it may not delete', () => {
    const { happen } = createStore([inbound({ delete: 'DENY' })]);
    happen('B', { action: 'POST', json: ada });
    expect(happen('A', { action: 'DELETE', drKey: { id: 1 } })).toMatchObject({ event: { action: 'DELETE' } });
  });
});

it('does not consult a chain about a federated record', () => {
  const { happen } = createWorld({ adaptors: adaptors.slice(0, 1), acls: [inbound(everything)] });
  expect(happen('A', { action: 'POST', json: ada })).toMatchObject({ event: { denied: [] }, consulted: [] });
});

const effects: readonly (AclEffect | null)[] = ['ALLOW', 'DENY', null];
const randomEntry = ({ pick, some, below }: Random, position: number): AclEntry => {
  const chain = pick(['INBOUND', 'OUTBOUND'] as const);
  return denying({
    uuid: uuid(200 + position),
    zoneUuid: pick([owner, foreign]),
    chain,
    position,
    sourceZoneUuid: pick([null, owner, foreign]),
    destinationZoneUuid: pick([null, owner, foreign]),
    sourceAdaptorUuid: pick([null, ...adaptors.map(({ uuid }) => uuid)]),
    destinationAdaptorUuid: pick([null, null, ...adaptors.map(({ uuid }) => uuid)]),
    properties: below(2) === 0 ? [] : some(['id', 'name', 'note'], 0.4),
    post: pick(effects),
    put: pick(effects),
    delete: pick(effects),
    active: below(8) > 0,
    drUuids: [],
  });
};

it('stores the properties that the chains allow, as a naive reader of the entries does, in random worlds', () => {
  const seed = Number(process.env['FDS_TEST_SEED'] ?? 20_261_128);
  const random = createRandom(seed);
  let denied = 0;
  for (let world = 0; world < casesOf(200); world += 1) {
    const entries = Array.from({ length: random.below(8) }, (_, position) => randomEntry(random, position));
    const { happen, book, version } = createStore(entries);
    let stored: JsonObject | undefined;
    for (let step = 0; step < 20; step += 1) {
      const source = random.pick(adaptors);
      const isDeletion = random.below(5) === 0;
      const json: JsonObject = {
        id: 1,
        name: `name ${world} ${step}`,
        ...(random.below(2) === 0 ? {} : { note: `note ${world} ${step}` }),
      };
      const action = isDeletion ? 'DELETE' : stored === undefined ? 'POST' : 'PUT';
      const [before] = book.byKey(version.uuid, version.model.keyDigest({ id: 1 }));
      // a source that is not known to hold the record may report an older order to delete it
      if (isDeletion && before?.links.has(source.uuid) !== true) continue;
      const { outcome, removedProperties } = decideNaively(entries, {
        action,
        sourceZoneUuid: source.zoneUuid,
        sourceAdaptorUuid: source.uuid,
        destinationZoneUuid: owner,
        destinationAdaptorUuid: undefined,
        domainVersionUuid: version.uuid,
        drUuid: undefined,
        properties: isDeletion ? [] : Object.keys(json),
      });
      const left = Object.fromEntries(Object.entries(json).filter(([name]) => !removedProperties.includes(name)));
      const isWhole = stored !== undefined || ('id' in left && 'name' in left);
      if (outcome === 'DENIED' || !isWhole) denied += 1;
      else if (isDeletion) stored = undefined;
      else stored = { ...stored, ...left };

      if (isDeletion) happen(source.name, { action: 'DELETE', drKey: { id: 1 } });
      else happen(source.name, { action: 'PUT', json });
      const [record] = book.byKey(version.uuid, version.model.keyDigest({ id: 1 }));
      deepStrictEqual(record?.json ?? undefined, stored, `seed ${seed}: ${JSON.stringify({ entries, world, step })}`);
    }
  }
  expect(denied).toBeGreaterThan(0);
});
