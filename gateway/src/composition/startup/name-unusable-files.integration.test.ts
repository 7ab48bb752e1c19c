import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDeploymentKey } from '@fds/auth';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nameUnusableFiles } from './name-unusable-files.js';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'fds-unusable-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

// a link to itself: no user can read it, root included
const makeUnreadable = (path: string): void => symlinkSync(path, path);

describe('nameUnusableFiles', () => {
  it('names the setting and a key file that cannot be read', async () => {
    const path = join(dataDir, 'secret.key');
    makeUnreadable(path);
    await expect(nameUnusableFiles(dataDir, () => loadDeploymentKey({ dataDir }))).rejects.toThrow(
      `FDS_DATA_DIR: ${path} cannot be read or written (ELOOP)`,
    );
  });

  it('names a folder that has the place of the key file', async () => {
    const path = join(dataDir, 'secret.key');
    mkdirSync(path);
    await expect(nameUnusableFiles(dataDir, () => loadDeploymentKey({ dataDir }))).rejects.toThrow(
      `FDS_DATA_DIR: ${path} cannot be read or written (EISDIR)`,
    );
  });

  it('changes neither a result nor an error of another place', async () => {
    expect(await nameUnusableFiles(dataDir, () => Promise.resolve(5))).toBe(5);
    const other = Object.assign(new Error('other'), { code: 'EACCES', path: '/elsewhere' });
    await expect(nameUnusableFiles(dataDir, () => Promise.reject(other))).rejects.toBe(other);
  });
});
