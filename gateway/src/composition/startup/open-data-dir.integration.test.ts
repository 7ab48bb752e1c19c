import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDataDir } from './open-data-dir.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fds-data-dir-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('openDataDir', () => {
  it('creates the folder with its parents, and accepts an existing one', async () => {
    const dataDir = join(folder, 'a', 'b');
    expect(await openDataDir(dataDir)).toBe(dataDir);
    expect((await stat(dataDir)).isDirectory()).toBe(true);
    expect(await openDataDir(dataDir)).toBe(dataDir);
  });

  it('names the setting when the path is a file, is below a file, or is in a place that allows no folders', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const place of [file, join(file, 'below'), '/proc/fds/data'])
      await expect(openDataDir(place)).rejects.toThrow(`FDS_DATA_DIR: ${place} cannot be created or written (E`);
  });
});
