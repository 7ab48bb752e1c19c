import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { logChange } from '@fds/database';
import { eventually } from '@fds/testing';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';

let world: RecordsWorld;
let domain: string;
let versionUuid: string;
let domainUuid: string;
let a: BusAdaptor;
let b: BusAdaptor;

beforeAll(async () => {
  world = await openRecordsWorld();
});
afterAll(() => world?.close());

const properties = (isExtraRequired: boolean) => ({
  id: { type: 'integer' },
  name: { type: 'string' },
  extra: { type: 'string', required: isExtraRequired },
});

/** The messages that an adaptor applied, oldest first. */
const sentTo = (adaptor: BusAdaptor): string[] =>
  adaptor.applied.map(({ event }) => `${event.action} ${event.jsonData}`);

const openIssues = (): Promise<number> =>
  world.database.prisma.dataIssue.count({ where: { adaptorUuid: b.uuid, status: 'OPEN' } });

/** Changes the model so that the parked events become valid, and waits until they are processed. */
const allowEmptyExtra = async (): Promise<void> => {
  await world.database.prisma.$transaction(async (tx) => {
    const modelSchema = JSON.stringify({ properties: properties(false) });
    const data = { modelSchema, changeVersion: { increment: 1 } };
    await tx.domainVersion.update({ where: { uuid: versionUuid }, data });
    const resource = `/domains/${domainUuid}/versions/${versionUuid}`;
    await logChange(tx, { action: 'PUT', resourceType: 'DomainVersion', resource, resourceUuid: versionUuid });
  });
  await eventually(async () => expect(await openIssues()).toBe(0));
};

/** A sets a value, and B applies and acknowledges it. */
const setAtA = async (record: { readonly name: string; readonly extra: string }): Promise<void> => {
  const before = b.applied.length;
  a.send({ action: 'PUT', json: { id: 1, ...record } });
  await eventually(() => expect(b.applied).toHaveLength(before + 1));
};

/** Two adaptors that send only the required fields of the bus contract. Both have record 1 of a model that requires `extra`. */
let domains = 0;
beforeEach(async () => {
  domain = `Held${(domains += 1)}`;
  const seeded = await world.seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: properties(true),
    drKeyProperties: ['id'],
  });
  versionUuid = seeded.domainVersionUuid;
  ({ domainUuid } = await world.database.prisma.domainVersion.findUniqueOrThrow({ where: { uuid: versionUuid } }));
  a = await world.connect(`A of ${domain}`, domain);
  b = await world.connect(`B of ${domain}`, domain);
  a.send({ action: 'POST', json: { id: 1, name: 'v1', extra: 'x' } });
  await eventually(() => expect(b.applied).toHaveLength(1));
  b.link({ action: 'LINK', domain, version: 1, drUuid: b.applied[0]?.event.drUuid ?? '' });
  await eventually(async () =>
    expect(await world.database.prisma.recordLink.count({ where: { adaptorUuid: b.uuid } })).toBe(1),
  );
});

describe('a parked event keeps the position at which it arrived', () => {
  it('messages acknowledged before it count as seen, so setting a value back is a change', async () => {
    await setAtA({ name: 'v2', extra: 'x' });
    b.send({ action: 'PUT', json: { id: 1, name: 'v1', extra: null } });
    await eventually(() => expect(b.acknowledged).toBe(1));
    expect(await openIssues()).toBe(1);
    await allowEmptyExtra();
    await eventually(() => expect(sentTo(a)).toEqual(['PUT {"id":1,"name":"v1","extra":null}']));
    expect(sentTo(b)).toEqual(['POST {"id":1,"name":"v1","extra":"x"}', 'PUT {"id":1,"name":"v2","extra":"x"}']);
  });

  it('when no message crossed it, its source does not get it back', async () => {
    b.send({ action: 'PUT', json: { id: 1, name: 'w', extra: null } });
    b.send({ action: 'PUT', json: { id: 1, name: 'u', extra: null } });
    await eventually(() => expect(b.acknowledged).toBe(2));
    expect(await openIssues()).toBeGreaterThan(0);
    await allowEmptyExtra();
    await eventually(() => expect(sentTo(a)).toHaveLength(2));
    expect(sentTo(b)).toEqual(['POST {"id":1,"name":"v1","extra":"x"}']);
  });

  it('messages acknowledged during the wait count as unseen, also when there are many', async () => {
    b.send({ action: 'PUT', json: { id: 1, name: 'v1', extra: null } });
    await eventually(() => expect(b.acknowledged).toBe(1));
    expect(await openIssues()).toBe(1);
    for (let number = 2; number <= 50; number += 1) await setAtA({ name: `v${number}`, extra: 'x' });
    await allowEmptyExtra();
    // B only repeated the old name
    await eventually(() => expect(sentTo(a)).toEqual(['PUT {"id":1,"extra":null}']));
    await eventually(() => expect(sentTo(b).slice(50)).toEqual(['PUT {"id":1,"extra":null}']));
  });

  it('a second parked event counts as made after the first', async () => {
    b.send({ action: 'PUT', json: { id: 1, name: 'w', extra: null } });
    b.send({ action: 'PUT', json: { id: 1, name: 'v1', extra: null } });
    await eventually(() => expect(b.acknowledged).toBe(2));
    expect(await openIssues()).toBeGreaterThan(0);
    await setAtA({ name: 'v2', extra: 'x' });
    await allowEmptyExtra();
    await eventually(() => expect(sentTo(a)).toHaveLength(2));
    expect(sentTo(a)).toEqual(['PUT {"id":1,"name":"w","extra":null}', 'PUT {"id":1,"name":"v1","extra":null}']);
    await eventually(() => expect(sentTo(b).at(-1)).toContain('"name":"v1"'));
  });
});
