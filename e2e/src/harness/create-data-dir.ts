import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Settings that influence the data of a first start, and settings of tests that read the log of a first start. */
const firstStartSettings = [
  'FDS_DATABASE_URL',
  'FDS_SECRET_KEY',
  'FDS_ADMIN_PASSWORD',
  'FDS_DGS_PASSWORD',
  'FDS_LOG_LEVEL',
  'NODE_OPTIONS',
];

/**
 * Creates the data directory of a service: a copy of the one that `prepareData` made. It is empty if there is no such
 * copy, or if a setting needs a first start.
 */
export const createDataDir = (environment: Readonly<Record<string, string>>): string => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fds-e2e-'));
  // if the user is root, the embedded database runs as another user
  chmodSync(dataDir, 0o755);
  const prepared = process.env['FDS_TEST_PREPARED_DATA'];
  const needsFirstStart = firstStartSettings.some((name) => environment[name] !== undefined);
  // `cp -a` keeps the owner of the database's files
  if (prepared !== undefined && !needsFirstStart) execFileSync('cp', ['-a', `${prepared}/.`, dataDir]);
  return dataDir;
};
