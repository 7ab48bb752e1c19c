import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';

let world: RecordsWorld;

beforeAll(async () => {
  world = await openRecordsWorld();
});
afterAll(() => world?.close());

const addVersion = (domainName: string) =>
  world.seed.addVersion({
    domainName,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' } },
    drKeyProperties: ['id'],
  });

const causes = async (adaptorUuid: string): Promise<(string | null)[]> => {
  const found = await world.database.prisma.dataIssue.findMany({ where: { adaptorUuid }, orderBy: { uuid: 'asc' } });
  return found.map(({ cause, status }) => `${cause} ${status}`);
};

describe('an adaptor is informed of a refused event', () => {
  it('with its place, its key, the cause and the places of the faults, once', async () => {
    await addVersion('Refused');
    const source = await world.connect('informed', 'Refused');
    const transactionUuid = randomUUID();
    source.send({ action: 'POST', json: { id: 1 } });
    source.send({ action: 'POST', json: { id: 2, colour: 'red' }, transactionUuid });
    // it waits behind the one before it and is not a separate issue
    source.send({ action: 'PUT', json: { id: 2 } });
    source.sendUnreadable();
    await eventually(() => expect(source.refusals).toHaveLength(2));
    await eventually(() => expect(source.acknowledged).toBe(4));
    const [invalid, unreadable] = source.refusals;
    expect(invalid).toMatchObject({
      sequence: 2,
      transactionUuid,
      action: 'POST',
      domain: 'Refused',
      version: 1,
      drKey: { id: 2 },
      errors: [{ pointer: '/json/colour', code: 'UNKNOWN_PROPERTY' }],
    });
    expect(unreadable).toMatchObject({ sequence: 4, code: 'UNREADABLE' });
    const issues = await world.database.prisma.dataIssue.findMany({
      where: { adaptorUuid: source.uuid, cause: { not: 'HELD' } },
    });
    expect(issues.map(({ uuid }) => uuid).sort()).toEqual(source.refusals.map(({ issueUuid }) => issueUuid).sort());
    source.resend(2);
    await eventually(() => expect(source.acknowledged).toBe(4));
    expect(source.refusals).toHaveLength(2);
  });
});

describe('an event that was refused a moment ago continues without an issue, before the change log delivers the change', () => {
  it('when its adaptor was given the capability', async () => {
    await addVersion('Granted');
    const source = await world.connect('granted', 'Granted', ['GET']);
    const destination = await world.connect('beside', 'Granted');
    source.send({ action: 'POST', json: { id: 1 } });
    await eventually(async () => expect(await causes(source.uuid)).toEqual(['FAULTY OPEN']));
    await world.database.prisma.adaptorCapability.create({
      data: { adaptorUuid: source.uuid, position: 1, domainName: 'granted', versionNumber: 1, action: 'POST' },
    });
    source.send({ action: 'POST', json: { id: 2 } });
    await eventually(() => expect(destination.applied.map(({ event }) => event.jsonData)).toContain('{"id":2}'));
    // and the waiting events continue too
    await eventually(async () => expect(await causes(source.uuid)).toEqual(['FAULTY CLOSED']));
    await eventually(() => expect(destination.applied.map(({ event }) => event.jsonData)).toContain('{"id":1}'));
  });

  it('when its version was created', async () => {
    const source = await world.connect('early', 'Created');
    await world.database.prisma.$transaction(async (tx) => {
      const [domainUuid, uuid] = [randomUUID(), randomUUID()];
      const name = 'Created';
      const { uuid: owner } = await tx.zone.findFirstOrThrow();
      await tx.domain.create({
        data: {
          uuid: domainUuid,
          name,
          nameKey: 'created',
          domainType: 'FEDERATED',
          zoneUuid: owner,
          defaultVersionUuid: uuid,
        },
      });
      const modelSchema = JSON.stringify({ properties: { id: { type: 'integer' } } });
      await tx.domainVersion.create({
        data: { uuid, domainUuid, versionNumber: 1, modelSchema, drKeyProperties: ['id'] },
      });
    });
    source.send({ action: 'POST', json: { id: 1 } });
    await eventually(() => expect(source.acknowledged).toBe(1));
    expect(await causes(source.uuid)).toEqual([]);
    expect(await world.database.prisma.dataEvent.count({ where: { sourceAdaptorUuid: source.uuid } })).toBe(1);
  });
});
