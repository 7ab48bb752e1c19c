import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** A PostgreSQL for a test that stops it, on its own port and in its own directory, with a logical log. */
export interface Postgres {
  readonly port: number;
  /** May do everything, without a password. */
  readonly user: string;
  /** Stops it like `pg_ctl stop -m fast`. @returns milliseconds that it took @throws Error after the deadline */
  stop(deadlineMs: number): Promise<number>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Ends it and removes its directory. */
  dispose(): Promise<void>;
}

const installed = '/usr/lib/postgresql';
const versions = existsSync(installed) ? readdirSync(installed).map((name) => join(installed, name, 'bin')) : [];
const folder = [...(process.env['PATH'] ?? '').split(':'), ...versions].find((one) => existsSync(join(one, 'initdb')));

/** Why a test that stops PostgreSQL is left out; undefined where it is installed. */
export const postgresMissing: string | undefined = folder === undefined ? 'postgresql is not installed' : undefined;

/** PostgreSQL does not run as root. */
const accountOf = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((option) => {
    const { stdout, status } = spawnSync('id', [option, 'postgres']);
    return status === 0 ? Number(stdout.toString()) : 65_534;
  });
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 };
};

/** Starts a PostgreSQL. @throws Error where it is not installed */
export const startPostgres = async (): Promise<Postgres> => {
  if (folder === undefined) throw new Error(postgresMissing);
  const base = mkdtempSync(join(tmpdir(), 'fds-pg-'));
  const account = accountOf();
  if (account !== undefined) chownSync(base, account.uid, account.gid);
  const data = join(base, 'data');
  const user = 'postgres';
  const options = { ...account, cwd: '/' };
  const { status, stderr } = spawnSync(
    join(folder, 'initdb'),
    ['-D', data, '-U', user, '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    options,
  );
  if (status !== 0) throw new Error(`initdb ended with ${status}: ${stderr.toString()}`);
  const port = await freePort();
  const settings = ['wal_level=logical', 'fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${base}`];
  const launch = () => {
    const given = [`port=${port}`, ...settings].flatMap((setting) => ['-c', setting]);
    const child = spawn(join(folder, 'postgres'), ['-D', data, ...given], { ...options, stdio: 'ignore' });
    return { child, exited: once(child, 'exit') };
  };
  const untilReady = (): Promise<void> =>
    eventually(
      () => {
        const ready = spawnSync(join(folder, 'pg_ctl'), ['status', '-D', data], options);
        const started = spawnSync('grep', ['-q', 'ready', join(data, 'postmaster.pid')]);
        if (ready.status !== 0 || started.status !== 0) throw new Error('postgres does not accept connections yet');
      },
      { deadlineMs: 30_000 },
    );
  let current = launch();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    current.child.kill(signal);
    await current.exited;
  };
  await untilReady();
  return {
    port,
    user,
    stop: async (deadlineMs) => {
      const from = performance.now();
      const late = AbortSignal.timeout(deadlineMs);
      current.child.kill('SIGINT');
      if (current.child.exitCode === null) await once(current.child, 'exit', { signal: late });
      return performance.now() - from;
    },
    start: async () => {
      current = launch();
      await untilReady();
    },
    dispose: async () => {
      if (current.child.exitCode === null && current.child.signalCode === null) await end('SIGQUIT');
      rmSync(base, { recursive: true, force: true });
    },
  };
};
