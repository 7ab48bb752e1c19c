import { join } from 'node:path';
import { createEmptyDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { startAdaptorProcess, type AdaptorProcess } from '../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, requireStatus, rootZone } from '../harness/catalogue.js';
import { signIn, type Client } from '../harness/client.js';
import { freePort } from '../harness/free-port.js';
import { createLeftovers } from '../harness/leftovers.js';
import { mosquittoMissing, startMosquitto, type Mosquitto } from '../harness/mosquitto.js';
import { startReplicas, type Replicas } from '../harness/split-service.js';

interface ListedProcess {
  readonly uuid: string;
  readonly parts: readonly string[];
  readonly version: string;
  readonly host: string;
  readonly dateStarted: number;
  readonly heartbeat: number;
  readonly leases: number;
  readonly busConnected: boolean | null;
  readonly changeLogLag: number;
}

const records = 5;
const adaptorCount = 7;
/** The promise of the specification: even shares after ten seconds. */
const evenWithinMs = 10_000;

const why = mosquittoMissing === undefined ? '' : ` (skipped: ${mosquittoMissing})`;

(mosquittoMissing === undefined ? describe : describe.skip)(`adaptors of several servers${why}`, () => {
  const leftovers = createLeftovers();
  let broker: Mosquitto;
  let replicas: Replicas;
  let joined: Replicas;
  let admin: Client;
  let source: AdaptorProcess;
  let destination: AdaptorProcess;
  let start: () => Promise<Replicas>;

  const startStream = async (dgs: Client, program: 'source' | 'destination'): Promise<AdaptorProcess> => {
    const adaptor = await createAdaptor(dgs, await rootZone(dgs), {
      name: program,
      capabilities: allActions('counter'),
    });
    await broker.admit(adaptor.clientId, adaptor.clientSecret);
    const process = await startAdaptorProcess(
      leftovers,
      { baseUrl: replicas.servers[0]?.url ?? '', busUrl: broker.url },
      adaptor,
      {
        script: `e2e/dist/programs/stream-${program}.js`,
        environment: (folder) => ({
          STREAM_DATABASE: join(folder, 'stream.sqlite'),
          STREAM_EVENTS: '1000000',
          STREAM_PAUSE_MS: '10',
          STREAM_RECORDS: String(records),
        }),
      },
    );
    await process.untilUp();
    return process;
  };

  beforeAll(async () => {
    const database = await createEmptyDatabase();
    leftovers.add(() => database.drop());
    broker = await startMosquitto(leftovers);
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const launch = (ports: readonly number[]) =>
      startReplicas(leftovers, ports, { databaseUrl: database.url, broker, baseUrl }, { FDS_DRAIN_SECONDS: '2' });
    replicas = await launch([port, await freePort()]);
    start = async () => launch([await freePort()]);
    const person = { ...replicas, baseUrl };
    admin = await signIn({ ...person, username: 'admin', password: replicas.passwords.admin });
    const dgs = await signIn({ ...person, username: 'dgs', password: replicas.passwords.dgs });
    await createVersion(dgs, {
      name: 'counter',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const zone = await rootZone(dgs);
    for (let n = 2; n < adaptorCount; n += 1) await createAdaptor(dgs, zone, { name: `away ${n}`, capabilities: [] });
    destination = await startStream(dgs, 'destination');
    source = await startStream(dgs, 'source');
  }, 180_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const listed = async (): Promise<readonly ListedProcess[]> =>
    requireStatus(await admin.rest<{ readonly processes: readonly ListedProcess[] }>('GET', '/processes'), 200).body
      .processes;

  /** A server that ends has given its adaptors away, and is still listed. */
  const held = async () => (await listed()).map(({ leases }) => leases).filter((leases) => leases > 0);

  const untilShares = (shares: readonly number[]) =>
    eventually(async () => expect((await held()).sort((a, b) => a - b)).toEqual(shares), {
      deadlineMs: evenWithinMs,
    });

  const published = (): number => {
    const database = new Database(join(source.dataDirectory, 'stream.sqlite'), { readonly: true });
    try {
      return (database.prepare('SELECT published FROM progress').get() as { published: number }).published;
    } finally {
      database.close();
    }
  };
  const ledger = (): { readonly id: string; readonly n: number }[] => {
    const database = new Database(join(destination.dataDirectory, 'stream.sqlite'), { readonly: true });
    try {
      return database.prepare('SELECT id, n FROM ledger ORDER BY position').all() as { id: string; n: number }[];
    } finally {
      database.close();
    }
  };

  it('are shared out evenly, connected or not, and each server shows itself', async () => {
    await untilShares([3, 4]);
    const [first] = await listed();
    expect(first).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      parts: ['gateway', 'catalog', 'governance', 'records', 'assembly', 'notifications'],
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      host: expect.any(String),
      dateStarted: expect.any(Number),
      heartbeat: expect.any(Number),
      leases: expect.any(Number),
      busConnected: true,
      changeLogLag: expect.any(Number),
    });
  });

  it('move to a server that joins, away from one that ends, and away from one that is killed', async () => {
    joined = await start();
    await untilShares([2, 2, 3]);

    const [first, second] = replicas.servers;
    if (first === undefined || second === undefined) throw new Error('two servers were started');
    const ended = second.restart();
    await untilShares([3, 4]);
    expect(await ended).toBe(0);
    await untilShares([2, 2, 3]);

    const killed = joined.servers[0]?.process();
    await killed?.end('SIGKILL');
    await untilShares([3, 4]);
  }, 120_000);

  it('lose, double and reorder no event while they move', async () => {
    await source.process().end('SIGTERM');
    const total = published();
    await eventually(() => expect(ledger().length).toBe(total), { deadlineMs: 30_000 });
    const next = new Map<string, number>();
    for (const { id, n } of ledger()) {
      expect([id, n]).toEqual([id, (next.get(id) ?? 0) + 1]);
      next.set(id, n);
    }
    expect(total).toBeGreaterThan(100);
  }, 60_000);
});
