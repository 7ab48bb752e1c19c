import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { JsonObject } from '@fds/json';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import { createAdaptorErrorTaker } from '../../issues/settlement/create-adaptor-error-taker.js';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

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

let domain: string;
let domainVersionUuid: string;
let zones: { readonly source: string; readonly destination: string };
let source: BusAdaptor;
let destination: BusAdaptor;
beforeEach(async () => {
  counter += 1;
  domain = `Explained${counter}`;
  zones = {
    source: await seed.addZone(`Source ${counter}`),
    destination: await seed.addZone(`Destination ${counter}`),
  };
  ({ domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } },
    drKeyProperties: ['id'],
  }));
  source = await connect('Source', zones.source);
  destination = await connect('Destination', zones.destination);
});

const add = (name: string, zoneUuid: string, actions?: readonly string[]): Promise<string> =>
  seed.addAdaptor({ name, zoneUuid, domains: [domain], ...(actions === undefined ? {} : { actions }) });

const connect = async (name: string, zoneUuid: string): Promise<BusAdaptor> => {
  const adaptor = createBusAdaptor(server.bus, await add(name, zoneUuid), { domain, version: 1 });
  await adaptor.connect();
  return adaptor;
};

const everyone: Principal = {
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'dgs',
  zones: [],
  defaultZoneUuid: randomUUID(),
  permits: () => true,
};

const granted = (...paths: readonly string[]): Principal => ({
  ...everyone,
  permits: (action, path) =>
    action === 'GET' &&
    [/^\/explain\//, ...paths.map((each) => new RegExp(`^${each}`))].some((test) => test.test(path)),
});

const report = async (json: JsonObject, event: JsonObject = {}): Promise<void> => {
  const before = source.acknowledged;
  source.send({ action: 'PUT', json, ...event });
  await eventually(() => expect(source.acknowledged).toBe(before + 1));
};

const recordUuid = async (): Promise<string> =>
  (await database.prisma.dataRecord.findFirstOrThrow({ where: { domainVersionUuid } })).uuid;

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly summary: string;
  readonly hidden: boolean;
  readonly events: readonly {
    readonly uuid: string | null;
    readonly transactionUuid: string | null;
    readonly drUuid: string | null;
    readonly drKey: unknown;
    readonly hidden: boolean;
    readonly issues: readonly string[];
    readonly source: JsonObject;
    readonly steps: readonly {
      readonly stage: string;
      readonly at: string;
      readonly outcome: string | null;
      readonly text: string;
      readonly candidates: readonly JsonObject[] | null;
      readonly aclUuid: string | null;
    }[];
    readonly destinations: readonly {
      readonly name: string;
      readonly status: string;
      readonly reason: string | null;
      readonly text: string;
      readonly hidden: boolean;
      readonly changed: readonly string[];
      readonly removed: readonly JsonObject[];
      readonly notApplied: readonly JsonObject[];
      readonly aclUuid: string | null;
      readonly ahead: number | null;
      readonly sentAt: string | null;
      readonly queuedAt: string | null;
      readonly acknowledgedAt: string | null;
      readonly attempts: number;
    }[];
  }[];
  readonly related: readonly { readonly kind: string; readonly id: string; readonly why: string }[];
}

const ask = async (id: string, caller: Principal = everyone) =>
  graphql({
    schema: server.subgraph.schema,
    source: `query ($id: String!) { explain(id: $id) {
      id kind summary hidden related { kind id why }
      events { uuid transactionUuid requestId action drUuid drKey domain version issues hidden
        source { adaptorUuid userUuid name zoneUuid }
        steps { stage at outcome detail algorithm candidates { drUuid score comparisons } aclUuid text }
        destinations { adaptorUuid name zoneUuid action status reason chain aclUuid changed
          removed { property chain aclUuid } notApplied { property reason }
          sequence queuedAt sentAt acknowledgedAt attempts ahead hidden text } } } }`,
    variableValues: { id },
    contextValue: { principal: caller, requestId: 'test' },
  });

const explain = async (id: string, caller?: Principal): Promise<Shown> => {
  const answer = await ask(id, caller);
  expect(answer.errors).toBeUndefined();
  return JSON.parse(JSON.stringify(answer.data?.['explain'])) as Shown;
};

const codeOf = async (id: string, caller?: Principal): Promise<unknown> =>
  (await ask(id, caller)).errors?.map(({ originalError }) => (originalError as { code?: string } | undefined)?.code);

const newest = async (id: string, caller?: Principal) => {
  const { events } = await explain(id, caller);
  const [event] = events;
  if (event === undefined) throw new Error('there is no event');
  return event;
};

