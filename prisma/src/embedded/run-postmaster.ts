import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterFolder } from './cluster-folder.js';
import { dataDirectoryArgument, postgresEnvironment } from './create-cluster.js';
import type { DatabaseAccount } from './database-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { isAlive, loadPostmaster, type Postmaster } from './postmaster-file.js';

const logTail = async (file: string): Promise<string> => (await readFile(file, 'utf8')).slice(-2_000).trim();

export interface PostmasterOptions {
  readonly folder: ClusterFolder;
  readonly binaries: PostgresBinaries;
  readonly account: DatabaseAccount | undefined;
  readonly port: number;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Starts a server and waits until it has its folder and port. The server has its own process group, so that Ctrl-C
 * reaches it only through the service. It only listens on the loopback address.
 *
 * @throws Error with the end of its log when the start fails
 */
export const startPostmaster = async (options: PostmasterOptions): Promise<Postmaster> => {
  const { folder, binaries, account, port, parameters } = options;
  const settings = { unix_socket_directories: '', listen_addresses: '127.0.0.1', ...parameters };
  const log = await open(folder.logFile, 'w', 0o600);
  try {
    const child = spawn(
      binaries.postgres,
      [
        '-D',
        dataDirectoryArgument(folder.cluster, account),
        '-p',
        String(port),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      {
        cwd: folder.cluster,
        ...account,
        detached: true,
        env: postgresEnvironment(),
        stdio: ['ignore', 'ignore', log.fd],
      },
    );
    child.unref();
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    child.once('exit', (code, signal) => (failure = new Error(`PostgreSQL ended (${code ?? signal})`)));
    for (;;) {
      if (failure !== undefined) throw new Error(`${failure.message}: ${await logTail(folder.logFile)}`);
      const postmaster = await loadPostmaster(folder.cluster);
      if (postmaster !== undefined && postmaster.pid === child.pid) return postmaster;
      await delay(10);
    }
  } finally {
    await log.close();
  }
};

const waitForEnd = async (pid: number, timeoutMs: number): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
};

/**
 * Stops a server by a fast shutdown, and after 20 seconds by an immediate shutdown, from which the next start recovers.
 */
export const stopPostmaster = async (cluster: string): Promise<void> => {
  const postmaster = await loadPostmaster(cluster);
  if (postmaster === undefined) return;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(postmaster.pid, signal);
    } catch {
      return;
    }
    if (await waitForEnd(postmaster.pid, 20_000)) return;
  }
};
