import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Closable } from '@fds/service';

/** The address that holds a name: the kernel frees it when the holder ends, however it ends. */
const addressOf = (name: string): string => {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  if (process.platform === 'linux') return `\0fds-${digest}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\fds-${digest}`;
  return join('/tmp', `fds-${digest}.sock`);
};

const listen = (address: string): Promise<Closable | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(String(process.pid));
    });
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => {
      server.unref();
      resolve({ close: () => new Promise<void>((done) => void server.close(() => done())) });
    });
  });

/** Whether a socket file is left over from a holder that was killed. */
const isAbandoned = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });

/** The process that holds a name; undefined when none answers. */
export const loadHolder = async (name: string): Promise<number | undefined> => {
  const socket = connect(addressOf(name));
  try {
    const pid = Number(await text(socket));
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
};

/**
 * Holds a name of this machine for this process: at most one process holds it, and a killed holder holds nothing. Among
 * containers only those that share a network namespace see each other.
 *
 * @returns undefined when another holder is alive
 */
export const holdName = async (name: string): Promise<Closable | undefined> => {
  const address = addressOf(name);
  const held = await listen(address);
  if (held !== undefined || !address.startsWith('/') || !(await isAbandoned(address))) return held;
  await rm(address, { force: true });
  return listen(address);
};
