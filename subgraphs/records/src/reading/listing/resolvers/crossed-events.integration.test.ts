import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { JsonObject } from '@fds/json';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../../testing/start-records.js';

const any: AccessRule = {
  effect: 'ALLOW',
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
};

/** A person with all permissions, restricted by the rules if there are any. */
const somebody = (...rules: readonly Partial<AccessRule>[]): Principal => ({
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'x',
  zones: [],
  defaultZoneUuid: undefined,
  permits: () => true,
  ...(rules.length === 0
    ? {}
    : { dataAccess: compileDataAccess([rules.map((rule) => ({ ...any, ...rule }))], new Map()) }),
});

interface ShownEvent {
  readonly uuid: string;
  readonly action: string;
  readonly overrides: unknown;
  readonly overriddenBy: unknown;
}

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
const outcomes: string[] = [];
let counter = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  server = await startRecords(database, { onCrossed: (outcome) => outcomes.push(outcome) });
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

let [west, east]: string[] = [];
let a: BusAdaptor;
let b: BusAdaptor;
let recordUuid: string;
/** A record that A and B hold, and that B is about to change without having applied what A changed. */
beforeEach(async () => {
  outcomes.length = 0;
  counter += 1;
  const domain = `Crossed${counter}`;
  const { domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  [west, east] = [await seed.addZone(`West ${counter}`), await seed.addZone(`East ${counter}`)];
  const connect = async (name: string, zoneUuid: string): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name: `${name} ${counter}`, zoneUuid, domains: [domain] });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  a = await connect('a', west);
  b = await connect('b', east);
  await report(a, { id: 1, name: 'Ada', note: 'n' });
  await eventually(() => expect(b.applied).toHaveLength(1));
  await report(b, { id: 1, name: 'Ada', note: 'n' });
  ({ uuid: recordUuid } = await database.prisma.dataRecord.findFirstOrThrow({ where: { domainVersionUuid } }));
  b.become('ignore');
  await report(a, { id: 1, name: 'Ada Byron', note: 'm' });
});

const report = async (adaptor: BusAdaptor, json: JsonObject): Promise<void> => {
  const before = adaptor.acknowledged;
  adaptor.send({ action: 'PUT', json });
  await eventually(() => expect(adaptor.acknowledged).toBe(before + 1));
};

const events = async (principal = somebody(), drUuid = recordUuid): Promise<readonly ShownEvent[]> => {
  const answer = await graphql({
    schema: server.subgraph.schema,
    source: `query ($drUuid: Uuid!) { dataEvents(drUuid: $drUuid) { data {
      uuid action
      overrides { eventUuid sourceAdaptorUuid properties } overriddenBy { eventUuid sourceAdaptorUuid properties }
    } } }`,
    variableValues: { drUuid },
    contextValue: { principal, requestId: 'test' },
  });
  expect(answer.errors).toBeUndefined();
  const { dataEvents } = JSON.parse(JSON.stringify(answer.data)) as { dataEvents: { data: ShownEvent[] } };
  return dataEvents.data;
};
const clash = { id: 1, name: 'Ada King', note: 'o' };

describe('events that crossed', () => {
  it('show the events on both sides, and are reported when they are committed', async () => {
    expect(outcomes).toEqual([]);
    await report(b, clash);
    const [winner, loser, first] = await events();
    expect([winner, loser, first]).toEqual([
      {
        uuid: expect.any(String),
        action: 'PUT',
        overrides: [{ eventUuid: loser?.uuid, sourceAdaptorUuid: a.uuid, properties: ['name', 'note'] }],
        overriddenBy: [],
      },
      {
        uuid: expect.any(String),
        action: 'PUT',
        overrides: [],
        overriddenBy: [{ eventUuid: winner?.uuid, sourceAdaptorUuid: b.uuid, properties: ['name', 'note'] }],
      },
      { uuid: expect.any(String), action: 'POST', overrides: [], overriddenBy: [] },
    ]);
    expect(outcomes).toEqual(['OVERRODE']);
    b.become('apply');
    await b.connect();
    await eventually(() => expect(b.applied.at(-1)?.event.jsonData).toContain('Ada King'));
    expect(a.applied.at(-1)?.event.jsonData).toContain('Ada King');
  });

  it('are reported as late where they only repeat former content', async () => {
    await report(b, { id: 1, name: 'Ada', note: 'n' });
    expect((await events()).map(({ overrides }) => overrides)).toEqual([[], []]);
    expect(outcomes).toEqual(['LATE']);
  });

  it('name no property that is masked, at either of the two', async () => {
    await report(b, clash);
    for (const rule of [{ properties: ['name'] }, { zoneUuid: west ?? '', properties: ['name'] }]) {
      const [winner, loser] = await events(somebody({ effect: 'DENY', ...rule }));
      expect(winner?.overrides).toMatchObject([{ eventUuid: loser?.uuid, properties: ['note'] }]);
      expect(loser?.overriddenBy).toMatchObject([{ eventUuid: winner?.uuid, properties: ['note'] }]);
    }
    const [winner] = await events(somebody({ effect: 'DENY', properties: ['name', 'note'] }));
    expect(winner?.overrides).toEqual([]);
  });

  it('do not reveal an event of a hidden adaptor', async () => {
    await report(b, clash);
    const inEast = await events(somebody({ zoneUuid: east ?? '' }));
    expect(inEast).toEqual([{ uuid: expect.any(String), action: 'PUT', overrides: [], overriddenBy: [] }]);
    const inWest = await events(somebody({ zoneUuid: west ?? '' }));
    expect(inWest).toHaveLength(2);
    for (const event of inWest) expect(event).toMatchObject({ overrides: [], overriddenBy: [] });
  });

  it('do not tell of one that is gone from the history', async () => {
    await report(b, clash);
    const [, loser] = await events();
    await database.prisma.dataEvent.delete({ where: { uuid: loser?.uuid ?? '' } });
    expect((await events())[0]?.overrides).toEqual([]);
  });
});

