import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { logChange } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import { loadOvertaken } from '../../store/issues/parked-events.js';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

let database: TestDatabase;
let seed: CatalogSeed;
let servers: readonly StartedRecords[] = [];
let zoneUuid: string;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  // whatever is released is released by both
  servers = [await startRecords(database), await startRecords(database)];
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await database?.drop();
});

const addVersion = (domainName: string) =>
  seed.addVersion({
    domainName,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });

const connect = async (name: string, domains: readonly string[], domain: string): Promise<BusAdaptor> => {
  const uuid = await seed.addAdaptor({ name, zoneUuid, domains: [...domains] });
  const [server] = servers;
  if (server === undefined) throw new TypeError('no server');
  const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
  await adaptor.connect();
  return adaptor;
};

/** Issues of an adaptor, oldest first. */
const issues = async (adaptorUuid: string): Promise<string[]> => {
  const found = await database.prisma.dataIssue.findMany({ where: { adaptorUuid }, orderBy: { uuid: 'asc' } });
  return found.map(({ cause, status, changeVersion }) => `${cause} ${status} ${changeVersion}`);
};

const change = (resourceUuid: string, write: (tx: Parameters<typeof logChange>[0]) => Promise<unknown>) =>
  database.prisma.$transaction(async (tx) => {
    await write(tx);
    const resource = `/zones/${zoneUuid}/adaptors/${resourceUuid}`;
    await logChange(tx, { action: 'PATCH', resourceType: 'Adaptor', resource, resourceUuid });
  });

const names = (adaptor: BusAdaptor): unknown[] =>
  adaptor.applied.map(({ event }) => (JSON.parse(event.jsonData) as { readonly name: string }).name);

describe('an event that waits continues once, although two processes see its release', () => {
  it('when its version is created; reports before later reports of the record are then stale', async () => {
    await addVersion('Known');
    const source = await connect('early', ['Known', 'Later'], 'Later');
    source.send({ action: 'POST', json: { id: 1, name: 'first' } });
    source.send({ action: 'POST', json: { id: 2, name: 'only' } });
    await eventually(async () =>
      expect(await issues(source.uuid)).toEqual(['UNKNOWN_VERSION OPEN 1', 'UNKNOWN_VERSION OPEN 1']),
    );
    await addVersion('Later');
    const destination = await connect('later', ['Later'], 'Later');
    await eventually(async () =>
      expect(await issues(source.uuid)).toEqual(['UNKNOWN_VERSION CLOSED 2', 'UNKNOWN_VERSION CLOSED 2']),
    );
    source.send({ action: 'PUT', json: { id: 1, name: 'second' } });
    await eventually(() => expect(names(destination)).toContain('second'));
    expect(await database.prisma.dataEvent.count({ where: { sourceAdaptorUuid: source.uuid } })).toBe(3);

    const [issue] = await database.prisma.dataIssue.findMany({ where: { adaptorUuid: source.uuid } });
    const [link] = await database.prisma.recordLink.findMany({ where: { adaptorUuid: source.uuid } });
    if (issue === undefined || link === undefined) throw new TypeError('nothing is left of the events');
    const { adaptorUuid, domainVersionUuid, keyDigest } = link;
    const queue = { adaptorUuid, domainVersionUuid, keyDigest: Buffer.from(keyDigest).toString('hex') };
    const old = { issueUuid: issue.uuid, queue };
    const events = [old, { issueUuid: newUuid(), queue }, { ...old, queue: { ...queue, keyDigest: '00' } }];
    expect([...(await loadOvertaken(database.pool, events))]).toEqual([issue.uuid]);
    expect(await loadOvertaken(database.pool, events.slice(1))).toEqual(new Set());
  });

  it('when its adaptor is active again', async () => {
    const { domainVersionUuid } = await addVersion('Paused');
    const source = await connect('paused', ['Paused'], 'Paused');
    source.send({ action: 'POST', json: { id: 'x', name: 'not valid' } });
    await eventually(async () => expect(await issues(source.uuid)).toHaveLength(1));
    const adaptor = { where: { uuid: source.uuid }, select: { uuid: true } };
    await change(source.uuid, (tx) => tx.adaptor.update({ ...adaptor, data: { active: false } }));
    await database.prisma.$transaction(async (tx) => {
      const modelSchema = JSON.stringify({ properties: { id: { type: 'string' }, name: { type: 'string' } } });
      const data = { modelSchema, changeVersion: { increment: 1 } };
      const { domainUuid } = await tx.domainVersion.update({ where: { uuid: domainVersionUuid }, data });
      const resource = `/domains/${domainUuid}/versions/${domainVersionUuid}`;
      await logChange(tx, { action: 'PUT', resourceType: 'DomainVersion', resource, resourceUuid: domainVersionUuid });
    });
    expect((await issues(source.uuid))[0]).toContain('OPEN');
    await change(source.uuid, (tx) => tx.adaptor.update({ ...adaptor, data: { active: true } }));
    await eventually(async () => expect((await issues(source.uuid))[0]).toContain('CLOSED 2'));
    expect(await database.prisma.dataEvent.count({ where: { sourceAdaptorUuid: source.uuid } })).toBe(1);
  });
});
