import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { giveTo, type ClusterFolder } from './cluster-folder.js';
import type { DatabaseAccount } from './database-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/**
 * Path of the folder as an argument for PostgreSQL. Under another account, PostgreSQL starts inside the folder and gets
 * the path `/proc/self/cwd`: the kernel resolves it without walking the path, so the parent folders may be closed to
 * the account. PostgreSQL changes into its data directory and stays there, so the path is valid for every process of
 * the server.
 */
export const dataDirectoryArgument = (cluster: string, account: DatabaseAccount | undefined): string =>
  account !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : cluster;

/** PostgreSQL does not inherit the environment of the service. */
export const postgresEnvironment = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' });

const initialise = async (
  draft: string,
  folder: ClusterFolder,
  { initdb }: PostgresBinaries,
  account: DatabaseAccount | undefined,
): Promise<void> => {
  const password = await open(folder.passwordFile, 'r');
  try {
    // the password is passed as an open file, because its path may also be closed to the account
    const passwordArgument =
      account !== undefined && process.platform === 'linux' ? '/proc/self/fd/0' : folder.passwordFile;
    const child = spawn(
      initdb,
      [
        `--pgdata=${dataDirectoryArgument(draft, account)}`,
        `--pwfile=${passwordArgument}`,
        '--username=postgres',
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
      ],
      { cwd: draft, ...account, env: postgresEnvironment(), stdio: [password.fd, 'ignore', 'pipe'] },
    );
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [complaint, code] = await Promise.all([child.stderr === null ? '' : text(child.stderr), ended]);
    if (code !== 0) throw new Error(`initdb failed (${code ?? 'killed'}): ${complaint.trim()}`);
  } finally {
    await password.close();
  }
};

/**
 * Creates the cluster in a temporary folder and moves it into place, so that an incomplete cluster is never started.
 */
export const createCluster = async (
  folder: ClusterFolder,
  binaries: PostgresBinaries,
  account: DatabaseAccount | undefined,
): Promise<void> => {
  const leftovers = (await readdir(folder.root)).filter((name) => name.startsWith('cluster.new-'));
  const removal = { recursive: true, force: true, maxRetries: 3 };
  for (const name of leftovers) await rm(join(folder.root, name), removal).catch(() => undefined);

  const draft = `${folder.cluster}.new-${randomUUID()}`;
  await mkdir(draft);
  await giveTo(draft, account, 0o700);
  await giveTo(folder.passwordFile, account, 0o600);
  try {
    await initialise(draft, folder, binaries, account);
    await rename(draft, folder.cluster);
  } catch (error) {
    await rm(draft, removal);
    throw error;
  }
};
