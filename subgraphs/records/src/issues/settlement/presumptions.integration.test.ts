import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { JsonObject } from '@fds/json';
import type { MatchingAlgorithm } from '@fds/matching';
import { createLog, createUuids } from '@fds/service';
import { eventually } from '@fds/testing';
import { openCatalogView, type CatalogView } from '../../catalog-view/open-catalog-view.js';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { findMiscounts } from '../../testing/find-miscounts.js';
import { findScans } from '../../testing/find-scans.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';
import { createPresumptions } from './create-presumptions.js';

let database: TestDatabase;
let seed: CatalogSeed;
let started: StartedRecords;
let view: CatalogView;
let zoneUuid: string;
let domains = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  started = await startRecords(database);
  view = await openCatalogView({ database, log: createLog('silent') });
});
afterAll(async () => {
  await view?.close();
  await started?.close();
  await database.drop();
});

const algorithm = (onReview: 'PRESUME_NEW' | 'PRESUME_MATCH'): MatchingAlgorithm => ({
  type: 'SCORED',
  rules: [{ all: [{ property: 'name', comparator: 'PREFIX', length: 1 }] }],
  scores: [{ property: 'name', comparator: 'FUZZY', maxEdits: 3, weight: 1 }],
  thresholds: { match: 2, review: 1 },
  onReview,
});

interface World {
  readonly domain: string;
  readonly domainVersionUuid: string;
  readonly source: BusAdaptor;
  readonly other: BusAdaptor;
  /** Is sent everything. */
  readonly receiver: BusAdaptor;
}

const createWorld = async (
  domainType: 'FEDERATED' | 'SERVICE_DATA_STORE',
  onReview: 'PRESUME_NEW' | 'PRESUME_MATCH',
): Promise<World> => {
  domains += 1;
  const domain = `Presumed${domains}`;
  const { domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType,
    properties: { name: { type: 'string' }, town: { type: 'string' }, note: { type: 'string' } },
    drKeyProperties: ['name'],
    matchingAlgorithm: algorithm(onReview),
  });
  const connect = async (name: string): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name: `${name} of ${domain}`, zoneUuid, domains: [domain] });
    const adaptor = createBusAdaptor(started.bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  const [source, other, receiver] = [await connect('source'), await connect('other'), await connect('receiver')];
  return { domain, domainVersionUuid, source, other, receiver };
};

const report = async (adaptor: BusAdaptor, json: JsonObject): Promise<void> => {
  const before = adaptor.acknowledged;
  adaptor.send({ action: 'POST', json });
  await eventually(() => expect(adaptor.acknowledged).toBeGreaterThan(before));
};

interface RecordRow {
  readonly uuid: string;
  readonly name: string;
  readonly json: JsonObject | null;
  readonly links: string;
}

const records = async ({ domainVersionUuid }: World): Promise<readonly RecordRow[]> => {
  const { rows } = await database.pool.query<RecordRow>(
    `SELECT r.uuid, r.dr_key->>'name' AS name, r.json,
            coalesce((SELECT string_agg(split_part(a.name, ' ', 1) || '=' || (l.dr_key->>'name'), ' ' ORDER BY a.name)
             FROM record_link l JOIN adaptor a ON a.uuid = l.adaptor_uuid WHERE l.record_uuid = r.uuid), '') AS links
     FROM data_record r WHERE r.domain_version_uuid = $1 ORDER BY r.uuid`,
    [domainVersionUuid],
  );
  return rows;
};

