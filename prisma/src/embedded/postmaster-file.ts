import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The content of `postmaster.pid` of a running server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** Is the process alive? It may belong to another user. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * The server that uses the cluster. Lines 1 and 4 of its lock file are the process id and the port.
 *
 * @returns undefined when the lock file does not exist, the server is still writing it, or the server is dead
 */
export const loadPostmaster = async (cluster: string): Promise<Postmaster | undefined> => {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!(pid > 1 && port > 0) || !isAlive(pid)) return undefined;
  return { pid, port };
};
