import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { RequestContext } from '@fds/graphql';
import { parseJson, type JsonObject, type JsonValue } from '@fds/json';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../../testing/bus-adaptor.js';
import { findMiscounts } from '../../../testing/find-miscounts.js';
import { createCatalogSeed, type CatalogSeed } from '../../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../../testing/start-records.js';

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let homeZone: string;
let awayZone: string;
let store: BusAdaptor;
let crm: BusAdaptor;
let erp: BusAdaptor;

const inZones = (...zoneUuids: readonly string[]): Principal => ({
  kind: 'PERSON',
  uuid: '019a5d2e-0000-7000-8000-00000000aaaa',
  username: 'steward',
  zones: zoneUuids.map((zoneUuid, index) => ({
    zoneUuid,
    zoneName: `zone ${index}`,
    zoneUserUuid: randomUUID(),
    default: index === 0,
    knowsPerson: true,
    roles: [],
    groups: [],
  })),
  defaultZoneUuid: zoneUuids[0],
  permits: () => true,
});

const run = async <Data>(source: string, variableValues: Record<string, unknown>, principal = inZones(homeZone)) => {
  const contextValue: RequestContext = { principal, requestId: 'test' };
  const answer = await graphql({ schema: server.subgraph.schema, source, variableValues, contextValue });
  return { data: answer.data as Data | null, errors: (answer.errors ?? []).map(({ extensions }) => extensions) };
};

interface Shown {
  readonly uuid: string;
  readonly json: JsonValue;
  readonly drKey: JsonValue;
  readonly refs: readonly { readonly property: string; readonly href: string }[];
}

type Raw = Omit<Shown, 'json' | 'drKey'> & { readonly json: string | null; readonly drKey: string };

const parsed = (record: Raw): Shown => ({
  ...record,
  json: record.json === null ? null : parseJson(record.json),
  drKey: parseJson(record.drKey),
});

const fields = 'uuid drKey json(expandRefs: $expandRefs) refs { property href }';

const create = async (name: string, json: JsonObject, expandRefs = false) => {
  const { data, errors } = await run<{ record: Raw }>(
    `mutation ($input: DataRecordInput!, $expandRefs: Boolean) { record: createDataRecord(input: $input) { ${fields} } }`,
    { input: { name, json }, expandRefs },
  );
  return { record: data === null ? undefined : parsed(data.record), errors };
};
const created = async (name: string, json: JsonObject): Promise<string> => {
  const { record, errors } = await create(name, json);
  expect(errors).toEqual([]);
  return record?.uuid ?? '';
};
const read = async (drUuid: string, expandRefs = true): Promise<Shown> => {
  const { data, errors } = await run<{ record: Raw }>(
    `query ($drUuid: Uuid!, $expandRefs: Boolean) { record: dataRecord(drUuid: $drUuid) { ${fields} } }`,
    { drUuid, expandRefs },
  );
  expect(errors).toEqual([]);
  return parsed(data?.record as Raw);
};
const patch = async (drUuid: string, change: JsonValue) => {
  const { data, errors } = await run<{ record: Raw }>(
    `mutation ($drUuid: Uuid!, $patch: Json!, $expandRefs: Boolean) {
       record: patchDataRecord(drUuid: $drUuid, patch: $patch) { ${fields} } }`,
    { drUuid, patch: change, expandRefs: false },
  );
  return { record: data === null ? undefined : parsed(data.record), errors };
};

interface Deletion {
  readonly transactionUuid: string;
  readonly adaptors: readonly { readonly adaptorUuid: string; readonly status: string }[] | null;
}
const remove = async (drUuid: string, options: Record<string, unknown> = {}, principal = inZones(homeZone)) => {
  const { data, errors } = await run<{ deletion: Deletion }>(
    `mutation ($drUuid: Uuid!, $adaptorUuids: [Uuid!], $zoneUuid: Uuid) {
       deletion: deleteDataRecord(drUuid: $drUuid, adaptorUuids: $adaptorUuids, zoneUuid: $zoneUuid) {
         transactionUuid adaptors { adaptorUuid status } } }`,
    { drUuid, ...options },
    principal,
  );
  return { deletion: data?.deletion, errors };
};

