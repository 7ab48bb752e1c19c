import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const mebibytes = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;

/** Resident memory of a process in MiB (Linux). */
export const residentMib = (pid: number): number => mebibytes(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS');

const parentOf = (pid: string): number | undefined => {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // the process ended in the meantime
    return undefined;
  }
};

/** Memory of the PostgreSQL of a data directory in MiB. Memory that its processes share counts once (Linux). */
export const postgresMib = (dataDir: string): number => {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
  const backends = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === postmaster);
  return [String(postmaster), ...backends]
    .map((pid) => mebibytes(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss'))
    .reduce((sum, mib) => sum + mib, 0);
};
