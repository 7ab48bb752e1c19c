import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isJsonObject, parseJson } from '@fds/json';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { findScans } from '../../testing/find-scans.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';
import { reportWindow } from '../../store/channels/delivery.js';

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let zoneUuid: string;
const properties = {
  id: { type: 'integer' },
  name: { type: 'string' },
  grade: { type: 'string', default: 'C' },
};

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  server = await startRecords(database);
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

const connect = async (domain: string, name: string, zone = zoneUuid): Promise<BusAdaptor> => {
  const uuid = await seed.addAdaptor({ name: `${name} of ${domain}`, zoneUuid: zone, domains: [domain] });
  const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
  await adaptor.connect();
  return adaptor;
};

const dataOf = ({ event }: BusAdaptor['applied'][number]) => {
  const data = parseJson(event.jsonData);
  if (!isJsonObject(data)) throw new TypeError('a message without a record');
  return data;
};

/** Events that an adaptor sends before it waits for their acknowledgement. */
const atOnce = 256;

/** Reports what an adaptor applied as changes, oldest first, each with its origin. Resolves when all are acknowledged. */
const echoAll = async (adaptor: BusAdaptor): Promise<void> => {
  const applied = [...adaptor.applied];
  for (let from = 0; from < applied.length; from += atOnce) {
    const before = adaptor.acknowledged;
    const part = applied.slice(from, from + atOnce);
    for (const message of part) {
      const origin = { originTransactionUuid: message.event.transactionUuid };
      if (message.event.action === 'DELETE') adaptor.send({ action: 'DELETE', drKey: { id: 1 }, ...origin });
      else adaptor.send({ action: 'PUT', json: dataOf(message), ...origin });
    }
    await eventually(() => expect(adaptor.acknowledged).toBe(before + part.length));
  }
};

it.each(['FEDERATED', 'SERVICE_DATA_STORE'] as const)(
  'an echo that names its origin is recognised, however much was sent and acknowledged since: %s',
  async (domainType) => {
    const domain = `Echo${domainType}`;
    await seed.addVersion({ domainName: domain, domainType, properties, drKeyProperties: ['id'] });
    const [a, b] = [await connect(domain, 'A'), await connect(domain, 'B')];
    const count = reportWindow + 44;
    for (let number = 1; number <= count; number += 1) {
      a.send({ action: 'PUT', json: { id: 1, name: `v${number}` } });
      if (number % atOnce === 0 || number === count) {
        await eventually(() => expect(b.applied).toHaveLength(number));
      }
    }
    // the content of the oldest messages is forgotten
    await eventually(async () =>
      expect(await database.prisma.delivery.count({ where: { adaptorUuid: b.uuid, message: null } })).toBe(
        count - reportWindow,
      ),
    );
    await echoAll(b);
    expect(a.applied).toEqual([]);
    expect(b.applied).toHaveLength(count);

    // the echo of an old message with another content is a change
    const [first] = b.applied;
    if (first === undefined) throw new TypeError('nothing was applied');
    b.send({
      action: 'PUT',
      json: { ...dataOf(first), name: 'V1' },
      originTransactionUuid: first.event.transactionUuid,
    });
    await eventually(() => expect(a.applied.map((message) => dataOf(message)['name'])).toEqual(['V1']));
  },
);

it('the echo of a message from which governance removed a property does not set its default', async () => {
  const domain = 'Removed';
  await seed.addVersion({ domainName: domain, domainType: 'FEDERATED', properties, drKeyProperties: ['id'] });
  const other = await seed.addZone('Other');
  await seed.denyInbound(other, ['grade']);
  const [a, b] = [await connect(domain, 'A'), await connect(domain, 'B', other)];
  a.send({ action: 'POST', json: { id: 1, name: 'v1', grade: 'A' } });
  a.send({ action: 'PUT', json: { id: 1, name: 'v2', grade: 'A' } });
  await eventually(() =>
    expect(b.applied.map(dataOf)).toEqual([
      { id: 1, name: 'v1' },
      { id: 1, name: 'v2' },
    ]),
  );
  await echoAll(b);
  expect(a.applied).toEqual([]);
  expect(b.applied).toHaveLength(2);
  expect(await database.prisma.recordLink.count({ where: { adaptorUuid: b.uuid } })).toBe(1);
});

it('the echo of a deletion does not delete a record that came back since', async () => {
  const domain = 'Deleted';
  const { domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType: 'SERVICE_DATA_STORE',
    properties,
    drKeyProperties: ['id'],
  });
  const [a, b] = [await connect(domain, 'A'), await connect(domain, 'B')];
  a.send({ action: 'POST', json: { id: 1, name: 'v1' } });
  a.send({ action: 'DELETE', drKey: { id: 1 } });
  a.send({ action: 'POST', json: { id: 1, name: 'v2' } });
  await eventually(() => expect(b.applied.map(({ event }) => event.action)).toEqual(['POST', 'DELETE', 'POST']));
  await echoAll(b);
  expect(a.applied).toEqual([]);
  expect(b.applied).toHaveLength(3);
  expect(await database.prisma.dataRecord.count({ where: { domainVersionUuid } })).toBe(1);
});

it('finds every row by an index in the statements of batches', async () => {
  expect(await findScans(database)).toEqual([]);
});