/** Settles the world's only presumption as a steward decides. */
const settle = async ({ domainVersionUuid, source }: World, drUuid: string | null): Promise<string | undefined> => {
  const { rows } = await database.pool.query<{ uuid: string; event_uuid: string; record_uuid: string }>(
    `SELECT uuid, event_uuid, record_uuid FROM data_issue WHERE domain_version_uuid = $1 AND cause = 'PRESUMED'`,
    [domainVersionUuid],
  );
  expect(rows).toHaveLength(1);
  const [issue] = rows;
  const { undo } = createPresumptions({ view: () => view, newUuid: createUuids(Date.now) });
  const undone = await database.transaction((client) =>
    undo(
      client,
      {
        issueUuid: issue?.uuid ?? '',
        eventUuid: issue?.event_uuid ?? '',
        recordUuid: issue?.record_uuid ?? '',
        adaptorUuid: source.uuid,
        domainVersionUuid,
      },
      { drUuid },
    ),
  );
  return 'refusal' in undone ? undone.refusal : undone.recordUuid;
};

/** A message to an adaptor: action, record by its place, and data. */
const sent = (adaptor: BusAdaptor, uuids: readonly string[]): string[] =>
  adaptor.applied.map(({ event }) => `${event.action} ${uuids.indexOf(event.drUuid)} ${event.jsonData}`);

const data = (name: string, members: Record<string, string>): string => JSON.stringify({ name, ...members });

describe.each(['FEDERATED', 'SERVICE_DATA_STORE'] as const)('a record of a %s domain', (domainType) => {
  it('that was presumed to be new is removed, and its content moves to the right one', async () => {
    const world = await createWorld(domainType, 'PRESUME_NEW');
    const { source, other, receiver } = world;
    await report(other, { name: 'Ann', town: 'Bern' });
    await report(source, { name: 'Anna', town: 'Basel' });
    const [right, wrong] = await records(world);
    if (right === undefined || wrong === undefined) throw new TypeError('two records are expected');
    await eventually(() => expect(receiver.applied).toHaveLength(2));
    const uuids = [right.uuid, wrong.uuid];

    expect(await settle(world, right.uuid)).toBe(right.uuid);
    expect(await records(world)).toMatchObject([
      {
        uuid: right.uuid,
        links: 'other=Ann source=Anna',
        json: domainType === 'FEDERATED' ? null : { name: 'Anna', town: 'Basel' },
      },
    ]);
    await eventually(() =>
      expect(sent(receiver, uuids)).toEqual([
        `POST 0 ${data('Ann', { town: 'Bern' })}`,
        `POST 1 ${data('Anna', { town: 'Basel' })}`,
        'DELETE 1 {}',
        `POST 0 ${data('Anna', { town: 'Basel' })}`,
      ]),
    );
    await eventually(() =>
      expect(sent(other, uuids)).toEqual([
        `POST 1 ${data('Anna', { town: 'Basel' })}`,
        'DELETE 1 {}',
        `PUT 0 ${data('Anna', { town: 'Basel' })}`,
      ]),
    );
    const { rows } = await database.pool.query('SELECT FROM data_event WHERE record_uuid = $1', [wrong.uuid]);
    expect(rows).toEqual([]);
  });

  it('that was presumed to match is restored, and the event creates its own', async () => {
    const world = await createWorld(domainType, 'PRESUME_MATCH');
    const { source, other, receiver } = world;
    await report(other, { name: 'Ann', town: 'Bern', note: 'old' });
    await report(source, { name: 'Anna', town: 'Basel' });
    const [wrong, ...none] = await records(world);
    if (wrong === undefined) throw new TypeError('a record is expected');
    expect(none).toEqual([]);
    expect(wrong.links).toBe('other=Ann source=Anna');
    await eventually(() => expect(receiver.applied).toHaveLength(2));

    const settled = await settle(world, null);
    const [left, made] = await records(world);
    const isStored = domainType === 'SERVICE_DATA_STORE';
    expect(left).toMatchObject({
      uuid: wrong.uuid,
      name: 'Ann',
      links: 'other=Ann',
      json: isStored ? { name: 'Ann', town: 'Bern', note: 'old' } : null,
    });
    expect(made).toMatchObject({
      name: 'Anna',
      links: 'source=Anna',
      json: isStored ? { name: 'Anna', town: 'Basel' } : null,
    });
    expect(settled).toBe(made?.uuid);
    const uuids = [wrong.uuid, made?.uuid ?? ''];
    const restored = data('Ann', { town: 'Bern', note: 'old' });
    const own = `POST 1 ${data('Anna', { town: 'Basel' })}`;
    await eventually(() =>
      expect(sent(receiver, uuids).slice(2)).toEqual(isStored ? [`POST 0 ${restored}`, own] : [own]),
    );
    const putBack = `PUT 0 ${data('Ann', { town: 'Bern' })}`;
    await eventually(() => expect(sent(other, uuids).slice(1)).toEqual(isStored ? [putBack, own] : [own]));

    // the right values come with the next report, though they are what the adaptor held before
    await report(other, { name: 'Ann', town: 'Bern', note: 'old' });
    const last = isStored ? own : `POST 0 ${restored}`;
    await eventually(() => expect(sent(receiver, uuids).at(-1)).toBe(last));
  });

  it('that was presumed to match another than it does gets the event', async () => {
    const world = await createWorld(domainType, 'PRESUME_MATCH');
    const { source, other } = world;
    await report(other, { name: 'Ann', town: 'Bern' });
    await report(other, { name: 'Aaaaaaaa', town: 'Chur' });
    await report(source, { name: 'Anna', note: 'new' });
    const [wrong, right] = await records(world);
    if (wrong === undefined || right === undefined) throw new TypeError('two records are expected');
    expect(await settle(world, right.uuid)).toBe(right.uuid);
    expect((await records(world)).map(({ links }) => links)).toEqual(['other=Ann', 'other=Aaaaaaaa source=Anna']);
  });
});

