import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { logChange } from '@fds/database';
import { parseJson } from '@fds/json';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { findMiscounts } from '../../testing/find-miscounts.js';
import { findScans } from '../../testing/find-scans.js';
import { createCatalogSeed, type CatalogSeed, type SeededVersion } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

const properties = {
  id: { type: 'integer' },
  name: { type: 'string', required: true },
  secret: { type: 'string' },
};

let database: TestDatabase;
let seed: CatalogSeed;
let zone: string;
let counter = 0;
let version: SeededVersion;
let domain: string;
let server: StartedRecords;
let [a, b, c]: BusAdaptor[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zone = await seed.addZone('Zone');
});
afterAll(() => database.drop());

const addAdaptor = async (options: Partial<Parameters<CatalogSeed['addAdaptor']>[0]> = {}): Promise<BusAdaptor> => {
  counter += 1;
  const uuid = await seed.addAdaptor({ name: `adaptor ${counter}`, zoneUuid: zone, domains: [domain], ...options });
  return createBusAdaptor(server.bus, uuid, { domain, version: 1 });
};

beforeEach(async () => {
  counter += 1;
  domain = `Customer${counter}`;
  version = await seed.addVersion({ domainName: domain, domainType: 'FEDERATED', properties, drKeyProperties: ['id'] });
  server = await startRecords(database);
  a = await addAdaptor();
  b = await addAdaptor();
  c = await addAdaptor();
  for (const adaptor of [a, b, c]) {
    await adaptor.connect();
  }
});
afterEach(() => server.close());

const adaptors = (): [BusAdaptor, BusAdaptor, BusAdaptor] => {
  if (a === undefined || b === undefined || c === undefined) throw new TypeError('no adaptors');
  return [a, b, c];
};

const countIssues = async (adaptorUuid: string): Promise<number> => {
  const { rows } = await database.pool.query<{ total: bigint }>(
    'SELECT count(*) AS total FROM data_issue WHERE adaptor_uuid = $1',
    [adaptorUuid],
  );
  return Number(rows[0]?.total);
};

const outbox = async (adaptorUuid: string) => {
  const { rows } = await database.pool.query<{ sequence: bigint; status: string; message: string | null }>(
    'SELECT sequence, status, message FROM delivery WHERE adaptor_uuid = $1 ORDER BY sequence',
    [adaptorUuid],
  );
  return rows;
};

