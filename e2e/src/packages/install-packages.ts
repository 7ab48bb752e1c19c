import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Leftovers } from '../harness/leftovers.js';
import { root } from '../harness/spawned.js';

const run = promisify(execFile);

const npmSettings = ['--prefer-offline', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

/** An empty folder of a customer in which the packages are installed, as `npm pack` makes them. */
export interface InstalledPackages {
  readonly folder: string;
  /** Path of an installed file. */
  path(...parts: string[]): string;
}

/** Why packages cannot be installed here; undefined: they can. */
export const whyNotInstallable = async (): Promise<string | undefined> => {
  try {
    await run('npm', ['view', 'dot-properties', 'version', '--prefer-offline'], { timeout: 15_000 });
    return undefined;
  } catch {
    return 'left out: the npm registry cannot be reached';
  }
};

const typesOfNode = (): string => {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@types/node/package.json'), 'utf8')) as {
    readonly version: string;
  };
  return `@types/node@${version}`;
};

/** Packs the SDK and the adaptors, and installs them in an empty folder. */
export const installPackages = async (leftovers: Leftovers): Promise<InstalledPackages> => {
  const base = mkdtempSync(join(tmpdir(), 'fds-packages-'));
  leftovers.add(() => rmSync(base, { recursive: true, force: true }));
  const [tarballs, folder] = [join(base, 'tarballs'), join(base, 'customer')];
  const script = join(root, 'adaptors/packaging/bin/pack-adaptors.mjs');
  await run(process.execPath, [script, '--as-built', '--out', tarballs], { env: { ...process.env, NODE_OPTIONS: '' } });
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  await run('npm', ['install', ...npmSettings, ...files, typesOfNode()], { cwd: folder });
  return { folder, path: (...parts) => join(folder, ...parts) };
};
