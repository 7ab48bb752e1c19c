import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLog } from '@fds/service';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './open-embedded-postgres.js';
import { isAlive, loadPostmaster } from './postmaster-file.js';

const log = createLog('silent');
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;
const why = isRoot ? '' : ' (skipped: only root can start programs as another user)';
const program = fileURLToPath(new URL('./open-embedded-postgres.js', import.meta.url));

const leftover: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of leftover.splice(0).toReversed()) await step();
});

const folderIn = async (parent: string): Promise<string> => {
  const folder = await mkdtemp(join(parent, 'fds-postgres-'));
  leftover.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** A folder with a cluster whose server has stopped. Most tests copy it: the creation of a cluster takes a second. */
let prepared: string;
beforeAll(async () => {
  prepared = await mkdtemp(join(tmpdir(), 'fds-postgres-'));
  const server = await openEmbeddedPostgres({ dataDir: prepared, log, parameters: { fsync: 'off' } });
  await server.close();
});
afterAll(() => rm(prepared, { recursive: true, force: true }));

/** A folder with a cluster that no server has used. */
const clusterFolder = async (): Promise<string> => {
  const folder = await folderIn(tmpdir());
  // the files keep their owner, which the server runs as
  await promisify(execFile)('cp', ['-a', join(prepared, 'cluster'), join(prepared, 'password'), folder]);
  return folder;
};

const open = async (dataDir: string, more: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> => {
  const server = await openEmbeddedPostgres({ dataDir, log, parameters: { fsync: 'off' }, ...more });
  leftover.push(() => Promise.resolve(server.close()));
  return server;
};

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

const pidOf = async (dataDir: string): Promise<number> => {
  const postmaster = await loadPostmaster(join(dataDir, 'cluster'));
  if (postmaster === undefined) throw new Error(`no server runs in ${dataDir}`);
  return postmaster.pid;
};

/** Process ids of the shells that watch the owner of the folder (Linux only). */
const watchesOf = async (dataDir: string): Promise<number[]> => {
  const environments = await Promise.all(
    (await readdir('/proc'))
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (pid) => ({ pid, text: await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '') })),
  );
  return environments
    .filter(({ text }) => text.includes(`FDS_OWNER_FILE=${dataDir}/`))
    .map(({ pid }) => Number(pid))
    .toSorted((one, other) => one - other);
};