describe.each(['FEDERATED', 'SERVICE_DATA_STORE'] as const)(
  'deletions of a %s record that a change brings back',
  (domainType) => {
    let deleting: readonly BusAdaptor[];
    let changing: BusAdaptor;
    let versionUuid: string;
    /** Four adaptors hold a record. None applies anything from then on. */
    beforeEach(async () => {
      const domain = `Deleted${counter}`;
      const { domainVersionUuid } = await seed.addVersion({
        domainName: domain,
        domainType,
        properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } },
        drKeyProperties: ['id'],
      });
      versionUuid = domainVersionUuid;
      const adaptors: BusAdaptor[] = [];
      for (const name of ['first', 'second', 'third', 'changing']) {
        const uuid = await seed.addAdaptor({ name: `${name} ${counter}`, zoneUuid: west ?? '', domains: [domain] });
        const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
        await adaptor.connect();
        await report(adaptor, { id: 1, name: 'Ada', note: 'n' });
        adaptor.become('ignore');
        adaptors.push(adaptor);
      }
      [changing, deleting] = [adaptors[3] as BusAdaptor, adaptors.slice(0, 3)];
    });

    const deleteAt = async (adaptor: BusAdaptor | undefined): Promise<void> => {
      const before = adaptor?.acknowledged ?? 0;
      adaptor?.send({ action: 'DELETE', drKey: { id: 1 } });
      await eventually(() => expect(adaptor?.acknowledged).toBe(before + 1));
    };
    /** The events of all records that ever had the key, oldest first. */
    const allEvents = async (): Promise<readonly ShownEvent[]> => {
      const kept = await database.prisma.dataEvent.findMany({ where: { domainVersionUuid: versionUuid } });
      const uuids = [...new Set(kept.map((event) => event.recordUuid ?? ''))];
      const shown = await Promise.all(uuids.map((uuid) => events(somebody(), uuid)));
      return shown.flat().toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
    };

    it('are named as overridden by it: before it, at the same time as another, and after it', async () => {
      const [first, second, third] = deleting;
      await deleteAt(first);
      await deleteAt(second);
      await report(changing, { id: 1, name: 'Ada', note: 'still here' });
      await deleteAt(third);
      const all = await allEvents();
      const back = all.find(({ overrides }) => (overrides as readonly unknown[]).length > 0);
      const deletions = all.filter(({ action }) => action === 'DELETE');
      expect(deletions).toHaveLength(3);
      for (const { overriddenBy } of deletions) {
        expect(overriddenBy).toEqual([{ eventUuid: back?.uuid, sourceAdaptorUuid: changing.uuid, properties: [] }]);
      }
      const losers = deletions.map(({ uuid }, index) => ({
        eventUuid: uuid,
        sourceAdaptorUuid: deleting[index]?.uuid,
        properties: [],
      }));
      expect(back?.overrides).toEqual(losers);
    });

    it('are not named if an adaptor that had seen them created the record again', async () => {
      await deleteAt(deleting[0]);
      changing.become('apply');
      await changing.connect();
      await eventually(() => expect(changing.applied.at(-1)?.event.action).toBe('DELETE'));
      await report(changing, { id: 1, name: 'Ada', note: 'again' });
      expect((await allEvents()).flatMap(({ overriddenBy }) => overriddenBy)).toEqual([]);
    });
  },
);
