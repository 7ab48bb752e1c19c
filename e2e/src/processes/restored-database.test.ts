import { join } from 'node:path';
import { createEmptyDatabase, type EmptyDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { request } from 'undici';
import { startAdaptorProcess, type AdaptorProcess } from '../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, rootZone, type CreatedAdaptor } from '../harness/catalogue.js';
import { signIn, type Client } from '../harness/client.js';
import { freePort } from '../harness/free-port.js';
import { createLeftovers } from '../harness/leftovers.js';
import { mosquittoMissing, startMosquitto, type Mosquitto } from '../harness/mosquitto.js';
import { startReplicas, type Replicas } from '../harness/split-service.js';

interface Issue {
  readonly status: string;
  readonly exception: string;
  readonly adaptor: { readonly uuid: string };
  readonly errors: readonly { readonly code: string; readonly detail: string }[];
}

const why = mosquittoMissing === undefined ? '' : ` (skipped: ${mosquittoMissing})`;

(mosquittoMissing === undefined ? describe : describe.skip)(`a restored database${why}`, () => {
  const leftovers = createLeftovers();
  let broker: Mosquitto;
  let database: EmptyDatabase;
  let server: Replicas['servers'][number];
  let admin: Client;
  let dgs: Client;
  let adaptors: Record<'source' | 'destination', CreatedAdaptor>;
  let source: AdaptorProcess;
  let destination: AdaptorProcess;

  const startStream = async (program: 'source' | 'destination'): Promise<AdaptorProcess> => {
    const adaptor = await createAdaptor(dgs, await rootZone(dgs), {
      name: program,
      capabilities: allActions('counter'),
    });
    adaptors = { ...adaptors, [program]: adaptor };
    await broker.admit(adaptor.clientId, adaptor.clientSecret);
    const process = await startAdaptorProcess(leftovers, { baseUrl: server.url, busUrl: broker.url }, adaptor, {
      script: `e2e/dist/programs/stream-${program}.js`,
      environment: (folder) => ({
        STREAM_DATABASE: join(folder, 'stream.sqlite'),
        STREAM_EVENTS: '1000000',
        STREAM_PAUSE_MS: '10',
        STREAM_RECORDS: '5',
      }),
    });
    await process.untilUp();
    return process;
  };

  beforeAll(async () => {
    database = await createEmptyDatabase();
    leftovers.add(() => database.drop());
    broker = await startMosquitto(leftovers);
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const replicas = await startReplicas(leftovers, [port], { databaseUrl: database.url, broker, baseUrl }, {});
    const [only] = replicas.servers;
    if (only === undefined) throw new Error('one server was started');
    server = only;
    const person = { ...replicas, baseUrl };
    admin = await signIn({ ...person, username: 'admin', password: replicas.passwords.admin });
    dgs = await signIn({ ...person, username: 'dgs', password: replicas.passwords.dgs });
    await createVersion(dgs, {
      name: 'counter',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    destination = await startStream('destination');
    source = await startStream('source');
  }, 180_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const issues = async (status: 'OPEN' | 'CLOSED'): Promise<readonly Issue[]> => {
    const { dataIssues } = await dgs.graphql<{ readonly dataIssues: { readonly data: readonly Issue[] } }>(
      `query ($zoneUuid: Uuid!, $status: [DataIssueStatus!]) { dataIssues(zoneUuid: $zoneUuid, status: $status, cause: [HUB_BEHIND]) {
         data { status exception adaptor { uuid } errors { code detail } } } }`,
      { zoneUuid: await rootZone(dgs), status },
    );
    return dataIssues.data;
  };

  const behind = async (): Promise<number> => {
    const { body } = await request(`${server.url}/metrics`);
    return Number(/^fds_hub_behind_messages (\d+)$/m.exec(await body.text())?.[1]);
  };

  const read = (process: AdaptorProcess, statement: string): unknown[] => {
    const stream = new Database(join(process.dataDirectory, 'stream.sqlite'), { readonly: true });
    try {
      return stream.prepare(statement).all();
    } finally {
      stream.close();
    }
  };
  const applied = (): number => read(destination, 'SELECT n FROM ledger').length;
  const published = (): number =>
    (read(source, 'SELECT published FROM progress')[0] as { published: number }).published;

  /** The events of the source that the server has. */
  const known = async (): Promise<number> => {
    const { dataEventCounts } = await dgs.graphql<{
      readonly dataEventCounts: { readonly counts: { readonly count: number }[] };
    }>('query ($adaptorUuid: Uuid!) { dataEventCounts(adaptorUuid: $adaptorUuid) { counts { count } } }', {
      adaptorUuid: adaptors.source.uuid,
    });
    return dataEventCounts.counts.reduce((sum, { count }) => sum + count, 0);
  };

  it('is noticed, and gets everything again that adaptors still have', async () => {
    await eventually(() => expect(applied()).toBeGreaterThan(50), { deadlineMs: 30_000 });
    let restore = (): Promise<void> => Promise.reject(new Error('nothing was backed up'));
    await server.restart(async () => {
      restore = await database.backUp();
    });
    const atBackup = await known();
    await eventually(() => expect(applied()).toBeGreaterThan(atBackup + 100), { deadlineMs: 30_000 });
    await source.process().end('SIGTERM');
    await eventually(() => expect(applied()).toBe(published()), { deadlineMs: 30_000 });
    expect(await behind()).toBe(0);

    await server.restart(restore);
    // the destination stayed connected; the source is away
    await eventually(async () => expect(await behind()).toBeGreaterThan(100), { deadlineMs: 30_000 });
    const [issue, ...others] = await issues('OPEN');
    expect(others).toEqual([]);
    expect(issue).toMatchObject({ exception: 'OTHER', adaptor: { uuid: adaptors.destination.uuid } });
    expect(issue?.errors).toEqual([
      {
        code: 'HUB_BEHIND',
        detail: expect.stringMatching(
          /^up: \d+ messages? of the adaptor missing, links included; down: \d{3,} messages to the adaptor missing$/,
        ),
      },
    ]);

    source.start({ environment: { STREAM_EVENTS: String(published()) } });
    await source.untilUp();
    await eventually(async () => expect(await known()).toBe(published()), { deadlineMs: 30_000 });
    await eventually(async () => expect([await behind(), await issues('OPEN')]).toEqual([0, []]), {
      deadlineMs: 30_000,
    });
    expect((await issues('CLOSED')).map(({ adaptor }) => adaptor.uuid).sort()).toEqual(
      [adaptors.source.uuid, adaptors.destination.uuid].sort(),
    );
    expect((await admin.rest('GET', '/processes')).status).toBe(200);
  }, 180_000);
});