const ended = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await delay(20);
};

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Opens the folder in another process, which closes it on SIGTERM. */
const openInProcess = async (
  dataDir: string,
  account: Account = {},
  graceSeconds = 30,
): Promise<{ url: string; child: ChildProcess }> => {
  const script = `
    const { openEmbeddedPostgres } = await import(${JSON.stringify(program)});
    const { createLog } = await import('@fds/service');
    const server = await openEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: createLog('silent'), parameters: { fsync: 'off' }, graceSeconds: ${graceSeconds} });
    setInterval(() => undefined, 60_000);
    process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
    process.send({ url: server.url });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...account,
  });
  leftover.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const [message] = (await once(child, 'message')) as [{ url: string }];
  return { ...message, child };
};

describe('openEmbeddedPostgres', () => {
  it('starts, stops with the service, and keeps data and port', async () => {
    const dataDir = await clusterFolder();
    const first = await open(dataDir);
    await query(first.url, 'CREATE TABLE kept AS SELECT 9223372036854775807 AS n');
    const pid = await pidOf(dataDir);
    await first.close();
    await first.close();
    expect(isAlive(pid)).toBe(false);

    const second = await open(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT n::text FROM kept')).toEqual([{ n: '9223372036854775807' }]);
  });

  it('creates a UTF-8 database that folds case beyond ASCII, on the loopback address, with a protected password', async () => {
    const dataDir = await folderIn(tmpdir());
    const { url } = await open(dataDir);
    expect(await query(url, "SELECT lower('ÄÉ') AS lower, current_setting('listen_addresses') AS host")).toEqual([
      { lower: 'äé', host: '127.0.0.1' },
    ]);
    expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('runs servers in two folders at the same time', async () => {
    const [one, two] = await Promise.all([open(await clusterFolder()), open(await clusterFolder())]);
    expect(new URL(one.url).port).not.toBe(new URL(two.url).port);
  });

  it('refuses a folder that another process uses, and names the process', async () => {
    const dataDir = await clusterFolder();
    const { url, child } = await openInProcess(dataDir);
    await expect(open(dataDir, { takeoverMs: 200 })).rejects.toMatchObject({
      name: 'FolderInUse',
      folder: dataDir,
      pid: child.pid,
    });
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('refuses a folder of another major version, and starts no server in it', async () => {
    const dataDir = await folderIn(tmpdir());
    await mkdir(join(dataDir, 'cluster'));
    await writeFile(join(dataDir, 'cluster', 'PG_VERSION'), '15\n');
    await expect(open(dataDir)).rejects.toMatchObject({
      name: 'OtherMajorVersion',
      folder: dataDir,
      found: '15',
      installed: expect.stringMatching(/^\d+$/),
    });
    expect(await readdir(dataDir)).toEqual(['cluster']);
  });

  it('stops the server some time after its process was killed', async () => {
    const dataDir = await clusterFolder();
    const { child } = await openInProcess(dataDir, {}, 0.2);
    const pid = await pidOf(dataDir);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await ended(pid);
    const next = await open(dataDir);
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('does not stop a server that the next process adopted in time', async () => {
    const dataDir = await clusterFolder();
    const { child } = await openInProcess(dataDir, {}, 2);
    const pid = await pidOf(dataDir);
    const [watch] = await watchesOf(dataDir);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const next = await open(dataDir);
    if (watch === undefined) throw new Error('no shell watches the process');
    await ended(watch);
    expect(await pidOf(dataDir)).toBe(pid);
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('adopts the server of a killed process, and stops it', async () => {
    const dataDir = await clusterFolder();
    const { child } = await openInProcess(dataDir);
    const pid = await pidOf(dataDir);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const next = await open(dataDir);
    expect(await pidOf(dataDir)).toBe(pid);
    await next.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('recovers when Node and the postmaster were killed', async () => {
    const dataDir = await clusterFolder();
    const { url, child } = await openInProcess(dataDir);
    await query(url, 'CREATE TABLE kept ()');
    const pid = await pidOf(dataDir);
    child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await ended(pid);
    const next = await open(dataDir);
    expect(await query(next.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
  });

  it('restarts a killed postmaster on the same port while the service is alive', async () => {
    const dataDir = await clusterFolder();
    const { url } = await open(dataDir);
    const pid = await pidOf(dataDir);
    process.kill(pid, 'SIGKILL');
    await ended(pid);
    let answer: unknown[] | undefined;
    while (answer === undefined) answer = await query(url, 'SELECT 1 AS one').catch(() => delay(20, undefined));
    expect(answer).toEqual([{ one: 1 }]);
    expect(await pidOf(dataDir)).not.toBe(pid);
  });

  it('creates the cluster again when its creation was interrupted', async () => {
    const dataDir = await folderIn(tmpdir());
    await mkdir(join(dataDir, 'cluster.new-interrupted'));
    await open(dataDir);
    expect(await readdir(dataDir)).not.toContain('cluster.new-interrupted');
  });

  // skipped for other users: only root can leave its own folders to another account
  asRoot(`runs as another user in a folder that only root may enter${why}`, async () => {
    const home = await folderIn(tmpdir());
    await chmod(home, 0o700);
    const dataDir = join(home, '.data', 'postgres');
    const { url } = await open(dataDir);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const { uid, mode } = await stat(join(dataDir, 'cluster'));
    expect(uid).not.toBe(0);
    expect(mode & 0o777).toBe(0o700);
  });

  // skipped for other users: only root can become an ordinary user
  asRoot(`runs as an ordinary user${why}`, async () => {
    const dataDir = await folderIn(tmpdir());
    const account = { uid: 65_534, gid: 65_534 };
    await chown(dataDir, account.uid, account.gid);
    const { url } = await openInProcess(dataDir, account);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
