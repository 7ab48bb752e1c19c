import { lstat, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { formatLocation, isWithin, type Location } from '../../uris/location.js';
import { codeOf, StorageFault, toStorageFault } from '../storage-fault.js';

export const pathOf = ({ segments }: Location): string => `/${segments.join('/')}`;

const isBelow = (base: string, path: string): boolean =>
  path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`);

/** The real path of a base folder. @throws StorageFault AWAY when it does not exist: its mount may be missing */
const realBase = async (base: Location): Promise<string> => {
  try {
    return await realpath(pathOf(base));
  } catch (error) {
    throw new StorageFault('AWAY', `the folder ${formatLocation(base)} cannot be reached: ${codeOf(error)}`, {
      cause: error,
    });
  }
};

const leavesBase = (target: Location, base: Location): StorageFault =>
  new StorageFault('UNFIT', `${formatLocation(target)} leads out of ${formatLocation(base)} by a symbolic link`);

/** The real path of the next folder. Undefined when it does not exist. */
const enter = async (folder: string, name: string): Promise<string | undefined> => {
  const next = join(folder, name);
  try {
    const stats = await lstat(next);
    return stats.isSymbolicLink() ? await realpath(next) : next;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * The real path of a file below a base. Symbolic links of its folders are resolved step by step.
 *
 * @param missing says what to do about folders that do not exist
 * @returns undefined when a folder is missing and is not created
 * @throws StorageFault UNFIT when the path leads out of the base
 */
export const realPlace = async (
  target: Location,
  base: Location,
  missing: 'MAKE' | 'LEAVE',
): Promise<{ readonly folder: string; readonly name: string } | undefined> => {
  const root = await realBase(base);
  const below = target.segments.slice(base.segments.length);
  const name = below.at(-1);
  if (name === undefined || !isWithin(base, target)) {
    throw new StorageFault('UNFIT', `${formatLocation(target)} is not below ${formatLocation(base)}`);
  }
  let folder = root;
  try {
    for (const segment of below.slice(0, -1)) {
      let next = await enter(folder, segment);
      if (next === undefined) {
        if (missing === 'LEAVE') return undefined;
        await mkdir(join(folder, segment)).catch((error: unknown) => {
          if (codeOf(error) !== 'EEXIST') throw error;
        });
        next = await enter(folder, segment);
      }
      if (next === undefined) throw new StorageFault('AWAY', `${join(folder, segment)} cannot be created`);
      if (!isBelow(root, next)) throw leavesBase(target, base);
      folder = next;
    }
  } catch (error) {
    throw toStorageFault(error, formatLocation(target));
  }
  return { folder, name };
};

/**
 * The real path of a file that may be read. With symbolic links resolved, it must be in one of the folders.
 *
 * @throws StorageFault GONE, UNFIT, or AWAY when none of the folders exists
 */
export const realFile = async (file: Location, within: readonly Location[]): Promise<string> => {
  const roots = await Promise.all(within.filter((base) => isWithin(base, file)).map(realBase));
  let real: string;
  try {
    real = await realpath(pathOf(file));
  } catch (error) {
    throw toStorageFault(error, formatLocation(file));
  }
  if (!roots.some((root) => isBelow(root, real))) {
    throw new StorageFault('UNFIT', `${formatLocation(file)} leads out of the folders that may be read`);
  }
  return real;
};