interface ShownEvent {
  readonly action: string;
  readonly sourceAdaptorUuid: string | null;
  readonly transactionUuid: string;
  readonly destinations: readonly {
    readonly adaptorUuid: string;
    readonly status: string;
    readonly aclUuid: string | null;
  }[];
}
const eventsOf = async (drUuid: string, sort?: string) => {
  const { data, errors } = await run<{ dataEvents: { data: ShownEvent[]; page: { totalElements: number } } }>(
    `query ($drUuid: Uuid!, $sort: String) { dataEvents(drUuid: $drUuid, sort: $sort) {
       data { action sourceAdaptorUuid transactionUuid destinations { adaptorUuid status aclUuid } }
       page { totalElements } } }`,
    { drUuid, sort },
  );
  return { events: data?.dataEvents.data ?? [], errors };
};

const received = (adaptor: BusAdaptor, drUuid: string) =>
  adaptor.applied.filter(({ event }) => event.drUuid === drUuid).map(({ event }) => event);

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  homeZone = await seed.addZone('Home');
  awayZone = await seed.addZone('Away');
  await seed.addVersion({
    domainName: 'Artist',
    domainType: 'SERVICE_DATA_STORE',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, idol: { $ref: '/domains/Artist:v1' } },
    drKeyProperties: ['id'],
  });
  await seed.addVersion({
    domainName: 'Place',
    domainType: 'SERVICE_DATA_STORE',
    properties: { country: { type: 'string' }, zip: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['country', 'zip'],
  });
  await seed.addVersion({
    domainName: 'Album',
    domainType: 'SERVICE_DATA_STORE',
    properties: {
      title: { type: 'string' },
      price: { type: 'number', minimum: 0 },
      label: { type: 'string', default: 'none' },
      artist: { $ref: '/domains/Artist:v1' },
      artistName: { $ref: '/domains/Artist:v1/name' },
      guests: { type: 'array', items: { $ref: '/domains/Artist:v1' } },
      recorded: {
        type: 'object',
        properties: { place: { $ref: '/domains/Place:v1' }, year: { type: 'integer' } },
      },
      tracks: {
        type: 'array',
        items: { type: 'object', properties: { no: { type: 'integer' }, by: { $ref: '/domains/Artist:v1' } } },
      },
    },
    drKeyProperties: ['title'],
  });
  await seed.addVersion({
    domainName: 'Customer',
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  server = await startRecords(database);
  const connect = async (name: string, zoneUuid: string, domains: readonly string[]): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name, zoneUuid, domains });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain: domains[0] ?? '', version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  store = await connect('store', homeZone, ['Album', 'Artist']);
  crm = await connect('crm', homeZone, ['Customer']);
  erp = await connect('erp', awayZone, ['Customer']);
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

describe('references of a posted record', () => {
  it('are taken in every form, at every place, and shown as keys, as data and by their property', async () => {
    const one = await created('Artist', { id: 1, name: 'One' });
    const two = await created('Artist', { id: 2, name: 'Two' });
    const cologne = await created('Place', { country: 'DE', zip: 50667, name: 'Köln' });
    const album = await created('Album', {
      title: 'All forms',
      artist: { $ref: `/drs/${one}` },
      artistName: 2,
      guests: [1, { id: 2 }, { $ref: '/domains/artist:v1?id=2' }],
      recorded: { place: { $ref: '/domains/Place:v1?zip=50667&country=DE' }, year: 1999 },
      tracks: [{ no: 1, by: 1 }, { no: 2 }],
    });
    expect((await read(album, false)).json).toEqual({
      title: 'All forms',
      label: 'none',
      artist: 1,
      artistName: 2,
      guests: [1, 2, 2],
      recorded: { place: { country: 'DE', zip: 50667 }, year: 1999 },
      tracks: [{ no: 1, by: 1 }, { no: 2 }],
    });
    const { json, refs } = await read(album);
    const first = { id: 1, name: 'One' };
    const second = { id: 2, name: 'Two' };
    expect(json).toEqual({
      title: 'All forms',
      label: 'none',
      artist: first,
      artistName: 'Two',
      guests: [first, second, second],
      recorded: { place: { country: 'DE', zip: 50667, name: 'Köln' }, year: 1999 },
      tracks: [{ no: 1, by: first }, { no: 2 }],
    });
    const href = (uuid: string): string => `/api/drs/${uuid}`;
    expect(refs.toSorted((a, b) => (a.property < b.property ? -1 : 1))).toEqual([
      { property: 'artist', href: href(one) },
      { property: 'artistName', href: href(two) },
      { property: 'guests', href: href(one) },
      { property: 'guests', href: href(two) },
      { property: 'guests', href: href(two) },
      { property: 'recorded.place', href: href(cologne) },
      { property: 'tracks.by', href: href(one) },
    ]);
  });

  it('name a record by a part of its DR Key, if no other record has the part', async () => {
    await created('Place', { country: 'LY', zip: 69001 });
    await created('Place', { country: 'IT', zip: 69002 });
    await created('Place', { country: 'IT', zip: 69003 });
    const place = (query: string, title = query) =>
      create('Album', { title, recorded: { place: { $ref: `/domains/Place:v1?${query}` } } });
    for (const query of ['country=LY', 'zip=69001', 'ZIP=69001']) {
      const { record, errors } = await place(query);
      expect(errors).toEqual([]);
      expect((await read(record?.uuid ?? '', false)).json).toMatchObject({
        recorded: { place: { country: 'LY', zip: 69001 } },
      });
    }
    const several = await place('country=IT');
    expect(several.errors).toMatchObject([
      { code: 'AMBIGUOUS_REFERENCE', errors: [{ pointer: '/json/recorded/place', code: 'AMBIGUOUS_REFERENCE' }] },
    ]);
    for (const query of ['country=ly', 'zip=1.5', 'name=Lyon', 'zip=1&name=Lyon']) {
      expect((await place(query)).errors).toMatchObject([{ code: 'UNKNOWN_REFERENCE' }]);
    }
  });

  it('are all refused that point at nothing', async () => {
    await created('Artist', { id: 3 });
    const place = await created('Place', { country: 'FR', zip: 1 });
    const { errors } = await create('Album', {
      title: 'Nothing',
      artist: 999,
      guests: [3, 998],
      recorded: { place: { $ref: '/domains/Place:v1?country=XX' } },
      tracks: [{ by: { $ref: `/drs/${place}` } }, { by: { $ref: `/drs/${randomUUID()}` } }],
    });
    expect(errors).toMatchObject([{ code: 'UNKNOWN_REFERENCE' }]);
    const causes = errors[0]?.['errors'] as { pointer: string; code: string }[];
    expect(new Set(causes.map(({ code }) => code))).toEqual(new Set(['UNKNOWN_REFERENCE']));
    expect(causes.map(({ pointer }) => pointer).toSorted()).toEqual([
      '/json/artist',
      '/json/guests/1',
      '/json/recorded/place',
      '/json/tracks/0/by',
      '/json/tracks/1/by',
    ]);
  });

  it('outlive a change of the key that they point at', async () => {
    const artist = await created('Artist', { id: 40, name: 'Moves' });
    const album = await created('Album', { title: 'Follows', artist: 40 });
    expect((await patch(artist, { id: 41 })).errors).toEqual([]);
    expect((await read(album, false)).json).toMatchObject({ artist: 41 });
    expect((await read(album)).json).toMatchObject({ artist: { id: 41, name: 'Moves' } });
  });

  it('may go round: a circle is cut where it closes, a chain at the tenth level', async () => {
    const self = await created('Artist', { id: 50, idol: 50 });
    expect((await read(self)).json).toEqual({ id: 50, idol: { $ref: `/drs/${self}` } });

    const other = await created('Artist', { id: 51, idol: 50 });
    await patch(self, { idol: 51 });
    expect((await read(self)).json).toEqual({ id: 50, idol: { id: 51, idol: { $ref: `/drs/${self}` } } });
    expect((await read(other)).json).toEqual({ id: 51, idol: { id: 50, idol: { $ref: `/drs/${other}` } } });

    const chain = [await created('Artist', { id: 100 })];
    for (let id = 101; id <= 112; id += 1) chain.push(await created('Artist', { id, idol: id - 1 }));
    let { json } = await read(chain.at(-1) ?? '');
    let depth = 0;
    for (; (json as JsonObject)['idol'] !== undefined; depth += 1) json = (json as JsonObject)['idol'] as JsonValue;
    expect(depth).toBe(11);
    expect(json).toEqual({ $ref: `/drs/${chain[1]}` });
  });

  it('on a page are expanded with a statement per level', async () => {
    const { data, errors } = await run<{ dataRecords: { data: Raw[] } }>(
      `query ($expandRefs: Boolean) { dataRecords(domainName: "Album", size: 100) { data { ${fields} } } }`,
      { expandRefs: true },
    );
    expect(errors).toEqual([]);
    const albums = (data?.dataRecords.data ?? []).map(parsed);
    expect(albums.length).toBeGreaterThan(1);
    for (const album of albums) expect((await read(album.uuid)).json).toEqual(album.json);
  });
});

describe('patchDataRecord', () => {
  it('merges, removes, replaces lists and references, and fills defaults', async () => {
    await created('Artist', { id: 60 });
    const two = await created('Artist', { id: 61 });
    const album = await created('Album', {
      title: 'Patched',
      price: 5,
      label: 'Blue',
      artist: 60,
      guests: [60],
      recorded: { year: 1999 },
    });
    const { record, errors } = await patch(album, {
      PRICE: null,
      label: null,
      artist: { id: 61 },
      guests: [{ $ref: `/drs/${two}` }, 60],
      recorded: { place: null },
    });
    expect(errors).toEqual([]);
    expect(record?.json).toEqual({
      title: 'Patched',
      label: 'none',
      artist: 61,
      guests: [61, 60],
      recorded: { year: 1999 },
    });
  });

  it('tells every fault of the whole, from the top of the patch', async () => {
    const album = await created('Album', { title: 'Faulty', price: 1 });
    const { errors } = await patch(album, { price: -1, nothing: 1 });
    expect(errors).toMatchObject([{ code: 'VALIDATION_FAILED' }]);
    const causes = errors[0]?.['errors'] as { pointer: string }[];
    expect(causes.map(({ pointer }) => pointer).toSorted()).toEqual(['/nothing', '/price']);
    expect((await patch(album, { title: null })).errors).toMatchObject([
      { code: 'VALIDATION_FAILED', errors: [{ pointer: '/title' }] },
    ]);
    expect((await patch(album, { artist: 777 })).errors).toMatchObject([
      { code: 'UNKNOWN_REFERENCE', errors: [{ pointer: '/artist' }] },
    ]);
    expect((await read(album)).json).toEqual({ title: 'Faulty', price: 1, label: 'none' });
  });

  it('changes a key that is free, and names who has one that is not', async () => {
    const holder = await created('Album', { title: 'Taken' });
    const album = await created('Album', { title: 'Free' });
    expect((await patch(album, { title: 'Taken' })).errors).toMatchObject([{ code: 'DUPLICATE_DR_KEY', uuid: holder }]);
    expect((await patch(album, { title: 'Freed' })).record?.drKey).toEqual({ title: 'Freed' });
    await created('Album', { title: 'Free' });
  });

  it('is kept, and becomes an issue of an adaptor that the bus cannot carry it to', async () => {
    const album = await created('Album', { title: 'Long' });
    await eventually(() => expect(received(store, album)).toHaveLength(1));
    const label = '"'.repeat(100_000);
    expect((await patch(album, { label })).errors).toEqual([]);
    expect((await read(album)).json).toMatchObject({ label });
    await patch(album, { label: 'short' });
    await eventually(() =>
      expect(received(store, album).map(({ jsonData }) => parseJson(jsonData))).toEqual([
        { title: 'Long', label: 'none' },
        { title: 'Long', label: 'short' },
      ]),
    );
    const issues = await database.prisma.dataIssue.findMany({ where: { recordUuid: album } });
    expect(issues).toMatchObject([
      { adaptorUuid: store.uuid, exception: 'ADAPTOR', errors: expect.stringContaining('TOO_LARGE') },
    ]);
    await database.prisma.dataIssue.deleteMany({ where: { recordUuid: album } });
  });

  it('is logged and counted only where something changes, under the transaction of its event', async () => {
    const album = await created('Album', { title: 'Logged' });
    await patch(album, { label: 'none' });
    await patch(album, { label: 'Red' });
    const { rows } = await database.pool.query<{ action: string; actor_uuid: string; transaction_uuid: string }>(
      `SELECT action, actor_uuid, data::jsonb ->> 'transactionUuid' AS transaction_uuid
       FROM change_log WHERE resource_uuid = $1 ORDER BY position`,
      [album],
    );
    expect(rows.map(({ action }) => action)).toEqual(['POST', 'PATCH']);
    const events = await database.prisma.dataEvent.findMany({ where: { recordUuid: album }, orderBy: { uuid: 'asc' } });
    expect(rows.map(({ transaction_uuid }) => transaction_uuid)).toEqual(
      events.map(({ transactionUuid }) => transactionUuid),
    );
    expect(new Set(rows.map(({ actor_uuid }) => actor_uuid))).toEqual(new Set([inZones().uuid]));
  });

  it('starts from the changeVersion that is named; adaptors that link a record change none', async () => {
    const album = await created('Album', { title: 'Versioned' });
    await eventually(() => expect(received(store, album)).toHaveLength(1));
    store.link({ drUuid: album, domain: 'Album', version: 1, action: 'LINK' });
    await eventually(async () => {
      const { rows } = await database.pool.query('SELECT 1 FROM record_link WHERE record_uuid = $1', [album]);
      expect(rows).toHaveLength(1);
    });
    const from = (changeVersion: number) =>
      run<{ record: { changeVersion: number } }>(
        `mutation ($drUuid: Uuid!, $patch: Json!, $changeVersion: Long) {
           record: patchDataRecord(drUuid: $drUuid, patch: $patch, changeVersion: $changeVersion) { changeVersion } }`,
        { drUuid: album, patch: { price: changeVersion }, changeVersion },
      );
    expect((await from(1)).data?.record.changeVersion).toBe(2);
    expect((await from(1)).errors).toMatchObject([{ code: 'STALE_CHANGE_VERSION', currentChangeVersion: 2 }]);
    expect((await from(2)).data?.record.changeVersion).toBe(3);
  });

  it('loses none of many at once', async () => {
    const album = await created('Album', { title: 'Busy', recorded: {} });
    const changes = [{ price: 1 }, { label: 'Busy' }, { recorded: { year: 2000 } }, { tracks: [{ no: 1 }] }];
    const answers = await Promise.all(changes.map((change) => patch(album, change)));
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    expect((await read(album)).json).toEqual({
      title: 'Busy',
      price: 1,
      label: 'Busy',
      recorded: { year: 2000 },
      tracks: [{ no: 1 }],
    });
  });

  it.each([
    ['an unknown record', () => patch(randomUUID(), { label: 'x' }), 'NOT_FOUND'],
    ['a federated one', async () => patch(await created('Customer', { id: 1 }), { name: 'x' }), 'FEDERATED_RECORD'],
    ['no object', async () => patch(await created('Album', { title: 'List' }), ['x']), 'VALIDATION_FAILED'],
  ])('refuses %s', async (_, act, code) => {
    expect((await act()).errors).toMatchObject([{ code }]);
  });

  it('refuses records of an inactive domain at once, as POST does', async () => {
    const { domainUuid } = await seed.addVersion({
      domainName: 'Closed',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const record = await created('Closed', { id: 1 });
    // no notification is sent: the loaded catalog is stale
    await database.pool.query('UPDATE domain SET active = false, change_version = change_version + 1 WHERE uuid = $1', [
      domainUuid,
    ]);
    expect((await create('Closed', { id: 2 })).errors).toMatchObject([{ code: 'DOMAIN_INACTIVE' }]);
    expect((await patch(record, { id: 3 })).errors).toMatchObject([{ code: 'DOMAIN_INACTIVE' }]);
    expect((await remove(record)).errors).toEqual([]);
  });
});

describe('a stale catalog', () => {
  it('refuses nothing that is allowed by now, and misses no new default', async () => {
    const { domainUuid, domainVersionUuid } = await seed.addVersion({
      domainName: 'Grown',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    await created('Grown', { id: 1 });
    // no notification is sent
    await database.pool.query(
      'UPDATE domain_version SET model_schema = $2, change_version = change_version + 1 WHERE uuid = $1',
      [domainVersionUuid, '{"properties": {"id": {"type": "integer"}, "more": {"type": "string"}}}'],
    );
    await created('Grown', { id: 2, more: 'x' });
    await database.pool.query(
      `INSERT INTO domain_version (uuid, domain_uuid, version_number, model_schema, dr_key_properties, last_updated)
       VALUES ($2, $1, 2, '{"properties": {"code": {"type": "string"}}}', '{code}', now())`,
      [domainUuid, randomUUID()],
    );
    await database.pool.query(
      `UPDATE domain SET change_version = change_version + 1,
         default_version_uuid = (SELECT uuid FROM domain_version WHERE domain_uuid = $1 AND version_number = 2)
       WHERE uuid = $1`,
      [domainUuid],
    );
    await created('Grown', { code: 'c' });
  });
});

describe('changes of data-store records', () => {
  it('reach the capable adaptors, with keys for references, and end with a DELETE', async () => {
    await created('Artist', { id: 70 });
    const album = await created('Album', { title: 'Routed', artist: 70 });
    await eventually(() => expect(received(store, album)).toHaveLength(1));
    await patch(album, { price: 2 });
    await eventually(() => expect(received(store, album)).toHaveLength(2));
    store.link({ drUuid: album, domain: 'Album', version: 1, action: 'LINK' });
    await eventually(async () => {
      const { rows } = await database.pool.query('SELECT 1 FROM record_link WHERE record_uuid = $1', [album]);
      expect(rows).toHaveLength(1);
    });
    await patch(album, { price: 3 });
    await eventually(() => expect(received(store, album)).toHaveLength(3));
    expect((await remove(album)).errors).toEqual([]);
    await eventually(() => expect(received(store, album)).toHaveLength(4));
    const events = received(store, album);
    expect(events.map(({ action }) => action)).toEqual(['POST', 'POST', 'PUT', 'DELETE']);
    expect(events.every(({ sourceAdaptorUuid }) => sourceAdaptorUuid === null)).toBe(true);
    expect(parseJson(events[1]?.jsonData ?? '')).toEqual({ title: 'Routed', price: 2, label: 'none', artist: 70 });
    expect(parseJson(events[2]?.jsonData ?? '')).toEqual({ title: 'Routed', price: 3 });

    await eventually(async () => {
      const { events: kept } = await eventsOf(album);
      expect(kept.map(({ action }) => action)).toEqual(['DELETE', 'PUT', 'PUT', 'POST']);
      expect(kept.flatMap(({ destinations }) => destinations)).toEqual(
        Array.from({ length: 4 }, () => ({ adaptorUuid: store.uuid, status: 'APPLIED', aclUuid: null })),
      );
    });
    const actionsBy = async (sort: string) => (await eventsOf(album, sort)).events.map(({ action }) => action);
    expect(await actionsBy('createTime')).toEqual(['POST', 'PUT', 'PUT', 'DELETE']);
    expect(await actionsBy('-action,-createTime')).toEqual(['PUT', 'PUT', 'POST', 'DELETE']);
    expect((await eventsOf(album, 'drKey')).errors).toMatchObject([{ errors: [{ code: 'UNKNOWN_SORT' }] }]);
    expect((await run('{ r: dataRecord(drUuid: "' + album + '") { uuid } }', {})).errors).toMatchObject([
      { code: 'NOT_FOUND' },
    ]);
  });

  it('are DELIVERED while the adaptor has them and says nothing', async () => {
    const statuses = async (drUuid: string) =>
      (await eventsOf(drUuid)).events.flatMap(({ destinations }) => destinations.map(({ status }) => status));
    store.become('ignore');
    const album = await created('Album', { title: 'Waits' });
    expect(['QUEUED', 'DELIVERED']).toContain((await statuses(album))[0]);
    await eventually(async () => expect(await statuses(album)).toEqual(['DELIVERED']));
    store.become('apply');
    await store.connect();
    await eventually(async () => expect(await statuses(album)).toEqual(['APPLIED']));
  });

  it('made by an adaptor look up references too, by the properties that it sends', async () => {
    const artist = await created('Artist', { id: 80, name: 'Known' });
    const before = store.acknowledged;
    store.send({ action: 'POST', json: { title: 'From below', artist: 80 } });
    store.send({ action: 'POST', json: { title: 'Astray', artist: 81 } });
    await eventually(() => expect(store.acknowledged).toBe(before + 2));
    const { rows } = await database.pool.query<{ uuid: string; json: JsonObject }>(
      `SELECT uuid, json FROM data_record WHERE dr_key ->> 'title' IN ('From below', 'Astray')`,
    );
    expect(rows.map(({ json }) => json)).toEqual([
      { title: 'From below', label: 'none', artist: { $ref: `/drs/${artist}` } },
    ]);
    const { rows: issues } = await database.pool.query<{ errors: string }>(
      `SELECT errors FROM data_issue WHERE adaptor_uuid = $1`,
      [store.uuid],
    );
    expect(issues.map(({ errors }) => JSON.parse(errors) as unknown)).toMatchObject([
      [{ pointer: '/json/artist', code: 'UNKNOWN_REFERENCE' }],
    ]);
    // a repeated event is known
    store.send({ action: 'PUT', json: { title: 'From below', artist: { $ref: `/drs/${artist}` } } });
    await eventually(() => expect(store.acknowledged).toBe(before + 3));
    expect((await eventsOf(rows[0]?.uuid ?? '')).events).toHaveLength(1);
  });
});

describe('deleteDataRecord', () => {
  it('keeps a record that another one refers to, until no record does', async () => {
    const artist = await created('Artist', { id: 90 });
    const first = await created('Album', { title: 'Refers 1', artist: 90, guests: [90, 90] });
    const second = await created('Album', { title: 'Refers 2', tracks: [{ by: 90 }] });
    expect((await remove(artist)).errors).toMatchObject([{ code: 'IN_USE', referrers: 2 }]);
    expect((await remove(first)).errors).toEqual([]);
    expect((await remove(artist)).errors).toMatchObject([{ code: 'IN_USE', referrers: 1 }]);
    await patch(second, { tracks: [] });
    const { deletion, errors } = await remove(artist);
    expect(errors).toEqual([]);
    expect(deletion?.adaptors).toBeNull();
    expect((await remove(artist)).errors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });

  it('keeps it from an adaptor too, whose event becomes an issue', async () => {
    const artist = await created('Artist', { id: 92 });
    await created('Album', { title: 'Holds on', artist: 92 });
    await database.pool.query('DELETE FROM data_issue');
    const before = store.acknowledged;
    store.send({ action: 'DELETE', domain: 'Artist', drKey: { id: 92 } });
    await eventually(() => expect(store.acknowledged).toBe(before + 1));
    expect((await read(artist)).json).toEqual({ id: 92 });
    const { rows } = await database.pool.query<{ title: string; exception: string }>(
      'SELECT title, exception FROM data_issue',
    );
    expect(rows).toEqual([{ title: 'Other records refer to the record', exception: 'OTHER' }]);
  });

  it('deletes a record that refers to itself', async () => {
    const artist = await created('Artist', { id: 95, idol: 95 });
    expect((await remove(artist)).errors).toEqual([]);
  });

  it('leaves no reference to a deleted record when a reference is added at the same time', async () => {
    for (let id = 1000; id < 1020; id += 1) {
      const artist = await created('Artist', { id });
      const [gone, album] = await Promise.all([remove(artist), create('Album', { title: `Race ${id}`, artist: id })]);
      expect(gone.errors.length + album.errors.length).toBe(1);
    }
    const { rows } = await database.pool.query(
      `SELECT 1 FROM record_reference r WHERE NOT EXISTS (SELECT FROM data_record d WHERE d.uuid = r.target_uuid)`,
    );
    expect(rows).toEqual([]);
  });

  describe('for a federated record', () => {
    const reported = async (id: number): Promise<string> => {
      const before = [crm.acknowledged, erp.acknowledged];
      crm.send({ action: 'POST', json: { id, name: 'n' } });
      await eventually(() => expect(crm.acknowledged).toBe((before[0] ?? 0) + 1));
      erp.send({ action: 'POST', json: { id, name: 'm' } });
      await eventually(() => expect(erp.acknowledged).toBe((before[1] ?? 0) + 1));
      const { rows } = await database.pool.query<{ uuid: string }>(
        `SELECT uuid FROM data_record WHERE dr_key ->> 'id' = $1 AND json IS NULL`,
        [String(id)],
      );
      return rows[0]?.uuid ?? '';
    };
    const exists = async (uuid: string): Promise<boolean> =>
      (await database.pool.query('SELECT 1 FROM data_record WHERE uuid = $1', [uuid])).rows.length === 1;
    const queuedFor = (...adaptors: readonly BusAdaptor[]) =>
      adaptors
        .map(({ uuid }) => ({ adaptorUuid: uuid, status: 'QUEUED' }))
        .toSorted((a, b) => (a.adaptorUuid < b.adaptorUuid ? -1 : 1));

    it('notifies every adaptor, and takes the record away with the last report', async () => {
      const record = await reported(500);
      const { deletion, errors } = await remove(record);
      expect(errors).toEqual([]);
      expect(deletion?.adaptors).toEqual(queuedFor(crm, erp));
      await eventually(() => {
        for (const adaptor of [crm, erp]) {
          expect(received(adaptor, record).at(-1)).toMatchObject({
            action: 'DELETE',
            transactionUuid: deletion?.transactionUuid,
            sourceAdaptorUuid: null,
          });
        }
      });
      expect(await exists(record)).toBe(true);
      crm.link({ drUuid: record, domain: 'Customer', version: 1, action: 'UNLINK' });
      erp.link({ drUuid: record, domain: 'Customer', version: 1, action: 'UNLINK' });
      await eventually(async () => expect(await exists(record)).toBe(false));
      const { events } = await eventsOf(record);
      expect(events[0]).toMatchObject({ action: 'DELETE', sourceAdaptorUuid: null });
    });

    it('tells an adaptor again that has acknowledged and still has its link', async () => {
      const record = await reported(509);
      const sent = (): number => received(erp, record).filter(({ action }) => action === 'DELETE').length;
      await remove(record, { adaptorUuids: [erp.uuid] });
      await eventually(async () => {
        const [deletion] = (await eventsOf(record)).events;
        expect(deletion?.destinations).toMatchObject([{ adaptorUuid: erp.uuid, status: 'APPLIED' }]);
      });
      expect(sent()).toBe(1);
      expect((await remove(record, { adaptorUuids: [erp.uuid] })).deletion?.adaptors).toEqual(queuedFor(erp));
      await eventually(() => expect(sent()).toBe(2));
    });

    it('tells only those that are named', async () => {
      const record = await reported(501);
      const { deletion } = await remove(record, { adaptorUuids: [erp.uuid] });
      expect(deletion?.adaptors).toEqual(queuedFor(erp));
      await eventually(() => expect(received(erp, record).at(-1)).toMatchObject({ action: 'DELETE' }));
      expect(received(crm, record).every(({ action }) => action !== 'DELETE')).toBe(true);
      const stranger = randomUUID();
      expect((await remove(record, { adaptorUuids: [crm.uuid, stranger] })).errors).toMatchObject([
        { code: 'INVALID_PARAMETER', errors: [{ pointer: 'adaptorUuids' }] },
      ]);
    });

    it('takes away at once what no adaptor links', async () => {
      const record = await created('Customer', { id: 502 });
      expect((await remove(record)).deletion?.adaptors).toEqual([]);
      expect(await exists(record)).toBe(false);
    });

    it('needs the zone of a caller in several', async () => {
      const record = await reported(503);
      const both = inZones(homeZone, awayZone);
      expect((await remove(record, {}, both)).errors).toMatchObject([
        { code: 'INVALID_PARAMETER', errors: [{ pointer: 'zoneUuid', code: 'REQUIRED' }] },
      ]);
      expect((await remove(record, { zoneUuid: awayZone }, inZones(homeZone))).errors).toMatchObject([
        { code: 'FORBIDDEN' },
      ]);
      expect((await remove(record, { zoneUuid: awayZone }, both)).errors).toEqual([]);
    });

    it('is refused where the chains deny every adaptor, and says whom they deny', async () => {
      const record = await reported(504);
      const aclUuid = await seed.denyDeletion(awayZone);
      await eventually(async () => {
        const { errors } = await remove(record, { adaptorUuids: [erp.uuid] });
        expect(errors).toMatchObject([{ code: 'GOVERNANCE_DENIED', acls: [{ adaptorUuid: erp.uuid, aclUuid }] }]);
      });
      const { deletion } = await remove(record);
      expect(deletion?.adaptors).toContainEqual({ adaptorUuid: erp.uuid, status: 'DENIED' });
      expect(deletion?.adaptors).toContainEqual({ adaptorUuid: crm.uuid, status: 'QUEUED' });
      const { events } = await eventsOf(record);
      expect(events[0]?.destinations).toContainEqual({ adaptorUuid: erp.uuid, status: 'DENIED', aclUuid });
    });

    it('is refused where the chains deny all that can delete', async () => {
      const record = await reported(505);
      const uuid = await seed.addAdaptor({
        name: 'reads',
        zoneUuid: homeZone,
        domains: ['Customer'],
        actions: ['PUT'],
      });
      const reads = createBusAdaptor(server.bus, uuid, { domain: 'Customer', version: 1 });
      await reads.connect();
      reads.link({ drUuid: record, domain: 'Customer', version: 1, action: 'LINK' });
      await eventually(async () => {
        const { errors } = await remove(record, { adaptorUuids: [erp.uuid, uuid] });
        expect(errors).toMatchObject([{ code: 'GOVERNANCE_DENIED', acls: [{ adaptorUuid: erp.uuid }] }]);
      });
      const { deletion } = await remove(record, { adaptorUuids: [uuid] });
      expect(deletion?.adaptors).toEqual([{ adaptorUuid: uuid, status: 'NOT_CAPABLE' }]);
    });
  });
});

describe('recordLink', () => {
  it('tells a link that is known', async () => {
    const before = crm.acknowledged;
    crm.send({ action: 'POST', json: { id: 600 } });
    await eventually(() => expect(crm.acknowledged).toBe(before + 1));
    const { rows } = await database.pool.query<{ uuid: string }>(
      `SELECT uuid FROM data_record WHERE dr_key ->> 'id' = '600' AND json IS NULL`,
    );
    const ask = (adaptorUuid: string) =>
      run<{ link: { drKey: string } }>(
        'query ($d: Uuid!, $a: Uuid!) { link: recordLink(drUuid: $d, adaptorUuid: $a) { drUuid adaptorUuid drKey } }',
        { d: rows[0]?.uuid, a: adaptorUuid },
      );
    expect(parseJson((await ask(crm.uuid)).data?.link.drKey ?? '')).toEqual({ id: 600 });
    expect((await ask(store.uuid)).errors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });
});

describe('dataEvents', () => {
  it('are none of a record that never was', async () => {
    expect((await eventsOf(randomUUID())).errors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });
});

describe('all these changes', () => {
  it('leave the counts of records and links right', async () => {
    expect(await findMiscounts(database.pool)).toEqual([]);
  });
});
