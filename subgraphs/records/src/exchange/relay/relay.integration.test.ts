import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { adaptorSource, buildMessage } from '@fds/adaptor-protocol';
import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { parseJson } from '@fds/json';
import { eventually } from '@fds/testing';
import { reportWindow } from '../../store/channels/delivery.js';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createMemoryBus } from '../../testing/memory-bus.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

let database: TestDatabase;
let seed: CatalogSeed;
let zone: string;
let domain: string;
let counter = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zone = await seed.addZone('Zone');
});
afterAll(() => database.drop());

beforeEach(async () => {
  counter += 1;
  domain = `Order${counter}`;
  await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, text: { type: 'string' } },
    drKeyProperties: ['id'],
  });
});

const seedAdaptor = (name: string): Promise<string> => seed.addAdaptor({ name, zoneUuid: zone, domains: [domain] });

const addAdaptor = async (server: StartedRecords, name: string): Promise<BusAdaptor> =>
  createBusAdaptor(server.bus, await seedAdaptor(name), { domain, version: 1 });

const idsOf = ({ applied }: BusAdaptor) => applied.map(({ event }) => parseJson(event.drKey));
const expectedIds = (count: number) => Array.from({ length: count }, (_, index) => [index + 1]);
const sendIds = (source: BusAdaptor, from: number, to: number): void => {
  for (let id = from; id <= to; id += 1) source.send({ action: 'POST', json: { id, text: `text ${id}` } });
};

