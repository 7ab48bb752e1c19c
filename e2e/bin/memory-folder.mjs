// The folder for temporary files of a test run, in memory where there is room for them: a copy of a data directory, an
// installed package and a commit then wait for no disk.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const gib = 2 ** 30;
/** Several databases are open at once, and the log of each may take a gigabyte. */
const neededBytes = 6 * gib;
/** Memory for the processes of the tests. */
const leftBytes = 4 * gib;

const named = /^fds-test-(\d+)-/;

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

/** Tests install programs, which some systems do not start from there. @throws Error when a program cannot be started */
const startProgramIn = (folder) => {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  execFileSync(program);
  rmSync(program);
};

/** Returns a new folder in memory; undefined: it cannot be used. Removes the folders of runs that were killed. */
export const openMemoryFolder = () => {
  let folder;
  try {
    for (const name of readdirSync(memory)) {
      const [, pid] = named.exec(name) ?? [];
      if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(memory, name), { recursive: true, force: true });
    }
    if (!hasRoom()) return undefined;
    folder = mkdtempSync(join(memory, `fds-test-${process.pid}-`));
    startProgramIn(folder);
    return folder;
  } catch {
    // no such file system, or not for this user, or not for programs
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
};
