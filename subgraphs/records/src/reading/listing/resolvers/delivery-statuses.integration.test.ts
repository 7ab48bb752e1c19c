import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import type { AdaptorError } from '@fds/adaptor-protocol';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { RequestContext } from '@fds/graphql';
import type { JsonObject } from '@fds/json';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import { createAdaptorErrorTaker } from '../../../issues/settlement/create-adaptor-error-taker.js';
import { createBusAdaptor, type BusAdaptor } from '../../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../../testing/start-records.js';

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let counter = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  server = await startRecords(database);
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

let zoneUuid: string;
let source: BusAdaptor;
let destination: BusAdaptor;
/** Domain version of this test. */
let domainVersionUuid: string;
beforeEach(async () => {
  counter += 1;
  const domain = `Stands${counter}`;
  zoneUuid = await seed.addZone(`Destination ${counter}`);
  const sourceZone = await seed.addZone(`Source ${counter}`);
  ({ domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } },
    drKeyProperties: ['id'],
  }));
  const connect = async (name: string, zone: string): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name: `${name} ${counter}`, zoneUuid: zone, domains: [domain] });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  source = await connect('source', sourceZone);
  destination = await connect('destination', zoneUuid);
});

const principal: Principal = {
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'dgs',
  zones: [],
  defaultZoneUuid: randomUUID(),
  permits: () => true,
};

const anyRule: AccessRule = {
  effect: 'ALLOW',
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
};

const report = async (json: JsonObject): Promise<void> => {
  const before = source.acknowledged;
  source.send({ action: 'POST', json });
  await eventually(() => expect(source.acknowledged).toBe(before + 1));
};
const recordUuid = async (): Promise<string> =>
  (await database.prisma.dataRecord.findFirstOrThrow({ where: { domainVersionUuid } })).uuid;

/** The state of the record's newest event at each destination. */
const destinations = async (caller: Principal = principal): Promise<unknown> => {
  const contextValue: RequestContext = { principal: caller, requestId: 'test' };
  const answer = await graphql({
    schema: server.subgraph.schema,
    source: `query ($drUuid: Uuid!) { dataEvents(drUuid: $drUuid, size: 1) {
      data { destinations { adaptorUuid status removedProperties aclUuid notApplied { property reason } } } } }`,
    variableValues: { drUuid: await recordUuid() },
    contextValue,
  });
  expect(answer.errors).toBeUndefined();
  const { dataEvents } = answer.data as unknown as { dataEvents: { data: { destinations: unknown }[] } };
  return JSON.parse(JSON.stringify(dataEvents.data[0]?.destinations)) as unknown;
};
const standing = (status: string, members: JsonObject = {}) => [
  { adaptorUuid: destination.uuid, status, removedProperties: [], aclUuid: null, notApplied: [], ...members },
];

describe('the status of a data event at a destination is', () => {
  it('QUEUED while the adaptor is paused, then as APPLIED', async () => {
    await seed.setState(destination.uuid, 'PAUSED');
    destination.disconnect();
    await report({ id: 1 });
    expect(await destinations()).toEqual(standing('QUEUED'));
    expect(destination.applied).toHaveLength(0);
    await seed.setState(destination.uuid, 'STARTED');
    await destination.connect();
    await eventually(async () => expect(await destinations()).toEqual(standing('APPLIED')));
  });

  it('DELIVERED when it was sent and is not acknowledged, then as APPLIED', async () => {
    destination.become('ignore');
    await report({ id: 1 });
    await eventually(async () => expect(await destinations()).toEqual(standing('DELIVERED')));
    destination.become('apply');
    await destination.connect();
    await eventually(async () => expect(await destinations()).toEqual(standing('APPLIED')));
  });

  it('APPLIED when it is acknowledged, without what governance removed', async () => {
    await seed.denyInbound(zoneUuid, ['note']);
    // until the entry is known
    await eventually(async () => {
      await report({ id: 1, name: randomUUID(), note: 'kept back' });
      expect(await destinations()).toMatchObject([{ removedProperties: ['note'] }]);
    });
    await eventually(async () =>
      expect(await destinations()).toEqual(standing('APPLIED', { removedProperties: ['note'] })),
    );
    expect(destination.applied.at(-1)?.event.jsonData).not.toContain('note');
  });

  it('FAILED when the adaptor reports that it cannot handle it', async () => {
    await report({ id: 1 });
    await eventually(async () => expect(await destinations()).toEqual(standing('APPLIED')));
    const [{ sequence } = { sequence: 0 }] = destination.applied;
    const error = { level: 'ERROR', kind: 'DATA', message: 'no such column', sequence } as const;
    await createAdaptorErrorTaker({ database })(destination.uuid, error, { id: newUuid(), time: new Date() });
    expect(await destinations()).toEqual(standing('FAILED'));
  });

  it('APPLIED without the properties that the adaptor names, whether it names them before or after its acknowledgement', async () => {
    const warn = async (named: Partial<AdaptorError>): Promise<void> => {
      const error = { level: 'WARN', kind: 'DATA', message: 'not mapped', ...named } as const;
      await createAdaptorErrorTaker({ database })(destination.uuid, error, { id: newUuid(), time: new Date() });
    };
    destination.become('ignore');
    await report({ id: 1, name: 'Ada', note: 'n' });
    await eventually(async () => expect(await destinations()).toEqual(standing('DELIVERED')));
    await warn({ sequence: 1, properties: ['note', 'unknown'] });
    const noted = { notApplied: [{ property: 'note', reason: 'not mapped' }] };
    expect(await destinations()).toEqual(standing('DELIVERED', noted));
    destination.become('apply');
    await destination.connect();
    await eventually(async () => expect(await destinations()).toEqual(standing('APPLIED', noted)));

    const [{ event: { transactionUuid, drUuid } } = { event: { transactionUuid: '', drUuid: '' } }] =
      destination.applied;
    await warn({ transactionUuid, drUuid, properties: ['name'], message: 'read-only: "Ada"' });
    await warn({ transactionUuid, properties: ['id'] });
    expect(await destinations()).toEqual(
      standing('APPLIED', {
        notApplied: [
          { property: 'name', reason: 'read-only: "Ada"' },
          { property: 'note', reason: 'not mapped' },
        ],
      }),
    );
    const denied = { ...anyRule, effect: 'DENY', properties: ['note'] } as const;
    const restricted = { ...principal, dataAccess: compileDataAccess([[denied]], new Map()) };
    expect(await destinations(restricted)).toMatchObject([
      { notApplied: [{ property: 'name', reason: 'the adaptor did not apply it' }] },
    ]);
    expect(await database.prisma.dataIssue.count({ where: { adaptorUuid: destination.uuid } })).toBe(0);
  });

  it('DENIED, by the entry that denies all of it', async () => {
    const aclUuid = await seed.denyInbound(zoneUuid, []);
    let id = 0;
    await eventually(async () => {
      id += 1;
      await database.prisma.dataRecord.deleteMany({ where: { domainVersionUuid } });
      await report({ id });
      expect(await destinations()).toEqual(standing('DENIED', { aclUuid }));
    });
    expect(destination.applied.filter(({ event }) => event.jsonData.includes(`"id":${id}`))).toEqual([]);
  });
});
