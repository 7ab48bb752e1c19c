import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Hello, parseMessage } from '@fds/adaptor-protocol';
import type { Database } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLifetime, createLog, createUuids, type Lifetime } from '@fds/service';
import { eventually } from '@fds/testing';
import { openCatalogView } from '../../catalog-view/open-catalog-view.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import { noMeter } from '../../domain/events/event-meter.js';
import { openRelay, type Relay } from '../relay/open-relay.js';
import { loadChannels } from '../../store/channels/channel.js';
import { createMemoryBus } from '../../testing/memory-bus.js';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { createHandshakes, type Handshakes } from './create-handshakes.js';

let database: TestDatabase;
let adaptorUuid: string;
let counter = 0;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

describe('a process that starts to serve an adaptor', () => {
  let lifetime: Lifetime;
  let handshakes: Handshakes;
  let relay: Relay;
  /** Another process is alive and has the lease. */
  let taken: boolean;
  let owned: boolean;
  /** Happens while an adaptor is being met: its channel gets its epoch then. */
  let meanwhile: () => void;
  /** Happens right after the transaction in which an adaptor is met. */
  let afterCommit: () => Promise<void>;
  let sentNumbers: object[];
  let heard: { readonly correlationid: string | undefined; readonly data: Hello }[];
  let met: { readonly channel: Channel; readonly hello: Hello | undefined }[];

  beforeEach(async () => {
    counter += 1;
    const seed = createCatalogSeed(database);
    const zoneUuid = await seed.addZone(`Zone ${counter}`);
    adaptorUuid = await seed.addAdaptor({ name: 'adaptor', zoneUuid, domains: [] });
    [taken, owned, heard, met] = [true, false, [], []];
    meanwhile = () => undefined;
    [afterCommit, sentNumbers] = [async () => undefined, []];
    lifetime = createLifetime();
    const [log, newUuid, now] = [createLog('silent'), createUuids(Date.now), () => new Date()];
    const bus = createMemoryBus();
    bus.connect(adaptorUuid, (kind, payload) => {
      if (kind === 'data') {
        const { sequence, epoch, data } = JSON.parse(payload) as { sequence: string; epoch: string; data: object };
        sentNumbers.push({ epoch, sequence: Number(sequence), ...data });
      }
      const parsed = parseMessage('down/hello', new TextEncoder().encode(payload));
      if (parsed.ok) heard.push({ correlationid: parsed.value.correlationid, data: parsed.value.data });
    });
    const view = lifetime.own(await openCatalogView({ database, log }));
    relay = lifetime.own(await openRelay({ database, bus, log, now, newUuid, plays: () => true, meter: noMeter }));
    const interleaved = Object.assign(Object.create(database) as Database, {
      transaction: async <T>(work: Parameters<typeof database.transaction<T>>[0]): Promise<T> => {
        const result = await database.transaction(work);
        await afterCommit();
        return result;
      },
    });
    handshakes = createHandshakes({
      database: interleaved,
      bus,
      view,
      leases: {
        holds: () => owned,
        acquire: async () => {
          owned = !taken;
          return owned;
        },
        hasGiven: () => false,
        count: 0,
        takeovers: 0,
        close: async () => undefined,
      },
      relay,
      log,
      openedAt: new Date(),
      now,
      nowMs: () => performance.now(),
      newUuid: () => {
        meanwhile();
        return newUuid();
      },
      acknowledgedUpto: () => 0,
      onMet: (channel, hello) => met.push({ channel, hello }),
    });
  });
  afterEach(() => lifetime.close());

  const hello = (): Hello => ({ epoch: null, applied: 0, sendEpoch: randomUUID(), sent: 3 });

  it('answers the hello that has waited, for any message that took the lease', async () => {
    const waiting = hello();
    await handshakes.receiveHello(adaptorUuid, { id: 'waiting', correlationid: 'waiting', hello: waiting });
    expect([heard, relay.position(adaptorUuid)]).toEqual([[], undefined]);
    taken = false;
    expect(await handshakes.serves(adaptorUuid)).toBe(true);
    expect(heard).toMatchObject([{ correlationid: 'waiting', data: { epoch: waiting.sendEpoch, applied: 0 } }]);
    expect(met).toMatchObject([{ hello: waiting, channel: { upEpoch: waiting.sendEpoch } }]);
    expect(relay.position(adaptorUuid)).toMatchObject({ applied: 0 });
  });

  it('asks for a hello where none has waited, and once only', async () => {
    taken = false;
    for (let message = 0; message < 3; message += 1) expect(await handshakes.serves(adaptorUuid)).toBe(true);
    await handshakes.continueWith(adaptorUuid);
    expect(heard).toMatchObject([{ data: { epoch: null, applied: 0, ask: true } }]);
    expect(relay.position(adaptorUuid)).toMatchObject({ applied: 0 });
  });

  it('sends an event that is committed while a new epoch is opened, after those that are sent again', async () => {
    taken = false;
    const queue = async (count: number): Promise<Channel> => {
      await database.pool.query(
        `INSERT INTO delivery (adaptor_uuid, sequence, event_uuid, record_uuid, action, message)
         SELECT $1, down_sequence + n, gen_random_uuid(), gen_random_uuid(), 'POST', json_build_object('n', down_sequence + n)::text
         FROM adaptor_channel, generate_series(1, $2) AS n WHERE adaptor_uuid = $1`,
        [adaptorUuid, count],
      );
      await database.pool.query(
        'UPDATE adaptor_channel SET down_sequence = down_sequence + $2 WHERE adaptor_uuid = $1',
        [adaptorUuid, count],
      );
      const channel = (await loadChannels(database.pool, [adaptorUuid])).get(adaptorUuid);
      if (channel === undefined) throw new Error('no channel');
      return channel;
    };
    await handshakes.receiveHello(adaptorUuid, { id: 'first', correlationid: undefined, hello: hello() });
    const { downEpoch: before, ...queued } = await queue(3);
    relay.queued({ ...queued, downEpoch: before }, []);
    await eventually(() => expect(sentNumbers).toHaveLength(3));
    sentNumbers.length = 0;
    const ack = { epoch: before, upto: 1 };
    relay.acknowledged(adaptorUuid, ack);
    handshakes.acknowledged(adaptorUuid, ack);
    // a batch commits after the transaction that opens the epoch, and is reported before the relay receives the epoch
    afterCommit = async () => {
      const queued = await queue(1);
      const sequence = queued.downSequence;
      relay.queued(queued, [{ sequence, recordUuid: randomUUID(), message: JSON.stringify({ n: sequence }) }]);
      await new Promise((resolve) => setImmediate(resolve));
    };
    const unknown = { ...hello(), epoch: randomUUID(), applied: 7 };
    await handshakes.receiveHello(adaptorUuid, { id: 'lost', correlationid: undefined, hello: unknown });
    const epoch = relay.position(adaptorUuid)?.epoch;
    expect(epoch).not.toBe(before);
    await eventually(() =>
      expect(sentNumbers).toEqual([1, 2, 3].map((sequence) => ({ epoch, sequence, n: sequence + 1 }))),
    );
  });

  it('does not serve whom another process serves', async () => {
    expect(await handshakes.serves(adaptorUuid)).toBe(false);
    expect([heard, met, relay.position(adaptorUuid)]).toEqual([[], [], undefined]);
  });

  it('answers a hello that waited while the lease was away', async () => {
    taken = false;
    await handshakes.serves(adaptorUuid);
    [taken, owned] = [true, false];
    await handshakes.receiveHello(adaptorUuid, { id: 'waiting', correlationid: 'waiting', hello: hello() });
    taken = false;
    await handshakes.serves(adaptorUuid);
    expect(heard).toMatchObject([{ data: { ask: true } }, { correlationid: 'waiting' }]);
  });

  it('leaves an adaptor to another process that took it while it was being met, and answers when it comes back', async () => {
    taken = false;
    meanwhile = () => handshakes.forget(adaptorUuid);
    await handshakes.receiveHello(adaptorUuid, { id: 'waiting', correlationid: 'waiting', hello: hello() });
    meanwhile = () => undefined;
    expect([heard, met, relay.position(adaptorUuid)]).toEqual([[], [], undefined]);
    await handshakes.serves(adaptorUuid);
    expect(heard).toMatchObject([{ correlationid: 'waiting' }]);
  });

  it('repeats the handshake with an adaptor that another process served in between', async () => {
    taken = false;
    await handshakes.serves(adaptorUuid);
    owned = false;
    handshakes.forget(adaptorUuid);
    await handshakes.serves(adaptorUuid);
    expect(heard).toHaveLength(2);
  });
});
