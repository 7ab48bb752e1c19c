import { join } from 'node:path';
import { applyMigrations, FolderInUse, openEmbeddedPostgres, OtherMajorVersion } from '@fds/database';
import type { Lifetime, Log } from '@fds/service';
import { nameUnusableFiles } from './name-unusable-files.js';

/**
 * Starts the embedded database in the data directory, and migrates it. The lifetime stops it.
 *
 * @returns its URL, which is a secret
 * @throws Error that names the setting when another service uses the data directory (with its process), when another
 * major version of PostgreSQL created it, or when a file in it cannot be used (with its path)
 */
export const startEmbeddedDatabase = async (dataDir: string, lifetime: Lifetime, log: Log): Promise<string> => {
  try {
    const folder = join(dataDir, 'postgres');
    const opening = nameUnusableFiles(dataDir, () => openEmbeddedPostgres({ dataDir: folder, log }));
    // an end in the meantime waits for the database, so that no process of it is left behind
    lifetime.onClose(async () => (await opening.catch(() => undefined))?.close());
    const { url } = await opening;
    await applyMigrations(url);
    return url;
  } catch (error) {
    if (error instanceof OtherMajorVersion) {
      const { found, installed } = error;
      throw new Error(
        `FDS_DATA_DIR: the database in ${dataDir} was made by PostgreSQL ${found}, and this version of the service has PostgreSQL ${installed}; docs/operations/upgrade.md says how to move it`,
        { cause: error },
      );
    }
    if (!(error instanceof FolderInUse)) throw error;
    const user = error.pid === undefined ? 'another service' : `another service, process ${error.pid},`;
    throw new Error(`FDS_DATA_DIR: ${user} uses ${dataDir}; each service needs its own folder`, { cause: error });
  }
};
