import { setTimeout as delay } from 'node:timers/promises';
import type { Closable, Log } from '@fds/service';
import pg from 'pg';
import {
  choosePort,
  loadClusterVersion,
  loadPassword,
  openClusterFolder,
  rememberPort,
  requirePassword,
  type ClusterFolder,
} from './cluster-folder.js';
import { createCluster } from './create-cluster.js';
import { chooseDatabaseAccount } from './database-account.js';
import { holdName, loadHolder } from './hold-name.js';
import { watchOwner } from './watch-owner.js';
import { loadInstalledVersion, requireBinaries } from './postgres-binaries.js';
import { isAlive, loadPostmaster, type Postmaster } from './postmaster-file.js';
import { startPostmaster, stopPostmaster } from './run-postmaster.js';

const databaseName = 'fds';
const startTimeoutMs = 60_000;
const superviseMs = 500;
const standardTakeoverMs = 3_000;
const standardGraceSeconds = 30;

export interface EmbeddedPostgresOptions {
  /**
   * Folder of this server only. It is created if it is missing, and contains the server's files, its password and its
   * last port.
   */
  readonly dataDir: string;
  /** Requested port. Default: the last port if it is free, otherwise any free port. */
  readonly port?: number;
  readonly log: Log;
  /**
   * Time in seconds that the server continues after its process was killed, so that the next process can adopt it.
   * Default: 30.
   */
  readonly graceSeconds?: number;
  /**
   * How long to wait for a folder that another process uses: a process that is ending still has it for a moment.
   * Default: 3000.
   */
  readonly takeoverMs?: number;
  /** Further parameters of PostgreSQL, for example `{ fsync: 'off' }` in tests. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres extends Closable {
  /** Connection URL with user and password. A secret. */
  readonly url: string;
  /** Stops the server. Idempotent. */
  close(): Promise<void>;
}

