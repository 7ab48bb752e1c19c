import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { findScans } from '../../testing/find-scans.js';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

let database: TestDatabase;
let first: StartedRecords;
let sourceUuid: string;
const domain = 'Held';
const properties = { id: { type: 'integer' }, name: { type: 'string', required: true } };

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await first?.close();
  await database.drop();
});

const issues = async (): Promise<string[]> => {
  const { rows } = await database.pool.query<{ cause: string; status: string }>(
    'SELECT cause, status FROM data_issue WHERE adaptor_uuid = $1 ORDER BY uuid',
    [sourceUuid],
  );
  return rows.map(({ cause, status }) => `${cause} ${status}`);
};

it('events that were parked go on at the next start, in order, up to one that cannot', async () => {
  const seed = createCatalogSeed(database);
  const zoneUuid = await seed.addZone('Zone');
  await seed.addVersion({ domainName: domain, domainType: 'FEDERATED', properties, drKeyProperties: ['id'] });
  const [from, to] = [
    await seed.addAdaptor({ name: 'from', zoneUuid, domains: [domain], actions: ['GET', 'POST', 'PUT'] }),
    await seed.addAdaptor({ name: 'to', zoneUuid, domains: [domain] }),
  ];
  sourceUuid = from;
  const deny = newUuid();
  await database.prisma.operationalAcl.create({ data: { uuid: deny, position: 0, post: 'DENY' } });

  first = await startRecords(database);
  const source: BusAdaptor = createBusAdaptor(first.bus, from, { domain, version: 1 });
  await source.connect();
  source.send({ action: 'POST', json: { id: 1, name: 'a' } });
  source.send({ action: 'PUT', json: { id: 1, name: 'b' } });
  source.send({ action: 'DELETE', drKey: { id: 1 } });
  source.send({ action: 'PUT', json: { id: 1, name: 'c' } });
  await eventually(async () => {
    expect(await issues()).toEqual(['OPERATIONAL OPEN', 'HELD OPEN', 'HELD OPEN', 'HELD OPEN']);
  });
  await first.close();

  // no process follows the change
  await database.prisma.operationalAcl.delete({ where: { uuid: deny } });
  first = await startRecords(database);
  const destination = createBusAdaptor(first.bus, to, { domain, version: 1 });
  await destination.connect();
  await eventually(async () => {
    expect(await issues()).toEqual(['OPERATIONAL CLOSED', 'FAULTY OPEN', 'HELD OPEN']);
  });
  await eventually(() => expect(destination.applied).toHaveLength(2));
  const { rows } = await database.pool.query<{ allowed: bigint; denied: bigint }>(
    `SELECT sum(allowed) AS allowed, sum(denied) AS denied FROM acl_metric WHERE chain = 'OPERATIONAL'`,
  );
  expect(rows.map(({ allowed, denied }) => [Number(allowed), Number(denied)])).toEqual([[1, 1]]);
});

it('finds every row by an index in the statements of batches', async () => {
  expect(await findScans(database)).toEqual([]);
});
