import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedBroker, openEmbeddedBroker } from '@fds/adaptor-broker';
import { buildBatch, type DownDataEvent, formatSequence, receivedBatch, serverSource } from '@fds/adaptor-protocol';
import type { RunningAdaptor } from './adaptor.js';
import type { AdaptorHandlers, IncomingEvent } from './handlers.js';
import { startAdaptor } from './start-adaptor.js';
import { eventually } from './testing/eventually.js';
import { createServerMemory, createTestServer, type ServerMemory, type TestServer } from './testing/test-server.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('batches of an adaptor', () => {
  let adaptorUuid: string;
  let directory: string;
  let broker: EmbeddedBroker;
  let memory: ServerMemory;
  let server: TestServer;
  let adaptor: RunningAdaptor;
  let seen: number[];

  const openServer = async (usesBatches: boolean, port = 0): Promise<void> => {
    broker = await openEmbeddedBroker({
      host: '127.0.0.1',
      port,
      authenticate: async () => 'ACCEPTED',
      log: silent,
    });
    server = createTestServer(broker.bus, adaptorUuid, memory, { usesBatches });
  };
  const closeServer = async (): Promise<void> => {
    server.close();
    await broker.close();
  };
  const start = async (
    handlers: AdaptorHandlers = { apply: ({ json }) => void seen.push(Number(json['n'])) },
  ): Promise<void> => {
    adaptor = await startAdaptor({
      handlers,
      log: silent,
      properties: {
        'adaptor.uuid': adaptorUuid,
        'client.id': adaptorUuid,
        'client.secret': 'any',
        'message.bus.url': `tcp://127.0.0.1:${broker.port}`,
        'auth.server.url': 'http://127.0.0.1:8080',
        hostname: '127.0.0.1',
        port: '0',
        'data.directory': directory,
      },
    });
    await eventually(() => server.hellos.length > 0 && server.states.includes('STARTED'));
  };
  const change = (n: number): DownDataEvent => ({
    action: 'PUT',
    drUuid: randomUUID(),
    domain: 'customer',
    version: 1,
    domainVersionUuid: randomUUID(),
    sourceAdaptorUuid: null,
    destinationAdaptorUuid: adaptorUuid,
    transactionUuid: randomUUID(),
    createTime: Date.now(),
    drKey: '[1]',
    jsonData: JSON.stringify({ n }),
    messageGroup: 'group',
  });
  const changes = (from: number, to: number): DownDataEvent[] => numbers(from, to).map(change);
  const applied = (upto: number): Promise<void> => eventually(() => memory.down.sender.acked === upto);

  /** Events of the server's sequence in the form that they have in a batch. */
  const inBatch = (from: number, to: number): object[] =>
    numbers(from, to).map((n) => ({
      id: randomUUID(),
      type: 'fds.data.v1',
      partitionkey: 'group',
      sequence: formatSequence(n),
      data: change(n),
    }));
  const sendBatch = (events: readonly object[]): void => {
    const stamp = { id: randomUUID(), source: serverSource, time: new Date().toISOString() };
    const { epoch } = memory.down.sender;
    server.sendText(
      buildBatch(
        { ...stamp, epoch },
        events.map((event) => JSON.stringify(event)),
      ),
    );
  };

  beforeEach(() => {
    adaptorUuid = randomUUID();
    directory = mkdtempSync(join(tmpdir(), 'fds-sdk-'));
    memory = createServerMemory();
    seen = [];
  });
  afterEach(async () => {
    await adaptor.stop();
    await closeServer();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each([
    ['from a server that sends batches', true],
    ['as single events from a server that does not know batches', false],
  ])('are applied once and in order when they arrive %s', async (_, usesBatches) => {
    await openServer(usesBatches);
    await start();
    expect(server.hellos[0]).toMatchObject({ batch: receivedBatch });
    server.send(changes(1, 700));
    await applied(700);
    expect(seen).toEqual(numbers(1, 700));
    expect(Math.max(...server.downSizes) > 1).toBe(usesBatches);
    // under light load, a single event is not sent as a batch
    server.send([change(701)]);
    await applied(701);
    expect(server.downSizes.at(-1)).toBe(1);
  });

  it('reach a handler that writes events together: so many of different groups at the same time, a group in order', async () => {
    const groups = numbers(1, 20);
    const running = new Set<string>();
    let most = 0;
    const apply = async ({ messageGroup, json }: IncomingEvent): Promise<void> => {
      expect(running.has(messageGroup)).toBe(false);
      running.add(messageGroup);
      most = Math.max(most, running.size);
      await new Promise((resolve) => setImmediate(resolve));
      running.delete(messageGroup);
      seen.push(Number(json['n']));
    };
    await openServer(true);
    await start({ together: 8, apply });
    const events = changes(1, 200).map((event, at) => ({
      ...event,
      drKey: JSON.stringify([at % groups.length]),
      messageGroup: `group ${at % groups.length}`,
    }));
    server.send(events);
    await applied(200);
    expect(most).toBe(8);
    for (const group of groups) {
      const ofGroup = seen.filter((n) => n % groups.length === group % groups.length);
      expect(ofGroup).toEqual([...ofGroup].sort((one, other) => one - other));
      expect(ofGroup).toHaveLength(10);
    }
  });

  it('skip events that were already applied, and apply the others', async () => {
    await openServer(true);
    await start();
    server.send(changes(1, 5));
    await applied(5);
    memory.down.bodies.push(...changes(6, 8));
    memory.down.sender = { ...memory.down.sender, last: 8, sent: 8 };
    sendBatch(inBatch(3, 8));
    await applied(8);
    expect(seen).toEqual(numbers(1, 8));
  });

  it('report an event that cannot be read, and apply the events around it', async () => {
    await openServer(true);
    await start();
    memory.down.bodies.push(...changes(1, 3));
    memory.down.sender = { ...memory.down.sender, last: 3, sent: 3 };
    const [one, two, three] = inBatch(1, 3);
    sendBatch([one ?? {}, { ...two, data: { action: 'DANCE' } }, three ?? {}]);
    await applied(3);
    expect(seen).toEqual([1, 3]);
    await eventually(() => server.answers.some((answer) => 'kind' in answer && answer.sequence === 2));
  });

  it.each<[string, (events: readonly object[]) => readonly object[]]>([
    ['in a wrong order', (events) => events.toReversed()],
    ['with a gap', (events) => [events[0] ?? {}, events[2] ?? {}]],
    ['with a repeated number', (events) => [events[0] ?? {}, events[0] ?? {}]],
    [
      'with mixed epochs',
      ([first, ...others]) => [first ?? {}, ...others.map((one) => ({ ...one, epoch: randomUUID() }))],
    ],
  ])(
    'are refused as a whole when the events are %s; the server then sends the events one by one',
    async (_, break_) => {
      await openServer(true);
      await start();
      memory.down.bodies.push(...changes(1, 3));
      sendBatch(break_(inBatch(1, 3)));
      await eventually(() => server.hellos.at(-1)?.batch === undefined);
      expect(seen).toEqual([]);
      server.send(changes(4, 100));
      await applied(100);
      expect(seen).toEqual(numbers(1, 100));
      expect(Math.max(...server.downSizes)).toBe(1);
    },
  );

  it.each([
    ['to a server that offers batches', true],
    ['as single events to a server that does not know batches', false],
  ])('are sent once and in order %s', async (_, usesBatches) => {
    await openServer(usesBatches);
    await start();
    const publish = (n: number) => adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n } });
    await Promise.all(numbers(1, 700).map(publish));
    await eventually(() => memory.up.events.length === 700);
    await publish(701);
    await eventually(() => memory.up.events.length === 701);
    expect(memory.up.events.map((event) => event.json?.['n'])).toEqual(numbers(1, 701));
    expect(Math.max(...server.upSizes) > 1).toBe(usesBatches);
    expect(server.upSizes.at(-1)).toBe(1);
  });

  it('are no longer sent when the server returns without the offer, and are sent again after a new offer', async () => {
    await openServer(false);
    const { port } = broker;
    await start();
    for (const [round, usesBatches] of [true, false, true].entries()) {
      await closeServer();
      await openServer(usesBatches, port);
      await eventually(() => server.hellos.length > 0);
      server.send(changes(round * 200 + 1, round * 200 + 200));
      await applied(round * 200 + 200);
      expect(Math.max(...server.downSizes) > 1).toBe(usesBatches);
    }
    expect(seen).toEqual(numbers(1, 600));
  });
});
