import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildMessage, clientIdOf, subscriptionsOf, topicOf } from '@fds/adaptor-protocol';
import Database from 'libsql';
import mqtt from 'mqtt';
import { startDatabaseAdaptor } from '../../harness/adaptor-process.js';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { eventually } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import type { Service } from '../../harness/service.js';
import { openDoors, signInDoors, type Doors } from '../open-doors.js';

type Body = Readonly<Record<string, unknown>>;

interface Metrics {
  readonly adaptorUuid: string;
  readonly requestId: string;
  readonly adaptorMetricsDetail: readonly {
    readonly type: string;
    readonly period: string;
    readonly dateCount: readonly { readonly date: number; readonly count: number }[];
  }[];
}

/** Metadata of the database adaptor: one table of a SQLite file. */
const metadataOf = (file: string): object => ({
  databases: { source: { type: 'JDBC', properties: { jdbcUrl: `jdbc:sqlite:${file}`, maximumPoolSize: '1' } } },
  tables: [
    {
      domain: 'operated',
      version: 1,
      primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING', required: true } }],
      timestampSpec: {
        columnName: 'modified',
        type: 'TIMESTAMP',
        precision: 'MICROSECONDS',
        scanStartTime: '2000-01-01T00:00:00Z',
        lagTimeMilliseconds: 0,
        overlapMilliseconds: 1000,
      },
      dataColumns: { id: { source: 'id', columnType: 'STRING', updatable: false, insertable: true } },
      dataSource: { name: 'source', tableName: 'operated' },
      scanMethod: 'TIMESTAMP',
      scanOptions: { enableIncoming: true, enableModificationScan: true, enableProcessor: true },
    },
  ],
});

const uuidForm = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as unknown;

