import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@fds/service';
import { openEmbeddedPostgres } from './embedded/open-embedded-postgres.js';

let stop: (() => Promise<void>) | undefined;

/**
 * Starts the PostgreSQL of a test run and sets FDS_TEST_DATABASE_URL, which the workers inherit. Does nothing when the
 * variable is already set. The server does not wait for the disk, because its data is only needed during the run.
 */
export const startTestServer = async (): Promise<void> => {
  if (process.env['FDS_TEST_DATABASE_URL'] !== undefined) return;
  const dataDir = await mkdtemp(join(tmpdir(), 'fds-test-postgres-'));
  const parameters = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_level: 'logical' };
  const server = await openEmbeddedPostgres({ dataDir, log: createLog('warn'), parameters });
  process.env['FDS_TEST_DATABASE_URL'] = server.url;
  stop = async () => {
    delete process.env['FDS_TEST_DATABASE_URL'];
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  };
};

/** A PostgreSQL with its own folder, for a test that stops it and starts it again. */
export interface RestartableServer {
  /** Names a user who may do everything. */
  readonly url: string;
  stop(): Promise<void>;
  /** On the same port, with the same content. */
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  dispose(): Promise<void>;
}

export const startRestartableServer = async (): Promise<RestartableServer> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fds-test-postgres-'));
  const parameters = { fsync: 'off', wal_level: 'logical' };
  const open = (port?: number) =>
    openEmbeddedPostgres({ dataDir, log: createLog('silent'), parameters, ...(port === undefined ? {} : { port }) });
  let server = await open();
  const { url } = server;
  return {
    url,
    stop: () => server.close(),
    start: async () => {
      server = await open(Number(new URL(url).port));
    },
    dispose: async () => {
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** Stops the server that `startTestServer` started. */
export const stopTestServer = async (): Promise<void> => {
  await stop?.();
  stop = undefined;
};
