import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Closable, Log } from '@fds/service';
import type { ClusterFolder } from './cluster-folder.js';

/**
 * Waits until its input ends, which happens when the owner ends for any reason. Then it gives the next process time to
 * adopt the server, and stops the server if no process did (SIGINT: fast shutdown).
 */
const script = `
cat > /dev/null
sleep "$FDS_GRACE"
[ "$(cat "$FDS_OWNER_FILE")" = "$FDS_OWNER" ] && kill -INT "$(head -n 1 "$FDS_POSTMASTER_FILE")"
`;

/**
 * Records this process as the owner of the folder, and starts a shell that stops the folder's server some time after
 * the owner was killed. The server cannot do this itself, because it does not know its owner.
 */
export const watchOwner = async (folder: ClusterFolder, graceSeconds: number, log: Log): Promise<Closable> => {
  await writeFile(folder.ownerFile, String(process.pid), { mode: 0o600 });
  if (process.platform === 'win32') return { close: () => Promise.resolve() };
  const child = spawn('/bin/sh', ['-c', script], {
    // so that Ctrl-C in a terminal only reaches the service
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {
      PATH: process.env['PATH'],
      FDS_GRACE: String(graceSeconds),
      FDS_OWNER: String(process.pid),
      FDS_OWNER_FILE: folder.ownerFile,
      FDS_POSTMASTER_FILE: join(folder.cluster, 'postmaster.pid'),
    },
  });
  const ended = once(child, 'exit').catch((error: unknown) => {
    log.warn({ err: error }, 'no shell watches the service: if the service is killed, PostgreSQL continues to run');
  });
  child.stdin.on('error', () => undefined);
  child.unref();
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return {
    close: async () => {
      // keeps this process alive until the shell has ended
      child.ref();
      // kills the whole group, because the shell waits for a program that it has started
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
};