describe('the operations of adaptors', () => {
  const leftovers = createLeftovers();
  let doors: Doors<Service>;

  beforeAll(async () => {
    doors = await openDoors(leftovers);
    await createVersion(doors.dgs, {
      name: 'operated',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const newAdaptor = (name: string, metadata = {}): Promise<CreatedAdaptor> =>
    createAdaptor(doors.dgs, doors.root, { name, capabilities: allActions('operated'), metadata });
  const get = async <T = Body>({ uuid }: CreatedAdaptor, end = ''): Promise<T> =>
    requireStatus(await doors.dgs.rest<T>('GET', `/zones/${doors.root}/adaptors/${uuid}${end}`), 200).body;
  const createSource = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'fds-operated-'));
    leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'source.db');
    const source = new Database(file);
    source.exec('create table operated (id text primary key, modified text)');
    source.close();
    return file;
  };
  const put = (adaptor: CreatedAdaptor, end: string) =>
    doors.dgs.rest<Body>('PUT', `/zones/${doors.root}/adaptors/${adaptor.uuid}${end}`);
  const command = async ({ uuid }: CreatedAdaptor, state: string): Promise<unknown> =>
    requireStatus(await doors.dgs.rest('PATCH', `/zones/${doors.root}/adaptors/${uuid}`, { state }), 200).body['state'];
  const untilState = (adaptor: CreatedAdaptor, state: string): Promise<void> =>
    eventually(async () => expect((await get(adaptor))['state']).toBe(state));
  const countsOf = async (adaptor: CreatedAdaptor): Promise<Readonly<Record<string, number>>> => {
    const { adaptorMetricsDetail } = await get<Metrics>(adaptor, '/metrics');
    return Object.fromEntries(
      adaptorMetricsDetail.map(({ type, period, dateCount }) => [
        `${type} ${period}`,
        dateCount.reduce((sum, { count }) => sum + count, 0),
      ]),
    );
  };

  it('return health, metrics and queue of the adaptor; after PAUSE events wait, and PLAY delivers them', async () => {
    const [source, destination] = [await newAdaptor('source'), await newAdaptor('destination')];
    const applied: unknown[] = [];
    const sending = await startSourceAdaptor(leftovers, doors.service, source, {});
    const receiving = await startSourceAdaptor(leftovers, doors.service, destination, {
      apply: ({ drKeyValues }) => void applied.push(drKeyValues[0]),
    });
    for (const adaptor of [source, destination]) await untilState(adaptor, 'STARTED');
    const health = await get(destination, '/health');
    expect(health).toEqual({
      adaptorUuid: destination.uuid,
      requestId: uuidForm,
      status: 'UP',
      uptime: expect.any(Number),
    });
    expect(Number(health['uptime'])).toBeGreaterThan(0);

    expect(await command(destination, 'PAUSE')).toBe('PAUSING');
    await untilState(destination, 'PAUSED');
    const publish = (from: number, to: number): Promise<void[]> =>
      Promise.all(
        Array.from({ length: to - from }, (_, n) =>
          sending.publish({ action: 'POST', domain: 'operated', version: 1, json: { id: `r${from + n}` } }),
        ),
      );
    await publish(0, 20);
    await eventually(async () => expect((await get(destination, '/queue'))['messageCount']).toBe(20));
    const queue = await get(destination, '/queue');
    expect(queue).toEqual({
      adaptorUuid: destination.uuid,
      messageCount: 20,
      oldestMessageDate: expect.any(Number),
      inFlightCount: 0,
      deliveredCount: 0,
      acknowledgedCount: 0,
      consumerConnected: false,
    });
    expect(Math.abs(Number(queue['oldestMessageDate']) - Date.now())).toBeLessThan(120_000);
    // paused adaptors answer operations
    expect(await get(destination, '/health')).toMatchObject({ status: 'UP' });

    await command(destination, 'PLAY');
    await untilState(destination, 'STARTED');
    await eventually(async () =>
      expect(await get(destination, '/queue')).toMatchObject({
        messageCount: 0,
        oldestMessageDate: null,
        inFlightCount: 0,
        deliveredCount: 20,
        acknowledgedCount: 20,
        consumerConnected: true,
      }),
    );
    expect(applied).toHaveLength(20);
    expect(new Set(applied)).toEqual(new Set(Array.from({ length: 20 }, (_, n) => `r${n}`)));

    expect(await countsOf(source)).toMatchObject({
      'SENT ALL_TIME': 20,
      'SENT DAY': 20,
      'SENT HOUR': 20,
      'SENT MINUTE': 20,
    });
    expect(await countsOf(destination)).toMatchObject({
      'SENT ALL_TIME': 0,
      'RECEIVED ALL_TIME': 20,
      'RECEIVED MINUTE': 20,
    });
    // events after the last metrics request are counted too, although no further request follows
    await publish(20, 30);
    await eventually(() => expect(applied).toHaveLength(30));
    await sending.stop();
    await receiving.stop();
    await untilState(source, 'DOWN');
    await eventually(async () =>
      expect(await countsOf(source)).toMatchObject({ 'SENT ALL_TIME': 30, 'SENT MINUTE': 30, 'SENT DAY': 30 }),
    );
    expect(await get(source, '/health')).toEqual({
      adaptorUuid: source.uuid,
      requestId: uuidForm,
      status: 'DOWN',
      uptime: 0,
    });

    const days = await get<Metrics>(source, '/metrics?filters=type:SENT,period:DAY&options=zone:Asia/Kolkata');
    expect(days.adaptorMetricsDetail.map(({ type, period }) => `${type} ${period}`)).toEqual(['SENT DAY']);
    for (const { date } of days.adaptorMetricsDetail[0]?.dateCount ?? []) expect(date % 86_400_000).toBe(66_600_000);
    const wrong = await doors.dgs.rest<Body>(
      'GET',
      `/zones/${doors.root}/adaptors/${source.uuid}/metrics?options=zone:Moon`,
    );
    expect([wrong.status, wrong.body['code']]).toEqual([400, 'INVALID_PARAMETER']);
  }, 120_000);

  it('shut the database adaptor down in two steps: it ends cleanly, and the code is used up', async () => {
    const adaptor = await newAdaptor('database', metadataOf(createSource()));
    const running = await startDatabaseAdaptor(leftovers, doors.service, adaptor);
    await untilState(adaptor, 'STARTED');
    const { code, ...rest } = await get(adaptor, '/shutdown-code');
    expect([code, rest]).toEqual([uuidForm, { adaptorUuid: adaptor.uuid }]);
    const refused = await put(adaptor, `/shutdown?code=${randomUUID()}`);
    expect([refused.status, refused.body['code']]).toEqual([409, 'WRONG_SHUTDOWN_CODE']);
    expect((await put(adaptor, '/shutdown')).status).toBe(400);
    expect(running.process().running).toBe(true);
    const accepted = requireStatus(await put(adaptor, `/shutdown?code=${String(code)}`), 200).body;
    expect(accepted).toEqual({ adaptorUuid: adaptor.uuid, requestId: uuidForm, acknowledged: true });
    expect(await running.process().ended()).toBe(0);
    await untilState(adaptor, 'DOWN');
    expect((await put(adaptor, `/shutdown?code=${String(code)}`)).status).toBe(409);
    const another = await get(adaptor, '/shutdown-code');
    const away = requireStatus(await put(adaptor, `/shutdown?code=${String(another['code'])}`), 200).body;
    expect(away['acknowledged']).toBe(false);
  }, 120_000);

  it('wait for an adaptor that never confirms, and detect that it has disconnected', async () => {
    const adaptor = await newAdaptor('silent');
    const { uuid: adaptorUuid } = adaptor;
    const status = (state: 'STARTED' | 'DOWN'): string =>
      buildMessage('up/status', {
        id: randomUUID(),
        source: `/adaptors/${adaptorUuid}`,
        time: new Date().toISOString(),
        type: 'fds.status.v1',
        data: { state, sdk: { name: 'test', version: '1' } },
      });
    const topic = topicOf({ adaptorUuid, channel: 'up/status' });
    const heard: string[] = [];
    const client = await mqtt.connectAsync(doors.service.busUrl.replace('tcp:', 'mqtt:'), {
      protocolVersion: 4,
      clientId: clientIdOf(adaptorUuid, 'ops'),
      username: adaptor.clientId,
      password: adaptor.clientSecret,
      reconnectPeriod: 0,
      will: { topic, payload: Buffer.from(status('DOWN')), qos: 1, retain: true },
    });
    leftovers.add(() => client.endAsync(true));
    client.on('message', (_topic, payload) => {
      const { data } = JSON.parse(payload.toString()) as { data: { operation: string } };
      heard.push(data.operation);
    });
    await client.subscribeAsync(
      Object.fromEntries(subscriptionsOf(adaptorUuid, 'ops').map((it) => [it, { qos: 1 as const }])),
    );
    await client.publishAsync(topic, status('STARTED'), { qos: 1, retain: true });
    await untilState(adaptor, 'STARTED');
    expect(await command(adaptor, 'REFRESH_STATE')).toBe('STARTED');
    await eventually(() => expect(heard).toContain('REFRESH_STATE'));
    expect(await command(adaptor, 'PAUSE')).toBe('PAUSING');
    // it receives PAUSE again, and stays PAUSING
    await eventually(() => expect(heard.filter((it) => it === 'PAUSE').length).toBeGreaterThan(1));
    expect((await get(adaptor))['state']).toBe('PAUSING');
    const began = Date.now();
    expect(await get(adaptor, '/health')).toMatchObject({ status: 'DOWN', uptime: 0 });
    expect(Date.now() - began).toBeGreaterThanOrEqual(4_900);
    expect(await command(adaptor, 'PLAY')).toBe('STARTED');
    expect(await command(adaptor, 'PAUSE')).toBe('PAUSING');
    client.stream.destroy();
    await untilState(adaptor, 'DOWN_PAUSED');
    expect(await command(adaptor, 'PLAY')).toBe('DOWN');
    expect(await command(adaptor, 'PAUSE')).toBe('DOWN_PAUSED');
  }, 120_000);

  it('show an error, corrected metadata, and a restart of the server in the state', async () => {
    const adaptor = await newAdaptor('configured');
    const configured: unknown[] = [];
    await startSourceAdaptor(leftovers, doors.service, adaptor, {
      configure: ({ metadata, discoveryMode }) => {
        if (metadata['wrong'] === true) throw new Error('no such table');
        configured.push({ metadata, discoveryMode });
      },
    });
    await untilState(adaptor, 'STARTED');
    const path = `/zones/${doors.root}/adaptors/${adaptor.uuid}`;
    const patch = async (json: object): Promise<void> => {
      const { changeVersion } = await get(adaptor);
      requireStatus(await doors.dgs.rest('PATCH', path, { changeVersion, ...json }), 200);
    };
    await patch({ metadata: { wrong: true } });
    await eventually(async () =>
      expect(await get(adaptor)).toMatchObject({ state: 'ERROR', stateMessage: 'no such table' }),
    );
    expect(await get(adaptor, '/health')).toMatchObject({ status: 'DOWN', uptime: expect.any(Number) });
    await patch({ metadata: { wrong: false }, discoveryMode: true });
    await eventually(async () => expect(await get(adaptor)).toMatchObject({ state: 'STARTED', stateMessage: null }));
    expect(configured.at(-1)).toEqual({ metadata: { wrong: false }, discoveryMode: true });

    await patch({ state: 'PAUSE', description: 'with a changeVersion' });
    await untilState(adaptor, 'PAUSED');
    await doors.service.stop();
    await doors.service.start();
    doors = await signInDoors(doors.service);
    await untilState(adaptor, 'PAUSED');
    await command(adaptor, 'PLAY');
    await untilState(adaptor, 'STARTED');
    await doors.service.kill();
    await doors.service.start();
    doors = await signInDoors(doors.service);
    await untilState(adaptor, 'STARTED');
    await patch({ active: false });
    await untilState(adaptor, 'DOWN');
    const connecting = mqtt.connectAsync(doors.service.busUrl.replace('tcp:', 'mqtt:'), {
      protocolVersion: 4,
      clientId: clientIdOf(adaptor.uuid, 'ops'),
      username: adaptor.clientId,
      password: adaptor.clientSecret,
      reconnectPeriod: 0,
    });
    await expect(connecting).rejects.toMatchObject({ code: 4 });
  }, 180_000);
});
