import { setTimeout as delay } from 'node:timers/promises';
import type { Closable, Log } from '@fds/service';
import pg from 'pg';
import {
  choosePort,
  hasCluster,
  loadPassword,
  openClusterFolder,
  rememberPort,
  requirePassword,
  type ClusterFolder,
} from './cluster-folder.js';
import { createCluster } from './create-cluster.js';
import { chooseDatabaseAccount } from './database-account.js';
import { holdName } from './hold-name.js';
import { requireBinaries } from './postgres-binaries.js';
import { isAlive, loadPostmaster, type Postmaster } from './postmaster-file.js';
import { startPostmaster, stopPostmaster } from './run-postmaster.js';

const databaseName = 'fds';
const startTimeoutMs = 60_000;
const superviseMs = 500;

export interface EmbeddedPostgresOptions {
  /** Folder of this server alone; made when missing. Holds its files, its password and the port it had last. */
  readonly dataDir: string;
  /** Wanted port. Without one: the port of the last time when free, else a free one. */
  readonly port?: number;
  readonly log: Log;
  /** Further parameters of PostgreSQL, for example `{ fsync: 'off' }` in tests. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres extends Closable {
  /** Connection URL with user and password. A secret. */
  readonly url: string;
  /** Whether this process runs the server and ends it; else it has joined that of another process. */
  readonly owned: boolean;
  /** Ends the server if it is owned. Idempotent. */
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
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [databaseName]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  } finally {
    await client.end();
  }
};

/** A server that runs already and takes the folder's password. */
const findRunning = async (folder: ClusterFolder): Promise<Postmaster | undefined> => {
  const postmaster = await loadPostmaster(folder.cluster);
  if (postmaster === undefined) return undefined;
  const password = await loadPassword(folder);
  return password !== undefined && (await answers(urlOf(postmaster.port, password, 'postgres')))
    ? postmaster
    : undefined;
};

/**
 * Adopts the server that a killed process left running, else starts one. Repeats until the deadline, because what a
 * killed postmaster leaves behind takes a moment to end, and because a free port may be taken by then.
 */
const bringUp = async (folder: ClusterFolder, options: EmbeddedPostgresOptions): Promise<Postmaster> => {
  const { port: wanted, parameters = {} } = options;
  const account = await chooseDatabaseAccount(folder.cluster);
  const binaries = await requireBinaries(account);
  if (!(await hasCluster(folder))) {
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

/** Starts the server again, on its port, when it ends though nobody asked it to. */
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

const join = async (folder: ClusterFolder): Promise<EmbeddedPostgres | undefined> => {
  const postmaster = await loadPostmaster(folder.cluster);
  const password = await loadPassword(folder);
  if (postmaster === undefined || password === undefined) return undefined;
  const url = urlOf(postmaster.port, password, databaseName);
  return (await answers(url)) ? { url, owned: false, close: () => Promise.resolve() } : undefined;
};

const own = async (
  folder: ClusterFolder,
  options: EmbeddedPostgresOptions,
  held: Closable,
): Promise<EmbeddedPostgres> => {
  try {
    const postmaster = await bringUp(folder, options);
    const supervision = supervise(folder, options, postmaster);
    options.log.info({ port: postmaster.port, dataDir: folder.root }, 'embedded PostgreSQL runs');
    const close = async (): Promise<void> => {
      await supervision.close();
      await stopPostmaster(folder.cluster);
      await held.close();
    };
    let closing: Promise<void> | undefined;
    return {
      url: urlOf(postmaster.port, await requirePassword(folder), databaseName),
      owned: true,
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await stopPostmaster(folder.cluster);
    await held.close();
    throw error;
  }
};

/**
 * Runs PostgreSQL from its npm package in a folder, as root too. Of several processes that open the same folder one owns
 * the server, the others join; an owner that is killed leaves the server running for the next one to adopt. A server that
 * is killed recovers: at once while its owner lives, else at the next opening.
 *
 * @throws Error when it does not come up within a minute
 */
export const openEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const folder = await openClusterFolder(options.dataDir);
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    const held = await holdName(`postgres:${folder.root}`);
    if (held !== undefined) return own(folder, options, held);
    const joined = await join(folder);
    if (joined !== undefined) return joined;
    if (performance.now() > deadline) throw new Error(`the owner of ${folder.root} does not bring PostgreSQL up`);
    await delay(50);
  }
};
