import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLifetime, createLog } from '@fds/service';
import { expect, it } from '@jest/globals';
import { startEmbeddedDatabase } from './start-embedded-database.js';

it('the embedded database names the setting and the path in the data directory that cannot be used', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fds-refused-'));
  const lifetime = createLifetime();
  try {
    writeFileSync(join(dataDir, 'postgres'), '');
    await expect(startEmbeddedDatabase(dataDir, lifetime, createLog('silent'))).rejects.toThrow(
      `FDS_DATA_DIR: ${join(dataDir, 'postgres')}`,
    );
  } finally {
    await lifetime.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

it('the embedded database names the file of its password when it cannot be read', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fds-refused-'));
  const passwordFile = join(dataDir, 'postgres', 'password');
  const lifetime = createLifetime();
  try {
    mkdirSync(join(dataDir, 'postgres'));
    symlinkSync(passwordFile, passwordFile);
    await expect(startEmbeddedDatabase(dataDir, lifetime, createLog('silent'))).rejects.toThrow(
      `FDS_DATA_DIR: ${passwordFile} cannot be read or written (ELOOP)`,
    );
  } finally {
    await lifetime.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
