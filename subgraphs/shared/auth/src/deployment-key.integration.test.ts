import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { loadDeploymentKey } from './deployment-key.js';

let dataDir: string;

beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'fds-key-')), 'data');
});

afterEach(() => rm(join(dataDir, '..'), { recursive: true, force: true }));

it('is generated once into a file that only its owner may read', async () => {
  const key = await loadDeploymentKey({ dataDir });
  expect(key).toHaveLength(32);
  expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
  expect((await loadDeploymentKey({ dataDir })).equals(key)).toBe(true);
  expect(await readdir(dataDir)).toEqual(['secret.key']);
});

it('is the same for all that start at once', async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, () => loadDeploymentKey({ dataDir })));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
});

it('is the setting when there is one, and leaves the data directory alone', async () => {
  const key = Buffer.alloc(32, 5);
  expect((await loadDeploymentKey({ dataDir, secretKey: key.toString('base64') })).equals(key)).toBe(true);
  await expect(readdir(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('is refused when setting or file is not a key; the message has the name and not the value', async () => {
  await expect(loadDeploymentKey({ dataDir, secretKey: 'c2hvcnQ=' })).rejects.toThrow(/^FDS_SECRET_KEY (?!.*c2hvcnQ)/);
  await loadDeploymentKey({ dataDir });
  await writeFile(join(dataDir, 'secret.key'), 'broken');
  await expect(loadDeploymentKey({ dataDir })).rejects.toThrow(/secret\.key/);
});
