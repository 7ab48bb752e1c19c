import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { binariesPackage, requireBinaries } from './postgres-binaries.js';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;
const why = isRoot ? '' : ' (skipped: only root can run programs as another user)';
const nobody = { uid: 65_534, gid: 65_534 };

let folder: string;
/** The package after an npm install without install scripts, in a folder that only its owner may enter. */
let source: string;
let copies: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fds-binaries-'));
  await chmod(folder, 0o755);
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o700 });
  source = join(home, 'package');
  copies = join(folder, 'copies');
  await mkdir(copies, { mode: 0o755 });
  await cp(binariesPackage(), source, { recursive: true, verbatimSymlinks: true });
  const libraries = join(source, 'native', 'lib');
  for (const entry of await readdir(libraries, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(libraries, entry.name));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('requireBinaries', () => {
  asRoot(`copies the programs once to a folder that the account may enter${why}`, async () => {
    const [{ postgres }, again] = await Promise.all([
      requireBinaries(nobody, { source, copies: [join(folder, 'missing', 'x'), copies] }),
      requireBinaries(nobody, { source, copies: [copies] }),
    ]);
    expect(dirname(dirname(dirname(again.postgres)))).toBe(copies);
    const { stdout } = await run(postgres, ['--version'], { ...nobody, cwd: '/' });
    expect(stdout).toMatch(/^postgres \(PostgreSQL\)/);
    expect(await readdir(copies)).toHaveLength(1);
  });

  asRoot(`does not trust a folder that others may write to${why}`, async () => {
    const [name] = await readdir(copies);
    const folderOfCopy = join(copies, name ?? '');
    await chmod(folderOfCopy, 0o777);
    await expect(requireBinaries(nobody, { source, copies: [copies] })).rejects.toThrow('cannot be run');
    expect((await stat(folderOfCopy)).mode & 0o777).toBe(0o777);
  });

  it('creates the links that a blocked install script did not create', async () => {
    const { postgres } = await requireBinaries(undefined, { source, copies: [] });
    expect(postgres.startsWith(source)).toBe(true);
  });
});