describe('relay', () => {
  it('continues from the adaptor’s position after a restart of the server, in the same epoch', async () => {
    const first = await startRecords(database);
    const source = await addAdaptor(first, 'source');
    const destination = await addAdaptor(first, 'destination');
    await source.connect();
    await destination.connect();
    sendIds(source, 1, 3);
    await eventually(() => expect(destination.applied).toHaveLength(3));
    destination.become('ignore');
    sendIds(source, 4, 10);
    await eventually(() => expect(source.acknowledged).toBe(10));
    await first.close();

    const second = await startRecords(database);
    try {
      destination.become('apply');
      await source.connect(second.bus);
      await destination.connect(second.bus);
      sendIds(source, 11, 12);
      await eventually(() => expect(idsOf(destination)).toEqual(expectedIds(12)));
      expect(new Set(destination.applied.map(({ epoch }) => epoch)).size).toBe(1);
      expect(destination.applied.map(({ sequence }) => sequence)).toEqual(expectedIds(12).flat());
    } finally {
      await second.close();
    }
  });

  it('goes back after a time without progress', async () => {
    const server = await startRecords(database);
    try {
      const source = await addAdaptor(server, 'source');
      const destination = await addAdaptor(server, 'destination');
      await source.connect();
      await destination.connect();
      destination.become('ignore');
      sendIds(source, 1, 5);
      await eventually(() => expect(source.acknowledged).toBe(5));
      destination.become('apply');
      await eventually(() => expect(idsOf(destination)).toEqual(expectedIds(5)));
    } finally {
      await server.close();
    }
  });

  it('opens a new epoch for an adaptor that lost its state, and sends undelivered messages', async () => {
    const server = await startRecords(database);
    try {
      const source = await addAdaptor(server, 'source');
      const destination = await addAdaptor(server, 'destination');
      await source.connect();
      await destination.connect();
      sendIds(source, 1, 3);
      await eventually(() => expect(destination.applied).toHaveLength(3));
      await eventually(async () => {
        const { rows } = await database.pool.query<{ down_acked: bigint }>(
          'SELECT down_acked FROM adaptor_channel WHERE adaptor_uuid = $1',
          [destination.uuid],
        );
        expect(rows[0]?.down_acked).toBe(3n);
      });
      destination.become('ignore');
      sendIds(source, 4, 5);
      await eventually(() => expect(source.acknowledged).toBe(5));

      const reborn = createBusAdaptor(server.bus, destination.uuid, { domain, version: 1 });
      await reborn.connect();
      await eventually(() => expect(idsOf(reborn)).toEqual([[4], [5]]));
      expect(reborn.applied.map(({ sequence }) => sequence)).toEqual([1, 2]);
      expect(reborn.applied[0]?.epoch).not.toBe(destination.applied[0]?.epoch);
    } finally {
      await server.close();
    }
  });

  it('begins a new epoch when the adaptor has other messages under the numbers of the outbox', async () => {
    const server = await startRecords(database);
    try {
      const source = await addAdaptor(server, 'source');
      const destination = await addAdaptor(server, 'destination');
      await source.connect();
      await destination.connect();
      sendIds(source, 1, 3);
      const channel = async () => {
        const { rows } = await database.pool.query<{ down_epoch: string; down_acked: bigint; down_sequence: bigint }>(
          'SELECT down_epoch, down_acked, down_sequence FROM adaptor_channel WHERE adaptor_uuid = $1',
          [destination.uuid],
        );
        return rows[0];
      };
      await eventually(async () => expect((await channel())?.down_acked).toBe(3n));
      const epoch = (await channel())?.down_epoch;
      destination.disconnect();
      // after a restoration of the state up to here, other messages get the numbers that the adaptor has applied
      sendIds(source, 4, 8);
      await eventually(async () => expect((await channel())?.down_sequence).toBe(8n));
      const { rows: queued } = await database.pool.query<{ message: string }>(
        'SELECT message FROM delivery WHERE adaptor_uuid = $1 AND sequence = 5',
        [destination.uuid],
      );
      const { transactionUuid, drUuid } = JSON.parse(queued[0]?.message ?? '{}') as Record<string, string>;
      const issues = async () => {
        const { rows } = await database.pool.query<{ errors: string }>(
          `SELECT errors FROM data_issue WHERE adaptor_uuid = $1 AND cause = 'HUB_BEHIND' AND status = 'OPEN'`,
          [destination.uuid],
        );
        return rows.flatMap(({ errors }) => JSON.parse(errors) as { readonly detail: string }[]);
      };
      const greet = (applied: number, appliedMessage: object): void =>
        server.bus.publishUp(
          destination.uuid,
          'hello',
          buildMessage('up/hello', {
            id: randomUUID(),
            source: adaptorSource(destination.uuid),
            time: new Date().toISOString(),
            type: 'fds.hello.v1',
            data: { epoch, applied, appliedMessage, sendEpoch: null, sent: 0 } as never,
          }),
        );
      greet(5, { transactionUuid, drUuid });
      await eventually(async () => expect((await channel())?.down_acked).toBe(5n));
      expect(await issues()).toEqual([]);
      expect((await channel())?.down_epoch).toBe(epoch);

      greet(7, { transactionUuid: randomUUID(), drUuid });
      await eventually(async () => expect(await issues()).toHaveLength(1));
      expect((await issues())[0]?.detail).toMatch(
        /^up: 0 messages of the adaptor missing, links included; down: \d+ messages? to/,
      );
      expect((await channel())?.down_epoch).not.toBe(epoch);
      expect((await channel())?.down_acked).toBe(5n);
    } finally {
      await server.close();
    }
  });

  it('delivers nothing again because of a hello that is overtaken', async () => {
    const server = await startRecords(database);
    try {
      const source = await addAdaptor(server, 'source');
      const destination = await addAdaptor(server, 'destination');
      await source.connect();
      await destination.connect();
      sendIds(source, 1, 3);
      await eventually(async () => {
        const { rows } = await database.pool.query<{ down_acked: bigint }>(
          'SELECT down_acked FROM adaptor_channel WHERE adaptor_uuid = $1',
          [destination.uuid],
        );
        expect(rows[0]?.down_acked).toBe(3n);
      });
      const epoch = destination.applied[0]?.epoch ?? null;
      server.bus.publishUp(
        destination.uuid,
        'hello',
        buildMessage('up/hello', {
          id: randomUUID(),
          source: adaptorSource(destination.uuid),
          time: new Date().toISOString(),
          type: 'fds.hello.v1',
          data: { epoch, applied: 1, sendEpoch: null, sent: 0 },
        }),
      );
      sendIds(source, 4, 5);
      await eventually(() => expect(idsOf(destination)).toEqual(expectedIds(5)));
      expect(new Set(destination.applied.map((message) => message.epoch))).toEqual(new Set([epoch]));
    } finally {
      await server.close();
    }
  });

  it('sends nothing while the adaptor is paused, and everything in order after PLAY', async () => {
    const server = await startRecords(database);
    try {
      const source = await addAdaptor(server, 'source');
      const destination = await addAdaptor(server, 'destination');
      const other = await addAdaptor(server, 'other');
      for (const adaptor of [source, destination, other]) await adaptor.connect();
      sendIds(source, 1, 1);
      await eventually(() => expect(destination.applied).toHaveLength(1));
      await seed.setState(destination.uuid, 'PAUSED');
      // the pause is in force once an event reaches the other adaptor alone
      let id = 1;
      await eventually(async () => {
        id += 1;
        const before = destination.applied.length;
        sendIds(source, id, id);
        await eventually(() => expect(other.applied).toHaveLength(id));
        expect(destination.applied).toHaveLength(before);
      });
      const held = destination.applied.length;
      sendIds(source, id + 1, id + 400);
      await eventually(() => expect(other.applied).toHaveLength(id + 400));
      expect(destination.applied).toHaveLength(held);
      await seed.setState(destination.uuid, 'STARTED');
      await eventually(() => expect(idsOf(destination)).toEqual(expectedIds(id + 400)));
    } finally {
      await server.close();
    }
  });

  it('continues to send to an adaptor that reports ERROR because of its source', async () => {
    const server = await startRecords(database);
    try {
      const source = await addAdaptor(server, 'source');
      const destination = await addAdaptor(server, 'destination');
      for (const adaptor of [source, destination]) await adaptor.connect();
      await seed.setState(destination.uuid, 'PAUSED');
      let id = 0;
      await eventually(async () => {
        id += 1;
        const before = destination.applied.length;
        sendIds(source, id, id);
        await eventually(() => expect(source.acknowledged).toBe(id));
        expect(destination.applied).toHaveLength(before);
      });
      await seed.setState(destination.uuid, 'ERROR');
      await eventually(() => expect(idsOf(destination)).toEqual(expectedIds(id)));
    } finally {
      await server.close();
    }
  });

  it('hands the adaptors of a dead process to another one, with nothing lost, doubled or out of order', async () => {
    const bus = createMemoryBus();
    const dying = await startRecords(database);
    const source = await addAdaptor(dying, 'source');
    const destination = await addAdaptor(dying, 'destination');
    await source.connect();
    await destination.connect();
    sendIds(source, 1, 50);
    await eventually(() => expect(destination.applied.length).toBeGreaterThan(0));
    sendIds(source, 51, 300);
    await dying.bus.close();
    await database.pool.query(`UPDATE relay_lease SET owner = gen_random_uuid(), expires_at = now() + interval '1 s'`);
    await dying.kill();

    // the heir is the only process left, and looks for expired leases three times in the time of a lease
    const heir = await startRecords(database, { bus, leaseMs: 3_000 });
    try {
      await source.connect(bus);
      await destination.connect(bus);
      sendIds(source, 301, 320);
      await eventually(() => expect(idsOf(destination)).toEqual(expectedIds(320)));
      const { rows } = await database.pool.query<{ fence: bigint }>(
        'SELECT fence FROM relay_lease WHERE adaptor_uuid = $1',
        [destination.uuid],
      );
      expect(rows[0]?.fence).toBeGreaterThan(1n);
    } finally {
      await heir.close();
    }
  });

  it('sends messages that another process queued', async () => {
    // before the processes start, so that both know the adaptors of the other
    const [sourceUuid, destinationUuid] = [await seedAdaptor('source'), await seedAdaptor('destination')];
    const one = await startRecords(database);
    const two = await startRecords(database);
    try {
      const source = createBusAdaptor(one.bus, sourceUuid, { domain, version: 1 });
      const destination = createBusAdaptor(two.bus, destinationUuid, { domain, version: 1 });
      await source.connect();
      await destination.connect();
      sendIds(source, 1, 30);
      await eventually(() => expect(idsOf(destination)).toEqual(expectedIds(30)));
    } finally {
      await one.close();
      await two.close();
    }
  });

  it('carries 3000 events in order and without gaps', async () => {
    const server = await startRecords(database);
    try {
      const source = await addAdaptor(server, 'source');
      const destination = await addAdaptor(server, 'destination');
      await source.connect();
      await destination.connect();
      const count = 3_000;
      for (let sentUpTo = 0; sentUpTo < count; sentUpTo += 250) {
        sendIds(source, sentUpTo + 1, sentUpTo + 250);
        await eventually(() => expect(source.acknowledged).toBeGreaterThanOrEqual(sentUpTo));
      }
      await eventually(() => expect(destination.applied).toHaveLength(count));
      expect(idsOf(destination)).toEqual(expectedIds(count));
      expect(destination.applied.map(({ sequence }) => sequence)).toEqual(expectedIds(count).flat());
      await eventually(async () => {
        const { rows } = await database.pool.query<{ open: bigint }>(
          `SELECT count(*) AS open FROM delivery WHERE adaptor_uuid = $1 AND (status <> 'APPLIED' OR message IS NOT NULL)`,
          [destination.uuid],
        );
        // the last ones keep their content, for errors that come after their acknowledgement
        expect(rows[0]?.open).toBe(BigInt(reportWindow));
      });
    } finally {
      await server.close();
    }
  }, 120_000);
});
