import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, chown, link, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The content of a data directory. */
export interface ClusterFolder {
  /**
   * Absolute path without symbolic links, so that it is the same for every process, regardless of the path that the
   * process uses.
   */
  readonly root: string;
  /** PostgreSQL's own files. */
  readonly cluster: string;
  readonly passwordFile: string;
  readonly portFile: string;
  readonly logFile: string;
  /** File with the id of the process that uses the folder or used it last. */
  readonly ownerFile: string;
}

export const openClusterFolder = async (dataDir: string): Promise<ClusterFolder> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const root = await realpath(dataDir);
  return {
    root,
    cluster: join(root, 'cluster'),
    passwordFile: join(root, 'password'),
    portFile: join(root, 'port'),
    logFile: join(root, 'postgresql.log'),
    ownerFile: join(root, 'owner'),
  };
};

/** Text of the file; undefined when the file is missing. */
const loadText = async (file: string): Promise<string | undefined> => {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** The superuser's password. It is created on first use, and only its owner can read the file. */
export const requirePassword = async ({ passwordFile }: ClusterFolder): Promise<string> => {
  const known = await loadText(passwordFile);
  if (known !== undefined && known !== '') return known;
  const draft = `${passwordFile}.${randomUUID()}`;
  await writeFile(draft, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
  try {
    // the file appears with its complete content or not at all, and never replaces a file that is in use
    await link(draft, passwordFile);
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(passwordFile, 'utf8');
};

/** The password of a server that another process created. */
export const loadPassword = ({ passwordFile }: ClusterFolder): Promise<string | undefined> => loadText(passwordFile);

const listenOn = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });

/** The last used port if it is free, otherwise any free port. */
export const choosePort = async ({ portFile }: ClusterFolder, wanted: number | undefined): Promise<number> => {
  const remembered = wanted ?? Number((await loadText(portFile)) ?? 0);
  const last = remembered > 0 && remembered < 65_536 ? await listenOn(remembered) : undefined;
  const port = last ?? (wanted === undefined ? await listenOn(0) : undefined);
  if (port === undefined) throw new Error(wanted === undefined ? 'no port is free' : `port ${wanted} is in use`);
  return port;
};

export const rememberPort = ({ portFile }: ClusterFolder, port: number): Promise<void> =>
  writeFile(portFile, String(port), { mode: 0o600 });

/** Major version of the PostgreSQL that created the cluster; undefined: its creation was not completed. */
export const loadClusterVersion = ({ cluster }: ClusterFolder): Promise<string | undefined> =>
  loadText(join(cluster, 'PG_VERSION'));

/** Makes the account of PostgreSQL the owner of a file or folder, and denies access to others. */
export const giveTo = async (
  path: string,
  account: { readonly uid: number; readonly gid: number } | undefined,
  mode: number,
): Promise<void> => {
  await chmod(path, mode);
  if (account !== undefined) await chown(path, account.uid, account.gid);
};
