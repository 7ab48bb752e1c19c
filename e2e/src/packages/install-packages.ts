import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Leftovers } from '../harness/leftovers.js';
import { root } from '../harness/spawned.js';

const run = promisify(execFile);

const npmSettings = ['--prefer-offline', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

/** An empty folder of a customer with the installed packages, as `npm pack` makes them. */
export interface InstalledPackages {
  readonly folder: string;
  /** Path of an installed file. */
  path(...parts: string[]): string;
  /** Node 20.19, the oldest that packages run on; the Node of this process where npm has none for this machine. */
  readonly oldestNode: string;
}

/** The reason why packages cannot be installed here; undefined: they can. */
export const whyNotInstallable = async (): Promise<string | undefined> => {
  try {
    await run('npm', ['view', 'dot-properties', 'version', '--prefer-offline'], { timeout: 15_000 });
    return undefined;
  } catch {
    return 'skipped: the npm registry cannot be reached';
  }
};

const typesOfNode = (): string => {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@types/node/package.json'), 'utf8')) as {
    readonly version: string;
  };
  return `@types/node@${version}`;
};

/** Packages that a customer installs, with their folders below `adaptors/`. */
export const packedPackages = {
  'adaptor-sdk': 'sdk',
  'database-adaptor': 'database',
  'file-system-adaptor': 'file-system',
  'temporal-adaptor': 'temporal',
} as const;

/**
 * Copies the parts of the built checkout that packing needs, because `npm pack` replaces files of the folder that it
 * packs.
 */
const copyCheckout = (target: string): void => {
  mkdirSync(target);
  for (const name of ['package.json', 'LICENSE']) copyFileSync(join(root, name), join(target, name));
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'));
  const isPacked = (path: string): boolean => !['src', 'node_modules', '.unpacked'].includes(basename(path));
  cpSync(join(root, 'docs'), join(target, 'docs'), { recursive: true });
  cpSync(join(root, 'adaptors'), join(target, 'adaptors'), { recursive: true, filter: isPacked });
  for (const name of readdirSync(join(root, 'adaptors'))) {
    const modules = join(root, 'adaptors', name, 'node_modules');
    if (existsSync(modules)) symlinkSync(modules, join(target, 'adaptors', name, 'node_modules'));
  }
};

/** The package with the binary of Node 20.19; undefined where npm has none. */
const oldestNodePackage = process.platform === 'linux' ? `node-linux-${process.arch}` : undefined;

/**
 * Installs Node 20.19 in a folder.
 * @returns its binary; the Node of this process where npm has none for this machine
 */
export const installOldestNode = async (folder: string): Promise<string> => {
  if (oldestNodePackage === undefined) return process.execPath;
  await run('npm', ['install', ...npmSettings, '--prefix', folder, `${oldestNodePackage}@20.19.0`]);
  return join(folder, 'node_modules', oldestNodePackage, 'bin', 'node');
};

/** Packs the SDK and the adaptors by `npm pack` in their folders, and installs them in an empty folder. */
export const installPackages = async (leftovers: Leftovers): Promise<InstalledPackages> => {
  const base = mkdtempSync(join(tmpdir(), 'fds-packages-'));
  leftovers.add(() => rmSync(base, { recursive: true, force: true }));
  const [tarballs, folder] = [join(base, 'tarballs'), join(base, 'customer')];
  for (const made of [tarballs, folder]) mkdirSync(made);
  const packing = Object.values(packedPackages).map(async (name) => {
    // one copy for each package, because packing the SDK removes files that the others need
    const checkout = join(base, `checkout-${name}`);
    copyCheckout(checkout);
    await run('npm', ['pack', '--loglevel=error', '--pack-destination', tarballs], {
      cwd: join(checkout, 'adaptors', name),
      env: { ...process.env, NODE_OPTIONS: '' },
    });
  });
  await Promise.all(packing);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  await run('npm', ['install', ...npmSettings, ...files, typesOfNode()], { cwd: folder });
  const oldestNode = await installOldestNode(folder);
  return { folder, path: (...parts) => join(folder, ...parts), oldestNode };
};
