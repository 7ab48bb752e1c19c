import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '@fds/database';
import { createLog } from '@fds/service';
import type { Leftovers } from '../../harness/leftovers.js';

/**
 * Starts the PostgreSQL of a customer. It waits for the disk at each commit and writes a log for LOG. @returns its URL
 */
export const startSourceDatabase = async (leftovers: Leftovers): Promise<string> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fds-bench-source-'));
  const server = await openEmbeddedPostgres({
    dataDir,
    log: createLog('warn'),
    parameters: { wal_level: 'logical' },
  });
  leftovers.add(async () => {
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return server.url;
};