describe('settling', () => {
  it('sends DELETE of the wrong record to adaptors that link both, and keeps the link to the right one', async () => {
    const world = await createWorld('FEDERATED', 'PRESUME_NEW');
    const { domain, source, other, receiver } = world;
    await report(other, { name: 'Ann', town: 'Bern' });
    await report(source, { name: 'Anna', town: 'Basel' });
    const [right, wrong] = await records(world);
    if (right === undefined || wrong === undefined) throw new TypeError('two records are expected');
    const uuids = [right.uuid, wrong.uuid];
    await eventually(() => expect(receiver.applied).toHaveLength(2));
    const links = [
      { domain, version: 1, drUuid: right.uuid, drKey: { name: 'Ann' } },
      { domain, version: 1, drUuid: wrong.uuid, drKey: { name: 'Anna' } },
    ] as const;
    receiver.link(...links.map((link) => ({ action: 'LINK' as const, ...link })));
    await eventually(async () =>
      expect((await records(world)).map((record) => record.links)).toEqual([
        'other=Ann receiver=Ann',
        'receiver=Anna source=Anna',
      ]),
    );

    expect(await settle(world, right.uuid)).toBe(right.uuid);
    await eventually(() =>
      expect(sent(receiver, uuids).slice(2)).toEqual(['DELETE 1 {}', `PUT 0 ${data('Anna', { town: 'Basel' })}`]),
    );
    receiver.link({ action: 'UNLINK', ...links[1] });
    // behind the report, in its queue
    await report(receiver, { name: 'Ann', town: 'Zug' });
    expect((await records(world)).map((record) => record.links)).toEqual(['other=Ann receiver=Ann source=Anna']);
  });

  it('changes nothing when the presumption is right, or the record is gone or belongs to no adaptor', async () => {
    const world = await createWorld('FEDERATED', 'PRESUME_MATCH');
    await report(world.other, { name: 'Ann' });
    await report(world.source, { name: 'Anna' });
    const before = await records(world);
    expect(await settle(world, before[0]?.uuid ?? '')).toBe(before[0]?.uuid);
    expect(await settle(world, zoneUuid)).toBe('there is no such record of the domain version');
    expect(await records(world)).toEqual(before);
  });

  it('leaves the counts of records and links right', async () => {
    expect(await findMiscounts(database.pool)).toEqual([]);
  });

  it('finds every row by an index in the statements of batches', async () => {
    expect(await findScans(database)).toEqual([]);
  });
});
