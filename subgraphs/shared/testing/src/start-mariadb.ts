import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** A MariaDB for a test, on its own port and in its own directory, with a binary log of rows. */
export interface Mariadb {
  readonly port: number;
  /** May do everything. */
  readonly user: string;
  readonly password: string;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Stops it in order. @returns milliseconds that it took */
  stop(): Promise<number>;
  /** Starts it again on the same port, and waits until it listens. */
  start(): Promise<void>;
  /** Ends it and removes its directory. */
  dispose(): Promise<void>;
}

const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
const find = (program: string): string | undefined =>
  folders.map((folder) => join(folder, program)).find((path) => existsSync(path));

const programs = { server: find('mariadbd'), install: find('mariadb-install-db') };

/** Why a test that needs MariaDB is left out; undefined where it is installed. */
export const mariadbMissing: string | undefined =
  programs.server === undefined || programs.install === undefined ? 'mariadb-server is not installed' : undefined;

const untilItListens = (port: number, running: () => boolean, printed: () => string): Promise<void> =>
  eventually(
    async () => {
      if (!running()) throw new Error(`mariadbd ended:\n${printed()}`);
      const socket = connect(port, '127.0.0.1');
      try {
        await once(socket, 'data'); // its greeting
      } finally {
        socket.destroy();
      }
    },
    { deadlineMs: 30_000 },
  );

/** Starts a MariaDB. @throws Error where it is not installed */
export const startMariadb = async (): Promise<Mariadb> => {
  const { server, install } = programs;
  if (server === undefined || install === undefined) throw new Error(mariadbMissing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-mariadb-'));
  const [user, password] = ['fds', 'password-of-the-test'];
  const common = ['--no-defaults', `--datadir=${folder}/data`, `--user=${userInfo().username}`];
  // a server that starts removes the temporary tables of others in its folder
  const env = { ...process.env, TMPDIR: join(folder, 'tmp') };
  mkdirSync(env.TMPDIR);
  const { status, stderr, stdout } = spawnSync(
    install,
    [...common, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { env },
  );
  if (status !== 0)
    throw new Error(`mariadb-install-db ended with ${status}: ${stderr.toString()}${stdout.toString()}`);
  writeFileSync(
    `${folder}/init.sql`,
    `CREATE USER IF NOT EXISTS '${user}'@'%' IDENTIFIED BY '${password}';\nGRANT ALL ON *.* TO '${user}'@'%' WITH GRANT OPTION;\n`,
  );
  const port = await freePort();
  const options = [
    ...common,
    `--init-file=${folder}/init.sql`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${folder}/socket`,
    `--pid-file=${folder}/pid`,
    '--skip-name-resolve',
    '--innodb-buffer-pool-size=32M',
    '--innodb-log-file-size=16M',
    '--server-id=1',
    '--log-bin=mysql-bin',
    '--binlog-format=ROW',
    '--binlog-row-metadata=FULL',
  ];
  const printed: string[] = [];
  const launch = () => {
    const child = spawn(server, options, { stdio: ['ignore', 'ignore', 'pipe'], env });
    child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    return { child, exited: once(child, 'exit') };
  };
  const untilUp = (): Promise<void> =>
    untilItListens(
      port,
      () => current.child.exitCode === null && current.child.signalCode === null,
      () => printed.join(''),
    );
  let current = launch();
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    current.child.kill(signal);
    await current.exited;
  };
  await untilUp();
  return {
    port,
    user,
    password,
    kill: () => end('SIGKILL'),
    stop: async () => {
      const from = performance.now();
      await end('SIGTERM');
      return performance.now() - from;
    },
    start: async () => {
      current = launch();
      await untilUp();
    },
    dispose: async () => {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