/** `Destination APPLIED -` per destination. */
const standing = async (id: string): Promise<readonly string[]> =>
  (await newest(id)).destinations.map(({ name, status, reason }) => `${name} ${status} ${reason ?? '-'}`);

describe('explain shows', () => {
  it('every adaptor that has a capability, with the reason for which nothing was sent', async () => {
    await add('Reader', zones.source, ['GET']);
    const inactive = await add('Sleeper', zones.source);
    await database.prisma.$executeRaw`UPDATE adaptor SET active = false WHERE uuid = ${inactive}::uuid`;
    await database.prisma.changeLogEntry.create({
      data: {
        action: 'PATCH',
        resourceType: 'Adaptor',
        resource: `/zones/${zones.source}/adaptors/${inactive}`,
        resourceUuid: inactive,
      },
    });
    await seed.setState(destination.uuid, 'PAUSED');
    await report({ id: 1, name: 'Ada' });
    const id = await recordUuid();
    expect(await standing(id)).toEqual([
      'Destination QUEUED PAUSED',
      'Reader NOT_SENT NOT_CAPABLE',
      'Sleeper NOT_SENT INACTIVE',
      'Source NOT_SENT SOURCE',
    ]);
    await seed.setState(destination.uuid, 'DOWN');
    expect(await standing(id)).toContain('Destination QUEUED AWAY');
    await seed.setState(destination.uuid, 'STARTED');
    await eventually(async () => expect(await standing(id)).toContain('Destination APPLIED -'));
    const applied = (await newest(id)).destinations.find(({ name }) => name === 'Destination');
    expect(applied).toMatchObject({ changed: ['id', 'name'], removed: [], ahead: null, attempts: 1, hidden: false });
    const times = [applied?.queuedAt, applied?.sentAt, applied?.acknowledgedAt].map((time) => Date.parse(time ?? ''));
    expect(times.every((time) => time > 0)).toBe(true);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(applied?.text).toBe('Destination applied the POST of id and name.');
  });

  it('the entry that removed each property, and the properties that the adaptor did not apply', async () => {
    const aclUuid = await seed.denyInbound(zones.destination, ['note'], zones.source);
    await report({ id: 1, name: 'Ada', note: 'private' });
    const id = await recordUuid();
    await eventually(async () => expect(await standing(id)).toContain('Destination APPLIED -'));
    const take = createAdaptorErrorTaker({ database });
    await take(
      destination.uuid,
      {
        level: 'WARN',
        kind: 'DATA',
        message: 'not mapped',
        properties: ['name'],
        drUuid: id,
        sequence: destination.applied.at(-1)?.sequence ?? 0,
      },
      { id: newUuid(), time: new Date() },
    );
    const shown = (await newest(id)).destinations.find(({ name }) => name === 'Destination');
    expect(shown).toMatchObject({
      removed: [{ property: 'note', chain: 'INBOUND', aclUuid }],
      notApplied: [{ property: 'name', reason: 'not mapped' }],
    });
    await report({ id: 1, name: 'Ada', note: 'other' });
    const denied = (await newest(id)).destinations.find(({ name }) => name === 'Destination');
    expect(denied).toMatchObject({ status: 'DENIED', reason: 'DENIED', chain: 'INBOUND', aclUuid });
  });

  it('an echo as an event that went nowhere, which the history does not list', async () => {
    await report({ id: 1, name: 'Ada' });
    const id = await recordUuid();
    const transactionUuid = randomUUID();
    await report({ id: 1, name: 'Ada' }, { transactionUuid });
    const { kind, events } = await explain(transactionUuid);
    expect({ kind, count: events.length }).toEqual({ kind: 'TRANSACTION', count: 1 });
    expect(await standing(transactionUuid)).toEqual(['Destination NOT_SENT ECHO', 'Source NOT_SENT SOURCE']);
    expect((await explain(events[0]?.uuid ?? '')).kind).toBe('EVENT');
    expect((await explain(id)).events).toHaveLength(2);
    expect(await database.prisma.dataEvent.count({ where: { recordUuid: id } })).toBe(1);
  });

  it('the steps in the order of time, and the retry of an event that waited', async () => {
    const transactionUuid = randomUUID();
    await report({ id: 1, name: 7 }, { transactionUuid });
    const waiting = await newest(transactionUuid);
    expect(waiting).toMatchObject({ uuid: null, transactionUuid });
    expect(waiting.steps.map(({ stage, outcome }) => `${stage} ${outcome}`)).toEqual([
      'RECEIVED null',
      'VALIDATED FAULTY',
    ]);
    const [issueUuid = ''] = waiting.issues;
    const issue = await explain(issueUuid);
    expect(issue).toMatchObject({ kind: 'ISSUE', events: [{ transactionUuid }] });
    expect(issue.related).toContainEqual({ kind: 'TRANSACTION', id: transactionUuid, why: expect.any(String) });

    await report({ id: 2, name: 'Ada' });
    const { steps } = await newest(await recordUuid());
    expect(steps.map(({ stage, outcome }) => `${stage} ${outcome}`)).toEqual([
      'RECEIVED null',
      'VALIDATED VALID',
      'MATCHED NEW',
      'OPERATIONAL ALLOWED',
      'LINKED LINKED',
      'COMMITTED COMMITTED',
    ]);
    const times = steps.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(steps.every(({ text }) => /^[A-Z].*\.$/.test(text))).toBe(true);
  });

  it('no part of an id that is not known', async () => {
    for (const id of [randomUUID(), 'msg_unknown', `msg_${randomUUID()}_1`, 'a-request', '%', 'x'.repeat(10_000)]) {
      expect(await codeOf(id)).toEqual(['NOT_FOUND']);
    }
  });
});

