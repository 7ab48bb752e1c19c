import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '@fds/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { createVersion } from '../harness/catalogue.js';
import { signIn } from '../harness/client.js';
import { createLeftovers } from '../harness/leftovers.js';
import { shareService, startService, type Service } from '../harness/service.js';
import { root, serviceScript, spawnScript } from '../harness/spawned.js';

const signInDgs = (service: Service) => signIn({ ...service, username: 'dgs', password: service.passwords.dgs });

const domainNames = async (service: Service): Promise<string[]> => {
  const client = await signInDgs(service);
  const { domains } = await client.graphql<{ domains: { data: { name: string }[] } }>('{ domains { data { name } } }');
  return domains.data.map(({ name }) => name);
};

const fileCountOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

describe('a service', () => {
  const leftovers = createLeftovers();
  afterEach(() => leftovers.dispose(), 120_000);

  it('runs at the same time as another service with separate data', async () => {
    const [one, other] = [await startService(leftovers), await startService(leftovers)];
    await createVersion(await signInDgs(one), {
      name: 'only-here',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    expect(await domainNames(one)).toEqual(['only-here']);
    expect(await domainNames(other)).toEqual([]);
  }, 120_000);

  it('keeps acknowledged changes when it is killed, and ends with 0 on SIGTERM', async () => {
    const service = await startService(leftovers);
    await createVersion(await signInDgs(service), {
      name: 'kept',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    await service.kill();
    await service.start();
    expect(await domainNames(service)).toEqual(['kept']);
    expect(await service.stop()).toBe(0);
  }, 120_000);

  it.each(
    Object.entries<(postgres: string) => boolean>({
      'its code is loaded': (postgres) => existsSync(dirname(postgres)),
      'the database is created': (postgres) => existsSync(postgres),
      'the database starts': (postgres) => existsSync(join(postgres, 'cluster/postmaster.pid')),
      'the database has started': (postgres) =>
        readFileSync(join(postgres, 'cluster/postmaster.pid'), 'utf8').includes('ready'),
      // PostgreSQL brings three
      'its own database exists': (postgres) => readdirSync(join(postgres, 'cluster/base')).length > 3,
      'tables are created': (postgres) => fileCountOf(join(postgres, 'cluster/base')) > 1200,
      'the first users are created': (postgres) => existsSync(join(dirname(postgres), 'dgs.password')),
    }),
  )(
    'ends with 0 on SIGTERM while %s',
    async (_, isReached) => {
      const dataDir = join(mkdtempSync(join(tmpdir(), 'fds-stage-')), 'data');
      leftovers.add(() => rmSync(dirname(dataDir), { recursive: true, force: true }));
      const process = spawnScript({
        script: serviceScript,
        environment: { FDS_PORT: '0', FDS_BUS_PORT: '0', FDS_ASSEMBLY_PORT: '0', FDS_DATA_DIR: dataDir },
      });
      await eventually(() => expect(isReached(join(dataDir, 'postgres'))).toBe(true), {
        deadlineMs: 60_000,
        intervalMs: 1,
      });
      expect([await process.end('SIGTERM'), process.output()]).toEqual([0, expect.not.stringMatching(/\n +at |Error/)]);
      // no process of the database is left
      expect(existsSync(join(dataDir, 'postgres/cluster/postmaster.pid'))).toBe(false);
    },
    120_000,
  );

  it('keeps the compiled code of its bundle for the next start', async () => {
    await shareService();
    await eventually(async () => {
      // Node names a folder after its version, and a file in it after the digest of a module
      const folder = join(root, dirname(serviceScript), 'compiled');
      const kept = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const chunks = readdirSync(dirname(folder)).filter((name) => name.endsWith('.mjs'));
      expect(kept.length).toBeGreaterThan(chunks.length / 4);
    });
  }, 120_000);

  it('refuses a second service on its data directory, and names the process', async () => {
    const service = await startService(leftovers);
    const second = spawnScript({
      script: serviceScript,
      environment: { FDS_PORT: '0', FDS_BUS_PORT: '0', FDS_ASSEMBLY_PORT: '0', FDS_DATA_DIR: service.dataDir },
    });
    expect(await second.ended()).toBe(1);
    expect(second.output()).toContain(
      `FDS_DATA_DIR: another service, process ${service.process().pid}, uses ${service.dataDir}`,
    );
    const { statusCode, headers, body } = await request(`${service.baseUrl}/`);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await body.text()).toContain('href="/docs"');
  }, 120_000);

  it('uses no deprecated functions of its libraries at its first start', async () => {
    const service = await startService(leftovers, { NODE_OPTIONS: '--throw-deprecation' });
    expect(await domainNames(service)).toEqual([]);
    expect(service.process().output()).not.toContain('DeprecationWarning');
  }, 120_000);

  it('refuses a data directory of another major version of PostgreSQL before it starts one', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'fds-e2e-'));
    leftovers.add(() => Promise.resolve(rmSync(dataDir, { recursive: true, force: true })));
    const cluster = join(dataDir, 'postgres/cluster');
    mkdirSync(cluster, { recursive: true });
    writeFileSync(join(cluster, 'PG_VERSION'), '15\n');
    const process = spawnScript({ script: serviceScript, environment: { FDS_PORT: '0', FDS_DATA_DIR: dataDir } });
    expect(await process.ended()).toBe(1);
    expect(process.output()).toMatch(
      /^FDS_DATA_DIR: the database in .* PostgreSQL 15, .* PostgreSQL \d+; docs\/operations\/upgrade\.md/m,
    );
    expect(readdirSync(join(dataDir, 'postgres'))).toEqual(['cluster']);
  });

  it('names every fault of its settings, but no value', async () => {
    const process = spawnScript({
      script: serviceScript,
      environment: { FDS_PORT: 'eighty', FDS_TOKEN_MINUTES: '0', FDS_ASSEMBLY_ENABLED: 'perhaps' },
    });
    expect(await process.ended()).not.toBe(0);
    for (const name of ['FDS_PORT', 'FDS_TOKEN_MINUTES', 'FDS_ASSEMBLY_ENABLED'])
      expect(process.output()).toContain(name);
    for (const value of ['eighty', 'perhaps']) expect(process.output()).not.toContain(value);
  });

  it('writes one JSON line per request, without tokens or passwords', async () => {
    const service = await startService(leftovers);
    const client = await signInDgs(service);
    const { headers } = await client.rest('GET', '/domains');
    await eventually(() => {
      const lines = service.process().output().split('\n');
      const line = lines
        .filter((text) => text.startsWith('{'))
        .map((text) => JSON.parse(text) as Record<string, unknown>)
        .find(({ requestId }) => requestId === headers['x-request-id']);
      expect(line).toMatchObject({ method: 'GET', route: '/api/domains', status: 200 });
    });
    expect(service.process().output()).not.toContain(service.passwords.dgs);
    expect(service.process().output()).not.toContain('Bearer');
  }, 120_000);

  it('returns its liveness and its health', async () => {
    const service = await startService(leftovers);
    const live = await request(`${service.baseUrl}/health/live`);
    expect([live.statusCode, await live.body.json()]).toEqual([200, { status: 'UP' }]);
    const metrics = await request(`${service.baseUrl}/metrics`);
    expect(await metrics.body.text()).toContain('process_cpu_seconds_total');
  }, 120_000);
});