describe('ingest', () => {
  it('routes a new record to the other capable adaptors as POST, with every digit', async () => {
    const [source, one, other] = adaptors();
    source.send({ action: 'PUT', json: { id: 9223372036854775807n, name: 'Ada' } });
    await eventually(() => expect([one.applied.length, other.applied.length]).toEqual([1, 1]));
    expect(source.applied).toHaveLength(0);
    const event = one.applied[0]?.event;
    expect(event).toMatchObject({
      action: 'POST',
      domain,
      version: 1,
      domainVersionUuid: version.domainVersionUuid,
      sourceAdaptorUuid: source.uuid,
      destinationAdaptorUuid: one.uuid,
      drKey: '[9223372036854775807]',
    });
    expect(parseJson(event?.jsonData ?? '')).toEqual({ id: 9223372036854775807n, name: 'Ada' });
    expect(event?.messageGroup).toBe(event?.drUuid);
    await eventually(() => expect(source.acknowledged).toBe(1));
  });

  it('acknowledges once more and does nothing when a message comes twice', async () => {
    const [source, one] = adaptors();
    source.send({ action: 'POST', json: { id: 1, name: 'Ada' } });
    await eventually(() => expect(source.acknowledged).toBe(1));
    source.resend(1);
    source.send({ action: 'PUT', json: { id: 1, name: 'Ada Lovelace' } });
    await eventually(() => expect(source.acknowledged).toBe(2));
    await eventually(() => expect(one.applied).toHaveLength(2));
  });

  it('asks an adaptor to go back when a message is missing', async () => {
    const [source, one] = adaptors();
    source.disconnect();
    source.lose({ action: 'POST', json: { id: 1, name: 'lost on the way' } });
    await source.connect();
    await eventually(() => expect(source.acknowledged).toBe(1));
    source.lose({ action: 'POST', json: { id: 2, name: 'lost on the way' } });
    source.send({ action: 'POST', json: { id: 3, name: 'Ada' } });
    await eventually(() => expect(source.acknowledged).toBe(3));
    await eventually(() => expect(one.applied.map(({ event }) => event.drKey)).toEqual(['[1]', '[2]', '[3]']));
  });

  it('takes nothing from a deactivated adaptor, and everything once it is active again', async () => {
    const [source, probe] = adaptors();
    const setActive = (active: boolean): Promise<void> =>
      database.prisma.$transaction(async (tx) => {
        await tx.adaptor.update({ where: { uuid: source.uuid }, data: { active }, select: { uuid: true } });
        const resource = `/zones/${zone}/adaptors/${source.uuid}`;
        await logChange(tx, { action: 'PATCH', resourceType: 'Adaptor', resource, resourceUuid: source.uuid });
      });
    let id = 100;
    const sendProbe = async (): Promise<void> => {
      const before = probe.acknowledged;
      probe.send({ action: 'POST', json: { id: (id += 1), name: 'probe' } });
      await eventually(() => expect(probe.acknowledged).toBe(before + 1));
    };
    await setActive(false);
    // known here once nothing more is queued for it
    await eventually(async () => {
      const queued = (await outbox(source.uuid)).length;
      await sendProbe();
      expect(await outbox(source.uuid)).toHaveLength(queued);
    });
    source.send({ action: 'POST', json: { id: 1, name: 'Ada' } });
    await sendProbe();
    expect(source.acknowledged).toBe(0);
    await setActive(true);
    await source.connect();
    await eventually(() => expect(source.acknowledged).toBe(1));
  });

  it('decides on several events of one key in a batch as one after another', async () => {
    const [source, one] = adaptors();
    for (let index = 1; index <= 20; index += 1) {
      source.send({ action: 'PUT', json: { id: 7, name: `name ${index}` } });
    }
    await eventually(() => expect(one.applied).toHaveLength(20));
    const names = one.applied.map(({ event }) => parseJson(event.jsonData));
    expect(names).toEqual(Array.from({ length: 20 }, (_, index) => ({ id: 7, name: `name ${index + 1}` })));
    const { rows } = await database.pool.query('SELECT 1 FROM data_record WHERE domain_version_uuid = $1', [
      version.domainVersionUuid,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('sends PUT to an adaptor that linked the record and is silent about its echo', async () => {
    const [source, one, other] = adaptors();
    source.send({ action: 'POST', json: { id: 1, name: 'Ada' } });
    await eventually(() => expect(one.applied).toHaveLength(1));
    one.send({ action: 'POST', json: { id: 1, name: 'Ada' } });
    await eventually(() => expect(one.acknowledged).toBe(1));
    source.send({ action: 'PUT', json: { id: 1, name: 'Ada L.' } });
    await eventually(() => expect(one.applied).toHaveLength(2));
    await eventually(() => expect(other.applied).toHaveLength(2));
    expect(one.applied[1]?.event.action).toBe('PUT');
    expect(other.applied.map(({ event }) => event.action)).toEqual(['POST', 'POST']);
    expect(source.applied).toHaveLength(0);
  });

  it('deletes at the linked adaptors and removes the record with its last link', async () => {
    const [source, one] = adaptors();
    source.send({ action: 'POST', json: { id: 1, name: 'Ada' } });
    await eventually(() => expect(one.applied).toHaveLength(1));
    const drUuid = one.applied[0]?.event.drUuid ?? '';
    one.link({ action: 'LINK', domain, version: 1, drUuid });
    await eventually(async () => {
      const { rows } = await database.pool.query('SELECT 1 FROM record_link WHERE record_uuid = $1', [drUuid]);
      expect(rows).toHaveLength(2);
    });
    source.send({ action: 'DELETE', drKey: { id: 1 } });
    await eventually(() => expect(one.applied.map(({ event }) => event.action)).toEqual(['POST', 'DELETE']));
    one.send({ action: 'DELETE', drUuid });
    await eventually(async () => {
      const { rows } = await database.pool.query('SELECT 1 FROM data_record WHERE uuid = $1', [drUuid]);
      expect(rows).toHaveLength(0);
    });
    expect(source.applied).toHaveLength(0);
  });

  it('keeps an event that is not valid as an issue that holds later ones of its key only', async () => {
    const [source, one] = adaptors();
    source.send({ action: 'POST', json: { id: 1 } });
    // not valid either: it does not correct the first one
    source.send({ action: 'POST', json: { id: 1, name: 7 } });
    source.send({ action: 'POST', json: { id: 2, name: 'Grace' } });
    await eventually(() => expect(source.acknowledged).toBe(3));
    await eventually(() => expect(one.applied).toHaveLength(1));
    expect(one.applied[0]?.event.drKey).toBe('[2]');
    expect(await countIssues(source.uuid)).toBe(2);
  });

  it('makes an issue of an event of an unknown version, and continues', async () => {
    const [source, one] = adaptors();
    source.send({ action: 'POST', domain: 'Nowhere', json: { id: 1, name: 'Ada' } });
    source.send({ action: 'POST', json: { id: 3, name: 'Grace' } });
    await eventually(() => expect(source.acknowledged).toBe(2));
    await eventually(() => expect(one.applied).toHaveLength(1));
    expect(await countIssues(source.uuid)).toBe(1);
  });

  it('makes an issue of a message that is malformed but has a number, and continues', async () => {
    const [source, one] = adaptors();
    source.sendUnreadable();
    source.send({ action: 'POST', json: { id: 3, name: 'Grace' } });
    await eventually(() => expect(source.acknowledged).toBe(2));
    await eventually(() => expect(one.applied).toHaveLength(1));
    expect(await countIssues(source.uuid)).toBe(1);
  });

  it('removes properties that governance denies and sends nothing when none is left', async () => {
    const [source, one] = adaptors();
    const guardedZone = await seed.addZone(`Guarded ${counter}`);
    const closedZone = await seed.addZone(`Closed ${counter}`);
    // in this order: a process that has the second chain has the first
    await seed.denyInbound(closedZone, []);
    await seed.denyInbound(guardedZone, ['secret', 'id']);
    const guarded = await addAdaptor({ zoneUuid: guardedZone });
    const shut = await addAdaptor({ zoneUuid: closedZone });
    await guarded.connect();
    await shut.connect();
    // the chains are in force once an event shows so: the view follows the change log
    let id = 0;
    await eventually(() => {
      id += 1;
      source.send({ action: 'POST', json: { id, name: 'Ada', secret: 's' } });
      expect(guarded.applied.at(-1)?.event.drKey).toBe('[null]');
    });
    expect(parseJson(guarded.applied.at(-1)?.event.jsonData ?? '')).toEqual({ name: 'Ada' });
    id += 1;
    source.send({ action: 'POST', json: { id, name: 'Ada', secret: 's' } });
    await eventually(() => expect(one.applied.length).toBe(id));
    await eventually(() => expect(guarded.applied.length).toBe(id));
    // events from before the chains were in force may have passed; this one is denied in the transaction that sent the others
    expect(shut.applied.map(({ event }) => event.drKey)).not.toContain(`[${id}]`);
    const { rows } = await database.pool.query<{ denied: unknown }>(
      'SELECT denied FROM data_event WHERE source_adaptor_uuid = $1 ORDER BY uuid DESC LIMIT 1',
      [source.uuid],
    );
    expect(rows[0]?.denied).toMatchObject([{ adaptorUuid: shut.uuid, chain: 'INBOUND' }]);
  });

  it('carries no property of a data-store record through another zone that its own zone may not give', async () => {
    counter += 1;
    domain = `Stored${counter}`;
    await seed.addVersion({
      domainName: domain,
      domainType: 'SERVICE_DATA_STORE',
      properties,
      drKeyProperties: ['id'],
    });
    const [north, west, south] = await Promise.all(
      ['North', 'West', 'South'].map((name) => seed.addZone(`${name} ${counter}`)),
    );
    if (north === undefined || west === undefined || south === undefined) throw new TypeError('no zones');
    await seed.denyInbound(south, ['secret'], north);
    const [source, between, guarded] = [
      await addAdaptor({ zoneUuid: north }),
      await addAdaptor({ zoneUuid: west }),
      await addAdaptor({ zoneUuid: south }),
    ];
    for (const adaptor of [source, between, guarded]) await adaptor.connect();
    // the chain is in force once an event shows so
    let id = 0;
    await eventually(() => {
      id += 1;
      source.send({ action: 'POST', json: { id, name: 'Ada', secret: `canary ${id}` } });
      expect(guarded.applied.at(-1)?.event.jsonData).not.toMatch('canary');
      expect(guarded.applied.length).toBeGreaterThan(0);
    });
    id += 1;
    const canary = `the canary ${id}`;
    source.send({ action: 'POST', json: { id, name: 'Ada', secret: canary } });
    await eventually(() => expect(between.applied.at(-1)?.event.jsonData).toMatch(canary));
    // once a change, once the whole record that it has
    between.send({ action: 'PUT', json: { id, name: 'Grace' } });
    between.send({ action: 'PUT', json: { id, name: 'Ada Lovelace', secret: canary } });
    const received = (): string[] =>
      guarded.applied.filter(({ event }) => event.drKey === `[${id}]`).map(({ event }) => event.jsonData);
    await eventually(() => expect(received()).toHaveLength(3));
    expect(received().map((text) => parseJson(text))).toEqual(
      ['Ada', 'Grace', 'Ada Lovelace'].map((name) => ({ id, name })),
    );
    // the other zone may give the values that it sets itself
    between.send({ action: 'PUT', json: { id, secret: 'of West' } });
    await eventually(() => expect(received().at(-1)).toMatch('of West'));
    expect(received().join()).not.toMatch(canary);
  });

  it('numbers the outboxes of adaptors that join in the middle of a stream without gaps', async () => {
    const [source, one] = adaptors();
    const joined: BusAdaptor[] = [];
    for (let id = 1; id <= 300; id += 1) {
      source.send({ action: 'POST', json: { id, name: 'Ada' } });
      if (id % 60 !== 0) continue;
      const next = await addAdaptor();
      await next.connect();
      joined.push(next);
    }
    await eventually(() => expect(one.applied).toHaveLength(300));
    for (const { applied } of joined) {
      await eventually(() => expect(applied.at(-1)?.event.drKey ?? '[300]').toBe('[300]'));
      expect(applied.map(({ sequence }) => sequence)).toEqual(applied.map((_, index) => index + 1));
    }
    expect(await countIssues(source.uuid)).toBe(0);
  });

  it('links in discovery mode and routes nothing', async () => {
    const [, one] = adaptors();
    const finder = await addAdaptor({ discoveryMode: true });
    await finder.connect();
    finder.send({ action: 'POST', json: { id: 1, name: 'Ada' } });
    await eventually(() => expect(finder.acknowledged).toBe(1));
    expect(await outbox(one.uuid)).toHaveLength(0);
  });

  it('merges events into data-store records, absent meaning unchanged', async () => {
    const [, , other] = adaptors();
    const stored = `Stored${counter}`;
    const seeded = await seed.addVersion({
      domainName: stored,
      domainType: 'SERVICE_DATA_STORE',
      properties,
      drKeyProperties: ['id'],
    });
    const source = await addAdaptor({ domains: [stored] });
    await source.connect();
    source.send({ action: 'POST', domain: stored, json: { id: 1, name: 'Ada', secret: 's' } });
    source.send({ action: 'PUT', domain: stored, json: { id: 1, name: 'Grace' } });
    await eventually(() => expect(source.acknowledged).toBe(2));
    const { rows } = await database.pool.query<{ json: unknown }>(
      'SELECT json FROM data_record WHERE domain_version_uuid = $1',
      [seeded.domainVersionUuid],
    );
    expect(rows).toEqual([{ json: { id: 1, name: 'Grace', secret: 's' } }]);
    expect(other.applied).toHaveLength(0);
  });

  it('checks events against the present model, also while it changes', async () => {
    const [source, one] = adaptors();
    source.send({ action: 'POST', json: { id: 1, name: 'Ada', secret: 's' } });
    await eventually(() => expect(one.applied).toHaveLength(1));
    const change = await database.pool.connect();
    try {
      await change.query('BEGIN');
      await change.query(
        `UPDATE domain_version SET change_version = change_version + 1, model_schema = (model_schema::jsonb #- '{properties,secret}')::text
         WHERE uuid = $1`,
        [version.domainVersionUuid],
      );
      source.send({ action: 'POST', json: { id: 2, name: 'Grace', secret: 's' } });
      source.send({ action: 'POST', json: { id: 3, name: 'Joan' } });
      await eventually(async () => {
        const waiting = await database.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(waiting.rows.length).toBeGreaterThan(0);
      });
      await change.query('COMMIT');
    } finally {
      change.release();
    }
    await eventually(() => expect(source.acknowledged).toBe(3));
    await eventually(() => expect(one.applied.map(({ event }) => event.drKey)).toEqual(['[1]', '[3]']));
    expect(await countIssues(source.uuid)).toBe(1);
  });

  it('repeats a batch whose key another transaction takes', async () => {
    const [source, one] = adaptors();
    source.send({ action: 'POST', json: { id: 1, name: 'first' } });
    await eventually(() => expect(source.acknowledged).toBe(1));
    const { rows } = await database.pool.query<{ key_digest: Buffer }>(
      'SELECT key_digest FROM data_record WHERE domain_version_uuid = $1',
      [version.domainVersionUuid],
    );
    const digest = rows[0]?.key_digest;
    const taken = await database.pool.connect();
    try {
      await database.pool.query('DELETE FROM data_record WHERE domain_version_uuid = $1', [version.domainVersionUuid]);
      await taken.query('BEGIN');
      await taken.query(
        `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key)
         VALUES (gen_random_uuid(), $1, $2, '{"id": 1}')`,
        [version.domainVersionUuid, digest],
      );
      source.send({ action: 'PUT', json: { id: 1, name: 'second' } });
      source.send({ action: 'PUT', json: { id: 2, name: 'other' } });
      await eventually(async () => {
        const waiting = await database.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(waiting.rows.length).toBeGreaterThan(0);
      });
      await taken.query('COMMIT');
    } finally {
      taken.release();
    }
    await eventually(() => expect(source.acknowledged).toBe(3));
    await eventually(() => expect(one.applied).toHaveLength(3));
    const records = await database.pool.query('SELECT 1 FROM data_record WHERE domain_version_uuid = $1', [
      version.domainVersionUuid,
    ]);
    expect(records.rows).toHaveLength(2);
  });

  it('leaves the counts of records and links right', async () => {
    expect(await findMiscounts(database.pool)).toEqual([]);
  });

  it('finds every row by an index in the statements of batches', async () => {
    expect(await findScans(database)).toEqual([]);
  });
});
