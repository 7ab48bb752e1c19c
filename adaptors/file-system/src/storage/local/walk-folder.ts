import {
  accessSync,
  constants,
  type Dirent,
  lstatSync,
  readdirSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import type { CompiledFilter } from '../../filters/filter.js';
import type { FoundFile, Unreadable } from '../storage.js';
import { codeOf } from '../storage-fault.js';
import { isTemporaryName } from '../temporary-name.js';

const canRead = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

const unusableName = (name: string): string | undefined =>
  name.includes('%')
    ? 'a name with % cannot be monitored'
    : name.includes('\uFFFD')
      ? 'a name that is not UTF-8 cannot be monitored'
      : undefined;

/** One step of a walk. */
export type Step = { readonly file: FoundFile } | { readonly unreadable: Unreadable };

/**
 * Walks the files below a folder that pass the filter. It does not follow symbolic links below the folder. It reads
 * synchronously, so call it in a separate thread.
 *
 * @throws the error of the operating system when the folder itself cannot be read
 */
export function* walkFolder(folder: string, passes: CompiledFilter | undefined): Generator<Step> {
  const root = realpathSync(folder);
  const open: string[] = [''];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const directory = path === '' ? root : `${root}/${path}`;
    let entries: readonly Dirent[];
    try {
      entries = readdirSync(directory, { withFileTypes: true });
    } catch (error) {
      if (path === '') throw error;
      // ENOENT: the folder was deleted in the meantime and has no files
      if (codeOf(error) !== 'ENOENT') yield { unreadable: { path, reason: codeOf(error) } };
      continue;
    }
    const prefix = path === '' ? '' : `${path}/`;
    for (const entry of entries) {
      const { name } = entry;
      const isFolder = entry.isDirectory();
      if (!isFolder && (!entry.isFile() || isTemporaryName(name))) continue;
      const below = prefix + name;
      const absolute = `${directory}/${name}`;
      const unusable = unusableName(name);
      if (unusable !== undefined) {
        yield { unreadable: { path: below, reason: unusable } };
        continue;
      }
      if (isFolder && passes === undefined) {
        open.push(below);
        continue;
      }
      let stats: Stats | undefined;
      try {
        stats = lstatSync(absolute, { throwIfNoEntry: false });
      } catch (error) {
        yield { unreadable: { path: below, reason: codeOf(error) } };
        continue;
      }
      if (stats === undefined) continue;
      const { mtimeMs: modifiedMs } = stats;
      const size = isFolder ? 0 : stats.size;
      const kind = isFolder ? 'FOLDER' : 'FILE';
      if (passes !== undefined && !passes({ name, kind, size, modifiedMs, canRead: () => canRead(absolute) })) continue;
      if (isFolder) open.push(below);
      else yield { file: { path: below, size, modifiedMs } };
    }
  }
}

/** The file system that holds a folder. @throws the error of the operating system */
export const deviceOf = (folder: string): string => String(statSync(folder).dev);
