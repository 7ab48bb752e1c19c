import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Leftovers } from './leftovers.js';

const programs = { mount: '/bin/mount', umount: '/bin/umount' } as const;

/** Why a test cannot fill a disk here; undefined: it can. */
export const smallFolderMissing = process.getuid?.() === 0 ? undefined : 'only root may mount a small disk';

/** A folder whose disk a test can fill. */
export interface SmallFolder {
  readonly folder: string;
  /** Writes as many bytes as fit. Undefined: the folder is an ordinary one (`smallFolderMissing`). @returns frees them */
  readonly fill: (() => () => void) | undefined;
}

/** @param owner user id of the owner. Default: the present user */
export const openSmallFolder = (
  leftovers: Leftovers,
  prefix: string,
  megabytes: number,
  owner?: number,
): SmallFolder => {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  if (smallFolderMissing !== undefined) return { folder, fill: undefined };
  execFileSync(programs.mount, ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  leftovers.add(() => void execFileSync(programs.umount, ['-l', folder]));
  if (owner !== undefined) chownSync(folder, owner, owner);
  const file = join(folder, 'fill');
  return {
    folder,
    fill: () => {
      for (let size = megabytes * 2 ** 20; size >= 512; size /= 2) {
        try {
          writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // the rest is smaller
        }
      }
      return () => rmSync(file, { force: true });
    },
  };
};
