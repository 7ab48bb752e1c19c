import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adaptorSource, buildMessage, carriedEvents, checkEvent, parseMessage } from '@fds/adaptor-protocol';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

const domain = 'Waits';
let database: TestDatabase;
let server: StartedRecords;
let source: BusAdaptor;
let destinationUuid: string;
const warnings: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  const zoneUuid = await seed.addZone('Zone');
  await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  const log = createLog('warn', {}, { write: (line) => void warnings.push(line) });
  server = await startRecords(database, { log });
  const add = (name: string) => seed.addAdaptor({ name, zoneUuid, domains: [domain] });
  source = createBusAdaptor(server.bus, await add('source'), { domain, version: 1 });
  destinationUuid = await add('destination');
  await source.connect();
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

/** An adaptor by the contract alone: messages of record 0 wait for its system, the others are applied. */
const connectDestination = () => {
  const [waiting, applied, arrivals]: [number[], number[], number[]] = [[], [], []];
  let epoch = '';
  const stamp = () => ({ id: randomUUID(), source: adaptorSource(destinationUuid), time: new Date().toISOString() });
  const publish = (kind: 'ack' | 'ops' | 'hello', payload: string) =>
    server.bus.publishUp(destinationUuid, kind, payload);
  const take = (payload: Uint8Array): void => {
    const carried = carriedEvents(payload);
    if (!carried.ok) throw new TypeError('an unreadable message');
    for (const { envelope } of carried.value) {
      const parsed = envelope.ok ? checkEvent('down/data', envelope.value) : envelope;
      if (!parsed.ok) throw new TypeError('an unreadable event');
      const { sequence = 0, data } = parsed.value;
      arrivals.push(sequence);
      if (data.drKey === '[0]') waiting.push(sequence);
      else applied.push(sequence);
    }
  };
  const cut = server.bus.connect(destinationUuid, (kind, payload) => {
    const bytes = new TextEncoder().encode(payload);
    if (kind === 'data') take(bytes);
    if (kind !== 'hello') return;
    const hello = parseMessage('down/hello', bytes);
    if (hello.ok) epoch = hello.value.data.sendEpoch ?? '';
  });
  const data = { epoch: null, applied: 0, sendEpoch: null, sent: 0 };
  publish('hello', buildMessage('up/hello', { ...stamp(), type: 'fds.hello.v1', data }));
  return {
    waiting,
    applied,
    arrivals,
    isGreeted: () => epoch !== '',
    cut,
    report: (sequences: readonly number[], of = epoch): void =>
      publish('ops', buildMessage('up/ops', { ...stamp(), type: 'fds.waiting.v1', data: { epoch: of, sequences } })),
    acknowledge: (upto: number, settled: number): void =>
      publish('ack', buildMessage('up/ack', { ...stamp(), type: 'fds.ack.v1', data: { epoch, upto, settled } })),
  };
};

const send = (count: number, idOf: (index: number) => number): void => {
  for (let index = 0; index < count; index += 1) {
    source.send({ action: 'POST', json: { id: idOf(index), name: `${index}` } });
  }
};
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const acked = async (): Promise<unknown> =>
  (await database.prisma.adaptorChannel.findUnique({ where: { adaptorUuid: destinationUuid } }))?.downAcked;

describe('messages that an adaptor reports as waiting', () => {
  it('do not count in the window, are not acknowledged, and come again after a hello', async () => {
    const first = connectDestination();
    send(400, () => 0);
    await eventually(() => expect(first.arrivals).toEqual(upTo(256)));
    first.report(first.waiting);
    await eventually(() => expect(first.arrivals).toEqual(upTo(400)));
    first.report(first.waiting);

    // other records keep their rate behind them
    send(400, (index) => index + 1);
    await eventually(() => {
      first.acknowledge(0, first.arrivals.length);
      expect(first.applied).toHaveLength(400);
    });
    expect(first.arrivals).toEqual(upTo(800));
    expect(Number(await acked())).toBe(0);

    first.cut();
    const second = connectDestination();
    await eventually(() => expect(second.arrivals).toEqual(upTo(256)));
    second.acknowledge(800, 800);
    await eventually(async () => expect(Number(await acked())).toBe(800));
    second.cut();
  });

  it('are ignored with a warning where they are of an unknown epoch or were never sent', async () => {
    const adaptor = connectDestination();
    await eventually(() => expect(adaptor.isGreeted()).toBe(true));
    warnings.length = 0;
    adaptor.report([1, 2, 3], randomUUID());
    adaptor.report(Array.from({ length: 30_000 }, (_, index) => 2_000 + index));
    await eventually(() => expect(warnings).toHaveLength(2));
    expect(warnings.map((line) => (JSON.parse(line) as { ignored: number }).ignored)).toEqual([3, 30_000]);
    adaptor.cut();
  });
});
