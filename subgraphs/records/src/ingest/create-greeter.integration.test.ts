import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Hello, parseMessage } from '@fds/adaptor-protocol';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLifetime, createLog, createUuids, type Lifetime } from '@fds/service';
import { openCatalogView } from '../catalog-view/open-catalog-view.js';
import type { Channel } from '../domain/meet-adaptor.js';
import { openRelay, type Relay } from '../relay/open-relay.js';
import { createMemoryBus } from '../testing/memory-bus.js';
import { createCatalogSeed } from '../testing/seed-catalog.js';
import { createGreeter, type Greeter } from './create-greeter.js';

let database: TestDatabase;
let adaptorUuid: string;
let counter = 0;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

describe('who comes to serve an adaptor', () => {
  let lifetime: Lifetime;
  let greeter: Greeter;
  let relay: Relay;
  /** Another process is alive and has the lease. */
  let taken: boolean;
  let held: boolean;
  /** Happens while an adaptor is being met: its channel gets its epoch then. */
  let meanwhile: () => void;
  let heard: { readonly correlationid: string | undefined; readonly data: Hello }[];
  let met: { readonly channel: Channel; readonly hello: Hello | undefined }[];

  beforeEach(async () => {
    counter += 1;
    const seed = createCatalogSeed(database);
    const zoneUuid = await seed.addZone(`Zone ${counter}`);
    adaptorUuid = await seed.addAdaptor({ name: 'adaptor', zoneUuid, domains: [] });
    [taken, held, heard, met] = [true, false, [], []];
    meanwhile = () => undefined;
    lifetime = createLifetime();
    const [log, newUuid, now] = [createLog('silent'), createUuids(Date.now), () => new Date()];
    const bus = createMemoryBus();
    bus.connect(adaptorUuid, (_, payload) => {
      const parsed = parseMessage('down/hello', new TextEncoder().encode(payload));
      if (parsed.ok) heard.push({ correlationid: parsed.value.correlationid, data: parsed.value.data });
    });
    const view = lifetime.own(await openCatalogView({ database, log }));
    relay = lifetime.own(await openRelay({ database, bus, log, now, newUuid, plays: () => true }));
    greeter = createGreeter({
      database,
      bus,
      view,
      leases: {
        holds: () => held,
        acquire: async () => {
          held = !taken;
          return held;
        },
        close: async () => undefined,
      },
      relay,
      log,
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

  it('answers the hello that has waited, whatever message it took the lease for', async () => {
    const waiting = hello();
    await greeter.hear(adaptorUuid, { id: 'waiting', correlationid: 'waiting', hello: waiting });
    expect([heard, relay.position(adaptorUuid)]).toEqual([[], undefined]);
    taken = false;
    expect(await greeter.serves(adaptorUuid)).toBe(true);
    expect(heard).toMatchObject([{ correlationid: 'waiting', data: { epoch: waiting.sendEpoch, applied: 0 } }]);
    expect(met).toMatchObject([{ hello: waiting, channel: { upEpoch: waiting.sendEpoch } }]);
    expect(relay.position(adaptorUuid)).toMatchObject({ applied: 0 });
  });

  it('asks for a hello where none has waited, and once only', async () => {
    taken = false;
    for (let message = 0; message < 3; message += 1) expect(await greeter.serves(adaptorUuid)).toBe(true);
    await greeter.goOn(adaptorUuid);
    expect(heard).toMatchObject([{ data: { epoch: null, applied: 0, ask: true } }]);
    expect(relay.position(adaptorUuid)).toMatchObject({ applied: 0 });
  });

  it('does not serve whom another process serves', async () => {
    expect(await greeter.serves(adaptorUuid)).toBe(false);
    expect([heard, met, relay.position(adaptorUuid)]).toEqual([[], [], undefined]);
  });

  it('answers a hello that waited while the lease was away', async () => {
    taken = false;
    await greeter.serves(adaptorUuid);
    [taken, held] = [true, false];
    await greeter.hear(adaptorUuid, { id: 'waiting', correlationid: 'waiting', hello: hello() });
    taken = false;
    await greeter.serves(adaptorUuid);
    expect(heard).toMatchObject([{ data: { ask: true } }, { correlationid: 'waiting' }]);
  });

  it('leaves an adaptor to another process that took it while it was being met, and answers when it comes back', async () => {
    taken = false;
    meanwhile = () => greeter.forget(adaptorUuid);
    await greeter.hear(adaptorUuid, { id: 'waiting', correlationid: 'waiting', hello: hello() });
    meanwhile = () => undefined;
    expect([heard, met, relay.position(adaptorUuid)]).toEqual([[], [], undefined]);
    await greeter.serves(adaptorUuid);
    expect(heard).toMatchObject([{ correlationid: 'waiting' }]);
  });

  it('meets an adaptor anew that another process served meanwhile', async () => {
    taken = false;
    await greeter.serves(adaptorUuid);
    held = false;
    greeter.forget(adaptorUuid);
    await greeter.serves(adaptorUuid);
    expect(heard).toHaveLength(2);
  });
});
