import { describe, expect, it } from '@jest/globals';
import type { AclEntry } from '@fds/governance-rules';
import { parseJson } from '@fds/json';
import { createAdaptor, createWorld, denying, uuid } from '../../testing/event-world.js';
import type { EventOutcome } from '../events/event-outcome.js';

const ada = { id: 1, name: 'Ada' };

describe('data-store records of which governance keeps something back', () => {
  const [north, south, west] = [uuid(60), uuid(61), uuid(62)];
  const adaptors = [
    createAdaptor('A', { zoneUuid: north }),
    createAdaptor('B', { zoneUuid: south }),
    createAdaptor('C', { zoneUuid: west }),
  ];
  const keepNote = denying({
    zoneUuid: south,
    properties: ['note'],
    sourceZoneUuid: north,
    post: 'DENY',
    put: 'DENY',
  });
  const start = (acls: readonly AclEntry[]) => createWorld({ domainType: 'SERVICE_DATA_STORE', adaptors, acls });
  const dataFor = ({ deliveries }: EventOutcome, name: string) =>
    deliveries
      .filter(({ adaptorUuid }) => adaptorUuid === createAdaptor(name).uuid)
      .map(({ message }) => parseJson((parseJson(message) as { jsonData: string }).jsonData));

  it('do not carry it through the event of another zone, linked or not', () => {
    const { happen, report } = start([keepNote]);
    const created = happen('A', { action: 'POST', json: { ...ada, note: 'canary' } });
    expect(dataFor(created, 'B')).toEqual([ada]);
    const posted = happen('C', { action: 'PUT', json: { id: 1, name: 'Grace' } });
    expect(dataFor(posted, 'B')).toEqual([{ id: 1, name: 'Grace' }]);
    report('B', 'LINK', created.event?.recordUuid ?? '');
    const put = happen('C', { action: 'PUT', json: { id: 1, name: 'Ada' } });
    expect(dataFor(put, 'B')).toEqual([ada]);
    expect(
      put.deliveries.find(({ adaptorUuid }) => adaptorUuid === createAdaptor('B').uuid)?.removedProperties,
    ).toEqual(['note']);
  });

  it('do not carry it through a whole record that another zone only repeats', () => {
    const { happen } = start([keepNote]);
    const created = happen('A', { action: 'POST', json: { ...ada, note: 'canary' } });
    expect(dataFor(created, 'C')).toEqual([{ ...ada, note: 'canary' }]);
    const repeated = happen('C', { action: 'PUT', json: { id: 1, name: 'Grace', note: 'canary' } });
    expect(dataFor(repeated, 'B')).toEqual([{ id: 1, name: 'Grace' }]);
  });

  it('do not carry it later where the message that kept it back was too large to be sent', () => {
    const { happen, report, leftOut } = start([keepNote]);
    const created = happen('A', { action: 'POST', json: ada });
    report('B', 'LINK', created.event?.recordUuid ?? '');
    const large = happen('A', { action: 'PUT', json: { id: 1, name: '"'.repeat(100_000), note: 'canary' } });
    expect(dataFor(large, 'B')).toEqual([]);
    expect(leftOut()).toHaveLength(2);
    const changed = happen('C', { action: 'PUT', json: { id: 1, name: 'Grace' } });
    expect(dataFor(changed, 'B')).toEqual([{ id: 1, name: 'Grace' }]);
  });

  it('carry what a zone that may give it sets', () => {
    const { happen } = start([keepNote]);
    happen('A', { action: 'POST', json: { ...ada, note: 'canary' } });
    const changed = happen('C', { action: 'PUT', json: { id: 1, note: 'of C' } });
    expect(dataFor(changed, 'B')).toEqual([{ ...ada, note: 'of C' }]);
  });

  it('evaluate the store’s zone for values that an adaptor without the record lacks', () => {
    const keepAll = denying({ zoneUuid: south, sourceZoneUuid: north, post: 'DENY', put: 'DENY' });
    const keepStored = denying({
      uuid: uuid(71),
      zoneUuid: south,
      position: 1,
      sourceZoneUuid: uuid(50),
      properties: ['note'],
      post: 'DENY',
    });
    for (const [acls, expected] of [
      [[keepAll], { id: 1, name: 'Grace', note: 'canary' }],
      [[keepAll, keepStored], { id: 1, name: 'Grace' }],
    ] as const) {
      const { happen } = start(acls);
      const created = happen('A', { action: 'POST', json: { ...ada, note: 'canary' } });
      expect(dataFor(created, 'B')).toEqual([]);
      expect(created.event?.denied).toMatchObject([{ aclUuid: keepAll.uuid }]);
      const changed = happen('C', { action: 'PUT', json: { id: 1, name: 'Grace' } });
      expect(dataFor(changed, 'B')).toEqual([expected]);
      expect(changed.event?.denied).toEqual([]);
      const asked = (changed.consulted ?? []).filter(({ destinationZoneUuid }) => destinationZoneUuid === south);
      expect(asked.map(({ sourceZoneUuid }) => sourceZoneUuid)).toEqual([west, uuid(50)]);
    }
  });
});
