import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Closable } from '@fds/service';

/** The socket address of a name. The kernel frees it when the process that holds it ends for any reason. */
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

/** Is the socket file left over from a process that was killed? */
const isAbandoned = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });

/** The process that holds a name; undefined when no process answers. */
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
 * Reserves a name on this machine for this process. At most one process has it, and a killed process loses it.
 * Containers only see each other's names if they share a network namespace.
 *
 * @returns undefined when another live process has the name
 */
export const holdName = async (name: string): Promise<Closable | undefined> => {
  const address = addressOf(name);
  const held = await listen(address);
  if (held !== undefined || !address.startsWith('/') || !(await isAbandoned(address))) return held;
  await rm(address, { force: true });
  return listen(address);
};
