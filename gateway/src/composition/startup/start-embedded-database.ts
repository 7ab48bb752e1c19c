import { join } from 'node:path';
import { applyMigrations, FolderInUse, openEmbeddedPostgres } from '@fds/database';
import type { Lifetime, Log } from '@fds/service';

/**
 * Starts the embedded database in the data directory, and migrates it. The lifetime ends it.
 *
 * @returns its URL, a secret
 * @throws Error that names the setting and the process when another service uses the data directory
 */
export const startEmbeddedDatabase = async (dataDir: string, lifetime: Lifetime, log: Log): Promise<string> => {
  try {
    const { url } = lifetime.own(await openEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log }));
    await applyMigrations(url);
    return url;
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const user = error.pid === undefined ? 'another service' : `another service, process ${error.pid},`;
    throw new Error(`FDS_DATA_DIR: ${user} uses ${dataDir}; each service needs its own folder`, { cause: error });
  }
};
