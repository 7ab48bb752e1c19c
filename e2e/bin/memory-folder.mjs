// The folder of the databases of a test run, in memory where there is room for them: a copy of a data directory then
// costs no disk, and a commit does not wait for one.
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const gib = 2 ** 30;
/** What must be free for the databases: several are open at once, and the log of each may take a gigabyte. */
const neededBytes = 6 * gib;
/** What must be free for the processes of the tests. */
const leftBytes = 4 * gib;

const named = /^fds-test-data-(\d+)-/;

const isRunning = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const hasRoom = () => {
  const { bavail, bsize } = statfsSync(memory);
  const available = Math.min(freemem(), process.constrainedMemory?.() || Infinity);
  return bavail * bsize >= neededBytes && available >= neededBytes + leftBytes;
};

/** Returns a new folder in memory; undefined: there is no room. Removes the folders of runs that were killed. */
export const openMemoryFolder = () => {
  try {
    for (const name of readdirSync(memory)) {
      const [, pid] = named.exec(name) ?? [];
      if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(memory, name), { recursive: true, force: true });
    }
    return hasRoom() ? mkdtempSync(join(memory, `fds-test-data-${process.pid}-`)) : undefined;
  } catch {
    // no such file system, or not for this user
    return undefined;
  }
};