describe('explain hides', () => {
  const canary = 'canary-of-the-note';
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

  it('adaptors and entries that the caller may not read, and data from callers without it', async () => {
    const aclUuid = await seed.denyInbound(zones.destination, ['note'], zones.source);
    await report({ id: 1, name: 'Ada', note: canary });
    const id = await recordUuid();
    await eventually(async () => expect(await standing(id)).toContain('Destination APPLIED -'));

    const destinationOnly = granted(`/zones/${zones.destination}/adaptors/`);
    const seen = await newest(id, destinationOnly);
    expect(seen).toMatchObject({ drKey: null, hidden: true, source: { adaptorUuid: null, name: null } });
    expect(seen.destinations.map(({ name }) => name)).toEqual(['Destination']);
    expect(seen.destinations[0]).toMatchObject({ hidden: true, removed: [{ property: 'note', aclUuid: null }] });
    expect(JSON.stringify(seen)).not.toContain(aclUuid);
    expect(JSON.stringify(seen)).not.toContain(source.uuid);

    const withEntry = granted(`/zones/${zones.destination}/`);
    expect((await newest(id, withEntry)).destinations[0]).toMatchObject({ hidden: false, removed: [{ aclUuid }] });
    const bare = await newest(id, granted());
    expect(bare).toMatchObject({
      hidden: true,
      drKey: null,
      destinations: [],
      source: { adaptorUuid: null, name: null },
    });
    for (const secret of ['Ada', canary, aclUuid, source.uuid, destination.uuid]) {
      expect(JSON.stringify(bare)).not.toContain(secret);
    }
  });

  it('from a caller with data access rules every value and name that they hide', async () => {
    const secret = 'planted-secret';
    await seed.denyInbound(zones.destination, ['note'], zones.source);
    await report({ id: 1, name: 'Ada', note: secret });
    const id = await recordUuid();
    const take = createAdaptorErrorTaker({ database });
    await eventually(async () => expect(await standing(id)).toContain('Destination APPLIED -'));
    const sequence = destination.applied.at(-1)?.sequence ?? 0;
    await take(
      destination.uuid,
      { level: 'WARN', kind: 'DATA', message: `no column for ${secret}`, properties: ['name'], drUuid: id, sequence },
      { id: newUuid(), time: new Date() },
    );
    const zonesOf = new Map([
      [source.uuid, zones.source],
      [destination.uuid, zones.destination],
    ]);
    const limited = (rule: Partial<AccessRule>): Principal => ({
      ...everyone,
      dataAccess: compileDataAccess([[{ ...anyRule, ...rule }]], zonesOf),
    });
    const shown = await newest(id, limited({ properties: ['id', 'name'] }));
    expect(JSON.stringify(shown)).not.toContain('note');
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(shown.destinations.find(({ name }) => name === 'Destination')).toMatchObject({ hidden: true, removed: [] });

    const atSource = await newest(id, limited({ adaptorUuid: source.uuid }));
    expect(atSource.destinations.map(({ name }) => name)).toEqual(['Source']);
    expect(atSource.hidden).toBe(true);
    expect(await codeOf(id, limited({ drUuids: [randomUUID()] }))).toEqual(['NOT_FOUND']);
    // the adaptor was sent the message, and nothing more of it is shown
    const atDestination = await newest(id, limited({ adaptorUuid: destination.uuid }));
    expect(atDestination).toMatchObject({ hidden: true, drKey: null });
    expect(atDestination.destinations.map(({ name }) => name)).toEqual(['Destination']);
    await report({ id: 1, name: 'Ada', note: 'denied' });
    expect((await explain(id)).events).toHaveLength(2);
    expect((await explain(id, limited({ adaptorUuid: destination.uuid }))).events).toHaveLength(1);
  });
});
