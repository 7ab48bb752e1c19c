import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedBroker, openEmbeddedBroker } from '@fds/adaptor-broker';
import Database from 'libsql';
import {
  adaptorSource,
  buildMessage,
  type DownDataEvent,
  type JsonObject,
  type Refusal,
  startPosition,
} from '@fds/adaptor-protocol';
import type { AdaptorOptions } from './adaptor-options.js';
import type { RunningAdaptor } from './adaptor.js';
import { type AdaptorHandlers, ApplyError, ConfigurationError } from './handlers.js';
import { startAdaptor } from './start-adaptor.js';
import { eventually } from './testing/eventually.js';
import { createServerMemory, createTestServer, type ServerMemory, type TestServer } from './testing/test-server.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const secret = 'the-secret';

describe('an adaptor on the embedded broker', () => {
  let adaptorUuid: string;
  let directory: string;
  let broker: EmbeddedBroker;
  let memory: ServerMemory;
  let server: TestServer;
  let adaptors: RunningAdaptor[];
  let startState: 'PLAY' | 'PAUSE';

  const openServer = async (port = 0): Promise<void> => {
    broker = await openEmbeddedBroker({
      host: '127.0.0.1',
      port,
      authenticate: async (username, password) =>
        username === adaptorUuid && password === secret ? 'ACCEPTED' : 'REFUSED',
      log: silent,
    });
    server = createTestServer(broker.bus, adaptorUuid, memory, { startState });
  };
  const closeServer = async (): Promise<void> => {
    server.close();
    await broker.close();
  };
  const properties = (): Record<string, string> => ({
    'adaptor.uuid': adaptorUuid,
    'client.id': adaptorUuid,
    'client.secret': secret,
    'message.bus.url': `tcp://127.0.0.1:${broker.port}`,
    'auth.server.url': 'http://127.0.0.1:8080',
    hostname: '127.0.0.1',
    port: '0',
    'data.directory': directory,
  });
  const start = async (
    handlers: AdaptorOptions['handlers'],
    given: Record<string, string> = {},
    unset: readonly string[] = [],
  ): Promise<RunningAdaptor> => {
    const adaptor = await startAdaptor({
      handlers,
      log: silent,
      properties: Object.fromEntries(
        Object.entries({ ...properties(), ...given }).filter(([name]) => !unset.includes(name)),
      ),
    });
    adaptors.push(adaptor);
    return adaptor;
  };
  const change = (n: number, action: DownDataEvent['action'] = 'PUT'): DownDataEvent => ({
    action,
    drUuid: randomUUID(),
    domain: 'customer',
    version: 1,
    domainVersionUuid: randomUUID(),
    sourceAdaptorUuid: null,
    destinationAdaptorUuid: adaptorUuid,
    transactionUuid: randomUUID(),
    createTime: Date.now(),
    drKey: '[9223372036854775807]',
    jsonData: JSON.stringify({ n }),
    messageGroup: `group-${n % 7}`,
  });
  const changes = (from: number, to: number): DownDataEvent[] =>
    Array.from({ length: to - from + 1 }, (_, index) => change(from + index));
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  const question = () => ({
    requestUuid: randomUUID(),
    domain: 'customer',
    version: 1,
    domainVersionUuid: randomUUID(),
    records: null,
    requestedProperties: null,
    timeoutMilliseconds: 5_000,
  });

  beforeEach(async () => {
    adaptorUuid = randomUUID();
    directory = mkdtempSync(join(tmpdir(), 'fds-sdk-'));
    memory = createServerMemory();
    adaptors = [];
    startState = 'PLAY';
    await openServer();
  });
  afterEach(async () => {
    await Promise.all(adaptors.map((adaptor) => adaptor.stop()));
    await closeServer();
    rmSync(directory, { recursive: true, force: true });
  });

  it('delivers 1000 events in order, and removes them from the journal when they are acknowledged', async () => {
    const adaptor = await start({});
    await Promise.all(
      numbers(1, 1000).map((n) => adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n } })),
    );
    await eventually(() => memory.up.events.length >= 1000);
    expect(memory.up.events.map((event) => event.json?.n)).toEqual(numbers(1, 1000));
  });

  it('keeps every digit of a 64-bit integer in both directions', async () => {
    const keys: unknown[] = [];
    const adaptor = await start({ apply: ({ drKeyValues }) => void keys.push(drKeyValues[0]) });
    await adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { id: 9223372036854775807n } });
    server.send([change(1)]);
    await eventually(() => memory.up.events.length === 1 && keys.length === 1);
    expect([memory.up.events[0]?.json?.id, keys[0]]).toEqual([9223372036854775807n, 9223372036854775807n]);
  });

  it('applies every event once and in order of its group, four at a time', async () => {
    const seen: number[] = [];
    await start(
      {
        apply: async ({ json }) => {
          await new Promise(setImmediate);
          seen.push(Number(json.n));
        },
      },
      { concurrency: '4' },
    );
    server.send(changes(1, 700));
    await eventually(() => memory.down.sender.acked === 700);
    expect([...seen].sort((a, b) => a - b)).toEqual(numbers(1, 700));
    for (const group of numbers(0, 6)) {
      const ofGroup = seen.filter((n) => n % 7 === group);
      expect(ofGroup).toEqual([...ofGroup].sort((a, b) => a - b));
    }
  });

  it('handles duplicates and gaps', async () => {
    const seen: number[] = [];
    await start({ apply: ({ json }) => void seen.push(Number(json.n)) });
    server.send(changes(1, 3));
    await eventually(() => memory.down.sender.acked === 3);
    server.sendRaw(change(2), 2);
    server.sendRaw(change(99), 9);
    server.send(changes(4, 6));
    await eventually(() => memory.down.sender.acked === 6);
    expect(seen).toEqual(numbers(1, 6));
  });

  it('continues after the broker and the server were not available', async () => {
    const seen: number[] = [];
    const adaptor = await start({ apply: ({ json }) => void seen.push(Number(json.n)) });
    await eventually(() => adaptor.state === 'STARTED');
    const { port } = broker;
    await closeServer();
    await adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n: 1 } });
    await openServer(port);
    server.send(changes(1, 50));
    await eventually(() => memory.up.events.length === 1 && memory.down.sender.acked === 50);
    expect(seen).toEqual(numbers(1, 50));
  });

  it('delays its author while the journal is full, and rejects the waiting publications when it stops', async () => {
    const adaptor = await start({}, { 'journal.max.events': '10' });
    await eventually(() => adaptor.state === 'STARTED');
    const { port } = broker;
    await closeServer();
    let written = 0;
    const publish = (n: number): Promise<void> =>
      adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n } }).then(() => void (written += 1));
    const published = numbers(1, 25).map(publish);
    await eventually(() => written === 10);
    await openServer(port);
    await Promise.all(published);
    await eventually(() => memory.up.events.length === 25);
    expect(memory.up.events.map((event) => event.json?.n)).toEqual(numbers(1, 25));
    await closeServer();
    const full = numbers(26, 40).map(publish);
    await eventually(() => written === 35);
    await adaptor.stop();
    const outcomes = await Promise.allSettled(full);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array<string>(10).fill('fulfilled'),
      ...Array<string>(5).fill('rejected'),
    ]);
    await openServer(port);
  });

  it('marks the events of discovery mode, also events that are sent after discovery mode has ended', async () => {
    const modes: boolean[] = [];
    const adaptor = await start({ configure: ({ discoveryMode }) => void modes.push(discoveryMode) });
    await eventually(() => adaptor.state === 'STARTED');
    server.operate({ operation: 'METADATA', discoveryMode: true });
    await eventually(() => modes.at(-1) === true);
    const { port } = broker;
    await closeServer();
    await publish(adaptor, 1);
    await openServer(port);
    await eventually(() => server.states.includes('STARTED'));
    server.operate({ operation: 'METADATA', discoveryMode: false });
    await eventually(() => modes.at(-1) === false);
    await publish(adaptor, 2);
    await eventually(() => memory.up.events.length === 2);
    expect(memory.up.events.map(({ json, discovery }) => [json?.n, discovery])).toEqual([
      [1, true],
      [2, undefined],
    ]);
  });

  it('sends messages that an earlier process of the adaptor left in its journal', async () => {
    const first = await start({});
    await eventually(() => first.state === 'STARTED');
    server.operate({ operation: 'PAUSE' });
    await eventually(() => first.state === 'PAUSED');
    await first.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n: 1 } });
    await first.stop();
    await start({});
    await eventually(() => memory.up.events.length === 1);
    expect(memory.up.events.map((event) => event.json?.n)).toEqual([1]);
  });

  it('leaves no resource open when its handlers cannot be created', async () => {
    const failure = new Error('the system of record is not there');
    const making = start(() => {
      throw failure;
    });
    await expect(making).rejects.toBe(failure);
    // only one process at a time can open the journal
    const adaptor = await start({});
    await eventually(() => adaptor.state === 'STARTED');
  });

  it('lets the function that makes its handlers report an error, which is sent once the adaptor is connected', async () => {
    await start((adaptor) => {
      adaptor.sendLog({ level: 'INFO', message: 'makes its handlers' });
      void adaptor.reportError({ level: 'ERROR', kind: 'CONFIGURATION', message: 'no such table' });
      return {};
    });
    await eventually(() => server.answers.some((answer) => 'kind' in answer));
    expect(server.answers).toContainEqual({ level: 'ERROR', kind: 'CONFIGURATION', message: 'no such table' });
  });

  it('keeps events while it is paused, and answers health requests in the meantime', async () => {
    const seen: number[] = [];
    const adaptor = await start({ apply: ({ json }) => void seen.push(Number(json.n)) });
    await eventually(() => adaptor.state === 'STARTED');
    server.operate({ operation: 'PAUSE' });
    await eventually(() => server.states.includes('PAUSED'));
    server.send(changes(1, 20));
    const requestId = server.operate({ operation: 'HEALTH' });
    await eventually(() => server.answers.some((answer) => 'requestId' in answer && answer.requestId === requestId));
    expect(seen).toEqual([]);
    server.operate({ operation: 'PLAY' });
    await eventually(() => memory.down.sender.acked === 20);
    expect(seen).toEqual(numbers(1, 20));
  });

  it('opens a new sequence when its own state was lost', async () => {
    const seen: number[] = [];
    const handlers: AdaptorHandlers = { apply: ({ json }) => void seen.push(Number(json.n)) };
    const first = await start(handlers);
    server.send(changes(1, 5));
    await eventually(() => memory.down.sender.acked === 5);
    await first.stop();
    rmSync(directory, { recursive: true, force: true });
    await start(handlers);
    server.send(changes(6, 8));
    await eventually(() => seen.length >= 8);
    expect(seen).toEqual(numbers(1, 8));
  });

  const publish = (adaptor: RunningAdaptor, n: number): Promise<void> =>
    adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n } });

  it('keeps its sequence when a stale hello of the server arrives after newer acknowledgements', async () => {
    const adaptor = await start({});
    for (const n of numbers(1, 3)) await publish(adaptor, n);
    await eventually(() => memory.up.events.length === 3);
    const { epoch } = memory.up.position;
    server.sayHello({ applied: 1 });
    // messages after the hello are processed after it
    server.send(changes(1, 1));
    await eventually(() => memory.down.sender.acked === 1);
    await publish(adaptor, 4);
    await eventually(() => memory.up.events.length === 4);
    expect(memory.up.position).toEqual({ epoch, sequence: 4 });
  });

  it('opens a new sequence and sends again what it keeps when the server has lost events that it acknowledged', async () => {
    const adaptor = await start({});
    for (const n of numbers(1, 3)) await publish(adaptor, n);
    await eventually(() => memory.up.events.length === 3);
    const { epoch } = memory.up.position;
    const { port } = broker;
    await closeServer();
    memory.up = { position: { epoch, sequence: 1 }, events: memory.up.events.slice(0, 1) };
    await openServer(port);
    await publish(adaptor, 4);
    await eventually(() => memory.up.events.length === 4);
    expect(memory.up.events.map(({ json }) => json?.n)).toEqual([1, 2, 3, 4]);
    expect(memory.up.position.epoch).not.toBe(epoch);
  });

  it('tries again after temporary failures, reports final ones, and continues', async () => {
    const attempts = new Map<unknown, number>();
    await start({
      apply: ({ json }) => {
        const attempt = (attempts.get(json.n) ?? 0) + 1;
        attempts.set(json.n, attempt);
        if (json.n === 1 && attempt === 1) throw new ApplyError('busy', { retry: 'A_FEW_TIMES' });
        if (json.n === 2) throw new ApplyError('no such column');
      },
    });
    server.send(changes(1, 3));
    await eventually(() => memory.down.sender.acked === 3);
    await eventually(() => server.answers.some((answer) => 'kind' in answer));
    expect(server.answers.filter((answer) => 'kind' in answer)).toMatchObject([{ kind: 'DATA', sequence: 2 }]);
    expect([...attempts.values()]).toEqual([2, 1, 1]);
  });

  it('applies events of other groups with concurrency 1 while an event waits, and keeps the order within its group', async () => {
    const seen: number[] = [];
    let away = true;
    await start({
      apply: ({ json }) => {
        if (away && json.n === 1) throw new ApplyError('away', { retry: 'UNTIL_IT_WORKS' });
        seen.push(Number(json.n));
      },
    });
    server.send(changes(1, 20));
    const behind = [8, 15];
    const others = numbers(2, 20).filter((n) => !behind.includes(n));
    await eventually(() => seen.length === others.length);
    expect(seen).toEqual(others);
    expect(memory.down.sender.acked).toBe(0);
    away = false;
    await eventually(() => memory.down.sender.acked === 20);
    expect(seen).toEqual([...others, 1, ...behind]);
  });

  it('reports a message that cannot be read, counts it as done, and continues with the next one', async () => {
    const seen: number[] = [];
    await start({ apply: ({ json }) => void seen.push(Number(json.n)) });
    server.send(changes(1, 1));
    await eventually(() => memory.down.sender.acked === 1);
    const { epoch } = memory.down.sender;
    server.sendText('no JSON at all');
    server.sendText(JSON.stringify({ specversion: '1.0', epoch, sequence: '2' }));
    memory.down.bodies.push(change(2));
    memory.down.sender = { ...memory.down.sender, last: 2, sent: 2 };
    server.send(changes(3, 3));
    await eventually(() => memory.down.sender.acked === 3);
    await eventually(() => server.answers.some((answer) => 'kind' in answer));
    expect(seen).toEqual([1, 3]);
    expect(server.answers.filter((answer) => 'kind' in answer)).toMatchObject([{ kind: 'DATA', sequence: 2 }]);
  });

  it('loses no event when it pauses while events arrive and one event waits for its source', async () => {
    const seen: number[] = [];
    let away = true;
    const adaptor = await start({
      apply: async ({ json }) => {
        if (away && json.n === 10) throw new ApplyError('away', { retry: 'UNTIL_IT_WORKS' });
        await new Promise(setImmediate);
        seen.push(Number(json.n));
      },
    });
    const oneGroup = changes(1, 600).map((event) => ({ ...event, messageGroup: 'one' }));
    server.send(oneGroup);
    await eventually(() => seen.length === 9);
    server.operate({ operation: 'PAUSE' });
    await eventually(() => adaptor.state === 'PAUSED');
    expect(seen).toEqual(numbers(1, 9));
    away = false;
    server.operate({ operation: 'PLAY' });
    await eventually(() => seen.length >= 100);
    server.operate({ operation: 'PAUSE' });
    await eventually(() => server.states.filter((state) => state === 'PAUSED').length === 2);
    expect(seen.length).toBeLessThan(600);
    server.operate({ operation: 'PLAY' });
    await eventually(() => memory.down.sender.acked === 600);
    expect(seen).toEqual(numbers(1, 600));
  });

  it('plays when faulty metadata is corrected, or replaced by the previous metadata', async () => {
    const adaptor = await start({
      configure: ({ metadata }) => {
        if (metadata['wrong'] === true) throw new Error('x'.repeat(300_000));
      },
    });
    await eventually(() => adaptor.state === 'STARTED');
    const metadata = (wrong: boolean) => server.operate({ operation: 'METADATA', metadata: wrong ? { wrong } : {} });
    metadata(true);
    await eventually(() => adaptor.state === 'ERROR');
    metadata(false);
    await eventually(() => adaptor.state === 'STARTED');
    server.operate({ operation: 'START', state: 'PLAY', metadata: { wrong: true } });
    await eventually(() => adaptor.state === 'ERROR');
    metadata(false);
    await eventually(() => adaptor.state === 'STARTED');
    await eventually(() => server.states.at(-1) === 'STARTED');
  });

  it('refuses metadata that names the client secret', async () => {
    const adaptor = await start({});
    await eventually(() => adaptor.state === 'STARTED');
    const requestId = server.operate({ operation: 'METADATA', metadata: { url: 'https://${CLIENT_SECRET}.org' } });
    const answer = () => server.answers.find((one) => 'requestId' in one && one.requestId === requestId);
    await eventually(() => answer() !== undefined);
    expect(answer()).toMatchObject({
      accepted: false,
      state: 'ERROR',
      message: '/url: the metadata may not name the environment variable CLIENT_SECRET',
    });
  });

  it('tries a configuration again if the handler requests it, and reports each failure once', async () => {
    const failures = ['the source is away', 'the source is away'];
    const seen: unknown[] = [];
    const adaptor = await start({
      configure: ({ metadata }) => {
        if (metadata['path'] === undefined) return;
        seen.push(metadata['path']);
        const failure = failures.shift();
        if (failure !== undefined) throw new ConfigurationError(failure, { retry: 'SOON' });
      },
    });
    await eventually(() => adaptor.state === 'STARTED');
    server.operate({ operation: 'METADATA', metadata: { path: '${PATH}:$${PATH}' } });
    await eventually(() => adaptor.state === 'ERROR');
    await eventually(() => server.states.at(-1) === 'STARTED' && failures.length === 0);
    expect(seen).toEqual(Array(3).fill(`${process.env['PATH']}:\${PATH}`));
    expect(server.states.filter((state) => state === 'ERROR')).toHaveLength(1);
  });

  it('waits in PAUSED when START requests it, and plays after PLAY', async () => {
    startState = 'PAUSE';
    const { port } = broker;
    await closeServer();
    await openServer(port);
    const adaptor = await start({});
    await eventually(() => adaptor.state === 'PAUSED');
    await adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n: 1 } });
    server.operate({ operation: 'PLAY' });
    await eventually(() => memory.up.events.length === 1);
    // the event was written before any message of the server arrived
    expect(memory.up.events[0]?.seen).toEqual({ epoch: memory.up.position.epoch, applied: 0, begun: 0 });
  });

  it('reports a record with kept properties as if the first event that they were kept from was not seen', async () => {
    const adaptor = await start({
      apply: ({ json }) => (json['kept'] === undefined ? undefined : { kept: ['kept'] }),
    });
    await eventually(() => adaptor.state === 'STARTED');
    const domainVersions = [
      { domain: 'customer', version: 1, domainVersionUuid: randomUUID(), drKeyProperties: ['id'] },
    ];
    server.operate({ operation: 'METADATA', metadata: {}, capabilities: [], domainVersions });
    const kept: DownDataEvent = { ...change(2), drKey: '[7]', jsonData: '{"id":7,"kept":1}' };
    server.send([change(1), kept, change(3, 'DELETE'), { ...change(4, 'DELETE'), jsonData: '{"kept":1}' }]);
    await eventually(() => adaptor.applied.sequence === 4);
    const put = (json: JsonObject) => adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json });
    await put({ id: 8 });
    await put({ id: 7 });
    await put({ id: 7 });
    await eventually(() => memory.up.events.length === 3);
    expect(memory.up.events.map(({ seen }) => [seen?.applied, seen?.begun])).toEqual([
      [4, 4],
      [1, 4],
      [4, 4],
    ]);
    // the record that stays in spite of its deletion keeps its link
    expect(server.links.map(({ drUuid }) => drUuid)).toHaveLength(1);
  });

  it('ends even if a handler fails to pause', async () => {
    const adaptor = await start({ pause: () => Promise.reject(new Error('no')) });
    await eventually(() => adaptor.state === 'STARTED');
    await adaptor.stop();
    await start({});
    expect(server.states).toContain('DOWN');
  });

  const linkOf = ({ drUuid }: DownDataEvent) => ({ action: 'LINK', domain: 'customer', version: 1, drUuid });

  it('reports the link in the sequence of its events after it applied a POST, and does not count it as an event', async () => {
    const adaptor = await start({ apply: () => undefined });
    await publish(adaptor, 1);
    const event = change(1, 'POST');
    server.send([event]);
    await eventually(() => [...server.links, ...server.unsequencedLinks].length > 0);
    expect([server.links, server.unsequencedLinks]).toEqual([[linkOf(event)], []]);
    const drKey = { id: 7 };
    const unlink = { action: 'UNLINK', domain: 'customer', version: 1, drKey } as const;
    await Promise.all([adaptor.reportLinks([unlink]), publish(adaptor, 2)]);
    await eventually(() => memory.up.position.sequence === 4);
    expect(server.links).toEqual([linkOf(event), unlink]);
    expect(memory.up.events.map(({ json }) => json?.n)).toEqual([1, 2]);
    expect(adaptor.published).toBe(2);
    const reportedMetrics = () => server.answers.flatMap((answer) => ('metrics' in answer ? [answer.metrics] : []));
    server.operate({ operation: 'METRICS' });
    await eventually(() => reportedMetrics().length === 1);
    expect(reportedMetrics()[0]).toMatchObject({ sent: 2, received: 1 });
  });

  it('reports the link even if it is killed between applying and sending', async () => {
    const image = mkdtempSync(join(tmpdir(), 'fds-sdk-image-'));
    const applied: number[] = [];
    const apply: AdaptorHandlers['apply'] = ({ json }) => void applied.push(Number(json.n));
    let copied = false;
    // the position has just been stored: this is the state of the disk if the process is killed now
    const takeImage = (): void => {
      if (!copied) cpSync(directory, image, { recursive: true });
      copied = true;
    };
    try {
      const first = await start({ apply, applied: { has: () => Promise.resolve(false), forget: takeImage } });
      const event = change(1, 'POST');
      server.send([event]);
      await eventually(() => copied);
      await first.stop();
      memory.up = { position: startPosition, events: [] };
      server.links.splice(0);
      await start({ apply }, { 'data.directory': image });
      await eventually(() => memory.up.position.sequence === 1);
      expect([applied, server.links, server.unsequencedLinks]).toEqual([[1], [linkOf(event)], []]);
    } finally {
      await Promise.all(adaptors.splice(0).map((adaptor) => adaptor.stop()));
      rmSync(image, { recursive: true, force: true });
    }
  });

  it('sends links that a journal of an earlier version kept outside the sequence', async () => {
    const journal = new Database(join(directory, 'journal.db'));
    journal.exec(
      'create table report (id integer primary key autoincrement, channel text not null, body text not null)',
    );
    const link = { action: 'LINK', domain: 'customer', version: 1, drKey: { id: 7 } } as const;
    const stamp = { id: randomUUID(), source: adaptorSource(adaptorUuid), time: new Date().toISOString() };
    const body = buildMessage('up/link', { ...stamp, type: 'fds.link.v1', data: { links: [link] } });
    journal.prepare("insert into report (channel, body) values ('up/link', ?)").run(body);
    journal.close();
    await start({});
    await eventually(() => server.unsequencedLinks.length > 0);
    expect(server.unsequencedLinks).toEqual([link]);
  });

  it('answers assembly requests in parts that fit on the wire', async () => {
    const adaptor = await start({
      assemble: async () => ({
        records: numbers(1, 10).map((n) => ({ drKey: { n }, data: { n, text: 'x'.repeat(60_000) } })),
      }),
    });
    await eventually(() => adaptor.state === 'STARTED');
    server.request(question());
    await eventually(() => server.assemblies.some(({ last }) => last));
    expect(server.assemblies.flatMap(({ records }) => records.map(({ drKey }) => drKey.n))).toEqual(numbers(1, 10));
    expect(server.assemblies.length).toBeGreaterThan(1);
  });

  it('answers an assembly request that it cannot serve with an error', async () => {
    const adaptor = await start({ assemble: () => Promise.reject(new Error('no connection')) });
    await eventually(() => adaptor.state === 'STARTED');
    server.request(question());
    await eventually(() => server.assemblies.length === 1);
    expect(server.assemblies[0]).toMatchObject({
      part: 1,
      last: true,
      records: [],
      error: { code: 'ADAPTOR_ERROR', message: 'no connection' },
    });
  });

  it.each([
    [1, {}],
    [3, { 'assembly.concurrency': '1-3' }],
  ])('handles %i assembly requests at the same time with the properties %j', async (concurrency, properties) => {
    let [running, most, handled] = [0, 0, 0];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const assemble = async () => {
      running += 1;
      most = Math.max(most, running);
      await gate;
      running -= 1;
      handled += 1;
      return { records: [] };
    };
    const adaptor = await start({ assemble }, properties);
    await eventually(() => adaptor.state === 'STARTED');
    for (let request = 0; request < 6; request += 1) server.request(question());
    await eventually(() => running === concurrency);
    release();
    await eventually(() => server.assemblies.length === 6);
    expect([most, handled]).toEqual([concurrency, 6]);
  });

  it('does not answer assembly requests that have expired, before or while it handles them', async () => {
    const handled: string[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const adaptor = await start({
      assemble: async ({ requestUuid }) => {
        handled.push(requestUuid);
        if (handled.length === 1) await gate;
        return { records: [] };
      },
    });
    await eventually(() => adaptor.state === 'STARTED');
    const [slow, waiting, expired, live] = [question(), question(), question(), question()];
    const inMs = (ms: number) => ({ expirytime: new Date(Date.now() + ms).toISOString() });
    server.request({ ...slow, timeoutMilliseconds: 200 });
    server.request(waiting, inMs(200));
    server.request(expired, inMs(-1_000));
    server.request(live, inMs(60_000));
    await eventually(() => handled.length === 1);
    const since = Date.now();
    await eventually(() => Date.now() - since > 250);
    release();
    await eventually(() => server.assemblies.length > 0);
    expect(handled).toEqual([slow.requestUuid, live.requestUuid]);
    expect(server.assemblies.map(({ requestUuid }) => requestUuid)).toEqual([live.requestUuid]);
  });

  it('returns its health: 200 when all handlers are up, 503 with the handler that is down', async () => {
    let table: 'UP' | 'DOWN' = 'UP';
    const adaptor = await start({ health: () => ({ 'customer:1': table }) });
    const url = `http://127.0.0.1:${adaptor.healthPort}/health`;
    await eventually(() => adaptor.state === 'STARTED');
    expect(await (await fetch(url)).json()).toEqual({ status: 'UP' });
    table = 'DOWN';
    const answer = await fetch(url);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ status: 'DOWN', adaptorService: 'UP', 'customer:1': 'DOWN' });
  });

  it('returns its figures: events, retries, the journal, the lag of sources, and its state', async () => {
    const adaptor = await start({
      apply: ({ drKeyValues, json }) => {
        const { n } = json as { readonly n: number };
        if (n === 2) throw new ApplyError('no');
        if (n === 3) return { notApplied: [{ property: 'n', reason: 'too long' }] };
        expect(drKeyValues).toHaveLength(1);
        return undefined;
      },
    });
    const read = async (): Promise<ReadonlyMap<string, number>> => {
      const text = await (await fetch(`http://127.0.0.1:${adaptor.healthPort}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      return new Map(
        lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
      );
    };
    await eventually(() => adaptor.state === 'STARTED');
    const before = await read();
    expect(before.has('fds_adaptor_source_lag_seconds')).toBe(false);
    expect(before.has('fds_adaptor_last_error_timestamp_seconds')).toBe(false);
    await adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n: 1 } });
    adaptor.caughtUp('one', new Date(Date.now() - 90_000));
    adaptor.caughtUp('other');
    server.send(changes(1, 3));
    await eventually(() => memory.down.sender.acked === 3 && memory.up.events.length === 1);
    const after = await read();
    const figures = Object.fromEntries(
      [
        'fds_adaptor_events_total{direction="sent",outcome="published"}',
        'fds_adaptor_events_total{direction="received",outcome="applied"}',
        'fds_adaptor_events_total{direction="received",outcome="refused"}',
        'fds_adaptor_events_total{direction="received",outcome="partly_applied"}',
        'fds_adaptor_retries_total',
        'fds_adaptor_waiting_messages',
        'fds_adaptor_up',
        'fds_adaptor_connected{client="data"}',
        'fds_adaptor_state{state="STARTED"}',
        'fds_adaptor_state{state="PAUSED"}',
        'fds_adaptor_mode{mode="playing"}',
      ].map((name) => [name.replace('fds_adaptor_', ''), after.get(name)]),
    );
    expect(figures).toEqual({
      'events_total{direction="sent",outcome="published"}': 1,
      'events_total{direction="received",outcome="applied"}': 1,
      'events_total{direction="received",outcome="refused"}': 1,
      'events_total{direction="received",outcome="partly_applied"}': 1,
      retries_total: 0,
      waiting_messages: 0,
      up: 1,
      'connected{client="data"}': 1,
      'state{state="STARTED"}': 1,
      'state{state="PAUSED"}': 0,
      'mode{mode="playing"}': 1,
    });
    expect(after.get('fds_adaptor_source_lag_seconds')).toBeGreaterThanOrEqual(90);
    expect(after.get('fds_adaptor_journal_bytes')).toBeGreaterThan(4_000);
    expect(after.get('fds_adaptor_last_error_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 60);
    // counts change; the series do not
    expect(after.size).toBe(before.size + 2);
    await eventually(async () => (await read()).get('fds_adaptor_journal_messages') === 0);
  });

  it('counts sent and received events by the minute, and reports them before it ends', async () => {
    const adaptor = await start({});
    await eventually(() => adaptor.state === 'STARTED');
    const reportedMetrics = () => server.answers.flatMap((answer) => ('metrics' in answer ? [answer.metrics] : []));
    server.operate({ operation: 'METRICS', since: 0 });
    await eventually(() => reportedMetrics().length === 1);
    expect(reportedMetrics()[0]).toMatchObject({
      sent: 0,
      received: 0,
      history: { from: 0, minutes: [], more: false },
    });
    await adaptor.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n: 1 } });
    server.send(changes(1, 3));
    await eventually(() => memory.down.sender.acked === 3 && memory.up.events.length === 1);
    await adaptor.stop();
    await eventually(() => reportedMetrics().length === 2);
    const last = reportedMetrics()[1];
    expect(last).toMatchObject({ sent: 1, received: 3 });
    const counted = last?.history?.minutes ?? [];
    expect([counted.reduce((n, { sent }) => n + sent, 0), counted.reduce((n, it) => n + it.received, 0)]).toEqual([
      1, 3,
    ]);
  });

  it('sends log entries to the server, within the limits of length and rate', async () => {
    const entries: string[] = [];
    broker.bus.handle('log', ({ payload }) => void entries.push(Buffer.from(payload).toString()));
    const adaptor = await start({});
    for (let n = 0; n < 200; n += 1) adaptor.sendLog({ level: 'INFO', message: 'x'.repeat(10_000) });
    adaptor.log.error({ row: 'of the customer' }, 'a sentence');
    await eventually(() => entries.length >= 50);
    expect(entries.length).toBeLessThan(60);
    expect(Math.max(...entries.map((entry) => entry.length))).toBeLessThan(3_000);
    expect(entries.filter((entry) => entry.includes('of the customer'))).toEqual([]);
  });

  it('takes another port when the default port is in use, and names the setting when an explicit port is in use', async () => {
    const first = await start({}, {}, ['port']);
    const second = await start({}, { 'data.directory': join(directory, 'second') }, ['port']);
    expect(second.healthPort).toBeGreaterThan(first.healthPort);
    const chosen = start({}, { 'data.directory': join(directory, 'third'), port: String(first.healthPort) });
    await expect(chosen).rejects.toThrow(`port ${first.healthPort} of 127.0.0.1 is in use: set port (PORT)`);
  });

  it('does not connect to the message bus when the port of its health endpoint is in use', async () => {
    const running = await start({});
    const sockets: Socket[] = [];
    const bus = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(bus, 'listening');
    const { port } = bus.address() as AddressInfo;
    const probe = { 'message.bus.url': `tcp://127.0.0.1:${port}`, port: String(running.healthPort) };
    await expect(start({}, { ...probe, 'data.directory': join(directory, 'second') })).rejects.toThrow('is in use');
    // connections are accepted in order, so a connection of the adaptor would have been accepted before this one
    const last = connect(port, '127.0.0.1');
    await eventually(() => sockets.some(({ remotePort }) => remotePort === last.localPort));
    expect(sockets.map(({ remotePort }) => remotePort)).toEqual([last.localPort]);
    for (const socket of [last, ...sockets]) socket.destroy();
    bus.close();
  });

  it('passes the notice of a refused event to its handler and acknowledges it', async () => {
    const refusals: Refusal[] = [];
    const adaptor = await start({ domains: {}, refused: (refusal) => void refusals.push(refusal) });
    await eventually(() => adaptor.state === 'STARTED');
    const refusal: Refusal = {
      issueUuid: randomUUID(),
      epoch: randomUUID(),
      sequence: 7,
      domain: 'customer',
      version: 1,
      drKey: { id: 9223372036854775807n },
      code: 'NOT_VALID',
      message: 'the record is not valid',
      errors: [{ pointer: '/json/name', code: 'REQUIRED', message: 'is missing' }],
    };
    server.refuse(refusal);
    await eventually(() => refusals.length === 1);
    expect(refusals).toEqual([refusal]);
    await eventually(() => server.answers.some((answer) => 'issueUuids' in answer));
    expect(server.answers).toContainEqual({ issueUuids: [refusal.issueUuid] });
  });

  it('ends when another process has taken over, and does not disturb that process', async () => {
    const earlier = await start({});
    await eventually(() => earlier.state === 'STARTED');
    const later = await start({}, { 'data.directory': join(directory, 'later') });
    expect(await earlier.stopped).toBe('SUPERSEDED');
    await eventually(() => later.state === 'STARTED' && memory.up.position.epoch !== null);
    await later.publish({ action: 'PUT', domain: 'customer', version: 1, json: { n: 1 } });
    await eventually(() => memory.up.events.length === 1);
  });

  it('leaves the bus to the process that has taken over, even if its own handler never returns', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let applying = false;
    const earlier = await start({
      apply: () => {
        applying = true;
        return gate;
      },
    });
    server.send(changes(1, 1));
    await eventually(() => applying);
    let lostAtMs = performance.now();
    let losses = 0;
    let applied = 0;
    const later = await startAdaptor({
      handlers: { apply: () => void (applied += 1) },
      log: {
        ...silent,
        warn: (_, message) => {
          if (message !== 'lost the message bus') return;
          lostAtMs = performance.now();
          losses += 1;
        },
      },
      properties: { ...properties(), 'data.directory': join(directory, 'later') },
    });
    adaptors.push(later);
    try {
      await eventually(() => later.state === 'STARTED' && performance.now() - lostAtMs > 3_000);
      // each client of the earlier process reconnects once before the server reports the take-over
      expect(losses).toBeLessThanOrEqual(2);
      await eventually(() => applied === 1);
      expect(await earlier.stopping).toBe('SUPERSEDED');
    } finally {
      release();
    }
    expect(await earlier.stopped).toBe('SUPERSEDED');
  });

  it('ends when the server shuts it down', async () => {
    const adaptor = await start({});
    await eventually(() => adaptor.state === 'STARTED');
    server.operate({ operation: 'SHUTDOWN', code: '1' });
    expect(await adaptor.stopped).toBe('SHUTDOWN');
    expect(server.states.at(-1)).toBe('DOWN');
  });
});