const urlOf = (port: number, password: string, database: string): string =>
  `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
};

const requireDatabase = async (port: number, password: string): Promise<void> => {
  const client = new pg.Client({ connectionString: urlOf(port, password, 'postgres') });
  // the statement under way reports a lost connection; without a listener, the event would end the process
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [databaseName]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  } finally {
    await client.end();
  }
};

/** A server that is already running and accepts the folder's password. */
const findRunning = async (folder: ClusterFolder): Promise<Postmaster | undefined> => {
  const postmaster = await loadPostmaster(folder.cluster);
  if (postmaster === undefined) return undefined;
  const password = await loadPassword(folder);
  return password !== undefined && (await answers(urlOf(postmaster.port, password, 'postgres')))
    ? postmaster
    : undefined;
};

/**
 * Adopts the server of a killed process, or starts a new one. Repeats this until the deadline, because the processes of
 * a killed postmaster take a moment to end, and because a free port may be taken by then.
 */
const bringUp = async (folder: ClusterFolder, options: EmbeddedPostgresOptions): Promise<Postmaster> => {
  const { port: wanted, parameters = {} } = options;
  const account = await chooseDatabaseAccount(folder.cluster);
  const binaries = await requireBinaries(account);
  if ((await loadClusterVersion(folder)) === undefined) {
    await requirePassword(folder);
    await createCluster(folder, binaries, account);
  }
  const password = await requirePassword(folder);
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      const running = await findRunning(folder);
      const postmaster =
        running ??
        (await startPostmaster({
          folder,
          binaries,
          account,
          port: await choosePort(folder, wanted),
          parameters: { max_connections: '200', ...parameters },
        }));
      while (!(await answers(urlOf(postmaster.port, password, 'postgres')))) {
        if (!isAlive(postmaster.pid)) throw new Error('PostgreSQL ended while it started');
        if (performance.now() > deadline) throw new Error('PostgreSQL does not answer');
        await delay(20);
      }
      await requireDatabase(postmaster.port, password);
      await rememberPort(folder, postmaster.port);
      return postmaster;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      options.log.debug({ err: error }, 'embedded PostgreSQL did not start, will try again');
      await delay(250);
    }
  }
};

/** Restarts the server on its port when it ends unexpectedly. */
const supervise = (folder: ClusterFolder, options: EmbeddedPostgresOptions, started: Postmaster): Closable => {
  let present = started;
  let closed = false;
  let repairing: Promise<void> | undefined;
  const repair = async (): Promise<void> => {
    options.log.error({ pid: present.pid }, 'embedded PostgreSQL ended unexpectedly, starting it again');
    try {
      present = await bringUp(folder, { ...options, port: started.port });
    } catch (error) {
      options.log.error({ err: error }, 'embedded PostgreSQL does not start');
    } finally {
      repairing = undefined;
    }
  };
  const timer = setInterval(() => {
    if (!closed && repairing === undefined && !isAlive(present.pid)) repairing = repair();
  }, superviseMs);
  timer.unref();
  return {
    close: async () => {
      closed = true;
      clearInterval(timer);
      await repairing;
    },
  };
};

const own = async (
  folder: ClusterFolder,
  options: EmbeddedPostgresOptions,
  held: Closable,
): Promise<EmbeddedPostgres> => {
  const watch = await watchOwner(folder, options.graceSeconds ?? standardGraceSeconds, options.log);
  try {
    const postmaster = await bringUp(folder, options);
    const supervision = supervise(folder, options, postmaster);
    options.log.info({ port: postmaster.port, dataDir: folder.root }, 'embedded PostgreSQL runs');
    const close = async (): Promise<void> => {
      await supervision.close();
      await stopPostmaster(folder.cluster);
      await watch.close();
      await held.close();
    };
    let closing: Promise<void> | undefined;
    return {
      url: urlOf(postmaster.port, await requirePassword(folder), databaseName),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await stopPostmaster(folder.cluster);
    await watch.close();
    await held.close();
    throw error;
  }
};

/** Another process runs the server of this folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  /** @param pid of the process; undefined when it is not known */
  constructor(
    readonly folder: string,
    readonly pid: number | undefined,
  ) {
    super(`${folder} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}`);
  }
}

/** The files of a folder belong to another major version of PostgreSQL. */
export class OtherMajorVersion extends Error {
  override readonly name = 'OtherMajorVersion';
  constructor(
    readonly folder: string,
    /** The version of the files. */
    readonly found: string,
    /** The installed version. */
    readonly installed: string,
  ) {
    super(`${folder} was made by PostgreSQL ${found}, and PostgreSQL ${installed} is installed`);
  }
}

/** Checks the version before the start: PostgreSQL itself refuses other files only after it was started. */
const requireSameMajor = async (folder: ClusterFolder): Promise<void> => {
  const [found, installed] = [await loadClusterVersion(folder), await loadInstalledVersion()];
  if (found !== undefined && found !== installed) throw new OtherMajorVersion(folder.root, found, installed);
};

/**
 * Runs PostgreSQL from its npm package in a folder, also for root. Only one process may use a folder. When that process
 * is killed, the server continues for `graceSeconds`, so that the next process can adopt it. When the server is killed,
 * it recovers: at once while its owner lives, otherwise when the folder is opened again.
 *
 * @throws FolderInUse when another process uses the folder
 * @throws OtherMajorVersion when the files of the folder belong to another version of PostgreSQL
 * @throws Error when the server does not start within a minute
 */
export const openEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const folder = await openClusterFolder(options.dataDir);
  await requireSameMajor(folder);
  const name = `postgres:${folder.root}`;
  const deadline = performance.now() + (options.takeoverMs ?? standardTakeoverMs);
  for (;;) {
    const held = await holdName(name);
    if (held !== undefined) return own(folder, options, held);
    if (performance.now() > deadline) throw new FolderInUse(folder.root, await loadHolder(name));
    await delay(50);
  }
};
