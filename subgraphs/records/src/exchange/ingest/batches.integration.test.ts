import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { receivedBatch } from '@fds/adaptor-protocol';
import { createRandom, eventually } from '@fds/testing';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';

let world: RecordsWorld;
let counter = 0;
let source: BusAdaptor;
let destination: BusAdaptor;

beforeAll(async () => {
  world = await openRecordsWorld();
});
afterAll(() => world?.close());

beforeEach(async () => {
  counter += 1;
  const domain = `Batched${counter}`;
  await world.seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, n: { type: 'integer' } },
    drKeyProperties: ['id'],
  });
  [source, destination] = [
    await world.connect(`Source ${counter}`, domain),
    await world.connect(`Destination ${counter}`, domain),
  ];
});

const records = 5;
/** Writes changes of a few records to the source's journal without sending them. */
const write = (from: number, to: number): void => {
  for (let n = from; n <= to; n += 1) source.lose({ action: 'PUT', json: { id: n % records, n } });
};
const received = (): number[] =>
  destination.applied.map(({ event }) => (JSON.parse(event.jsonData) as { readonly n: number }).n);
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const countIssues = (): Promise<number> =>
  world.database.prisma.dataIssue.count({ where: { adaptorUuid: source.uuid } });
const acknowledged = (upto: number): Promise<void> => eventually(() => expect(source.acknowledged).toBe(upto));

describe('batches on up/data', () => {
  it('are offered, and each of their events is routed once and in order', async () => {
    expect(source.offered).toEqual(receivedBatch);
    write(1, 100);
    source.sendBatch(1, 100);
    await acknowledged(100);
    await eventually(() => expect(received()).toEqual(numbers(1, 100)));
    expect(await countIssues()).toBe(0);
  });

  it('have the effect of single messages, with all boundaries, losses, repetitions and new connections', async () => {
    const random = createRandom(20_261_124);
    const last = 300;
    write(1, last);
    for (let step = 0; step < 60; step += 1) {
      const from = Math.max(1, source.acknowledged + 1 - random.below(8));
      const to = Math.min(last, from + random.below(20));
      if (random.below(5) === 0) source.resend(from);
      else if (random.below(6) === 0) await source.connect();
      else source.sendBatch(from, to);
      if (random.below(3) === 0) await new Promise(setImmediate);
    }
    for (let from = 1; source.acknowledged < last; from = source.acknowledged + 1) {
      source.sendBatch(from, Math.min(last, from + 49));
      const before = source.acknowledged;
      await eventually(() => expect(source.acknowledged).toBeGreaterThan(before));
    }
    await eventually(() => expect(received()).toEqual(numbers(1, last)));
    expect(await countIssues()).toBe(0);
  });

  it.each<[string, (events: readonly string[]) => readonly string[]]>([
    ['in a wrong order', (events) => events.toReversed()],
    ['with a number twice', ([first = '', ...others]) => [first, first, ...others]],
    ['with a gap', ([first = '', , ...others]) => [first, ...others]],
    ['without events', () => []],
    ['with too many events', ([first = '']) => Array.from({ length: receivedBatch.maxEvents + 1 }, () => first)],
    [
      'of mixed epochs',
      (events) =>
        events.map((text, at) => (at === 1 ? text.replace(/"epoch":"[^"]+/, `"epoch":"${randomUUID()}`) : text)),
    ],
  ])('%s have no effect and end the offer; the events that come alone are taken', async (_, change) => {
    write(1, 3);
    source.sendBatch(1, 3, change);
    // the server says hello, and the adaptor sends its events one by one
    await acknowledged(3);
    expect(source.offered).toBeUndefined();
    await eventually(() => expect(received()).toEqual([1, 2, 3]));
    expect(await countIssues()).toBe(0);
  });

  it.each<[string, (text: string) => string]>([
    ['an event that the model refuses', (text) => text.replace('"n":2', '"n":"two"')],
    ['an event that violates the contract', (text) => text.replace('"action":"PUT"', '"action":"DANCE"')],
    ['an envelope that cannot be read', (text) => text.replace('"specversion":"1.0"', '"specversion":"0.3"')],
    ['text that no database stores', (text) => text.replace('"type":', '"subject":"\\u0000","type":')],
    ['a batch', (text) => text.replace('"fds.data.v1"', '"fds.data.batch.v1"')],
  ])('with %s as one of their events make it an issue, and route the others', async (_, change) => {
    write(1, 3);
    source.sendBatch(1, 3, (events) => events.map((text, at) => (at === 1 ? change(text) : text)));
    await acknowledged(3);
    await eventually(() => expect(received()).toEqual([1, 3]));
    expect(await countIssues()).toBe(1);
  });
});

describe('batches on down/data', () => {
  const applied = (last: number): Promise<void> =>
    eventually(() => expect(received()).toEqual(numbers(1, last)), { deadlineMs: 60_000 });

  it('go to an adaptor that offers them, with each event once and in order', async () => {
    destination.offerBatches(receivedBatch);
    await destination.connect();
    write(1, 200);
    source.sendBatch(1, 200);
    await applied(200);
    expect(Math.max(...destination.sizes)).toBeGreaterThan(1);
    // a single event is not a batch
    write(201, 201);
    source.sendBatch(201, 201);
    await applied(201);
    expect(destination.sizes.at(-1)).toBe(1);
  });

  it('go to no adaptor that does not offer them', async () => {
    write(1, 200);
    source.sendBatch(1, 200);
    await applied(200);
    expect(Math.max(...destination.sizes)).toBe(1);
  });

  it('have the effect of single messages while connections and offers change', async () => {
    const random = createRandom(20_261_125);
    const last = 400;
    write(1, last);
    for (let from = 1; from <= last; from += 40) {
      source.sendBatch(from, from + 39);
      if (random.below(2) === 0) await acknowledged(from + 39);
      destination.offerBatches(random.below(2) === 0 ? receivedBatch : undefined);
      destination.disconnect();
      await destination.connect();
    }
    await applied(last);
    const places = destination.applied.map(({ epoch, sequence }) => `${epoch} ${sequence}`);
    expect(new Set(places).size).toBe(places.length);
  });
});
