import {
  accessSync,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import type { CompiledFilter } from '../../filters/filter.js';
import type { FolderIdentity, FoundFile, Unreadable } from '../storage.js';
import { codeOf } from '../storage-fault.js';
import { isTemporaryName } from '../temporary-name.js';
import { createReadFacts, isDated } from './read-facts.js';

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

/** Linux advances the times of files with the tick of its clock: at most 10 ms. The rest covers a reader that was stopped. */
const tickMs = 50;
/** Some file systems store whole seconds (NFSv2, ext3), FAT stores every second one. */
const coarseMs = 2_000;

/** Can the file change again and keep its time? Not for long, and not if its time is in the future. */
const mayKeepTime = (modifiedMs: number): boolean => {
  const ageMs = Date.now() - modifiedMs;
  return ageMs >= 0 && ageMs < (modifiedMs % 1_000 === 0 ? coarseMs : tickMs);
};

/** One step of a walk. */
type Step = { readonly file: FoundFile } | { readonly unreadable: Unreadable };

/** A folder that is monitored, held open. */
export interface WalkedFolder {
  readonly identity: FolderIdentity;
  /**
   * Walks the files that pass the filter. It does not follow symbolic links, also not one that takes the place of a
   * folder during the walk. It reads synchronously, so call it in a separate thread.
   *
   * @throws the error of the operating system when the folder itself cannot be read
   */
  walk(passes: CompiledFilter | undefined): Generator<Step>;
  close(): void;
}

/** An open folder with the folders below it that were not entered yet. */
interface Level {
  readonly descriptor: number;
  /** Path in front of the names of its entries. */
  readonly place: string;
  /** Its path when it was opened. */
  readonly path: string;
  /** Relative path with a slash at its end; empty for the folder itself. */
  readonly prefix: string;
  readonly folders: string[];
}

/** Entries whose facts are read together. */
const entriesAtOnce = 512;

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/** @throws the error of the operating system when the folder cannot be read */
export const openWalkedFolder = (folder: string): WalkedFolder => {
  const root = openSync(folder, O_RDONLY | O_DIRECTORY);
  const placeOf = (descriptor: number, path: string): string =>
    hasDescriptorPaths ? `/proc/self/fd/${descriptor}` : path;
  const levels: Level[] = [];
  const leave = (): void => {
    const level = levels.pop();
    if (level !== undefined && level.descriptor !== root) closeSync(level.descriptor);
  };

  const rootPath = hasDescriptorPaths ? readlinkSync(placeOf(root, folder)) : folder;
  const top: Level = { descriptor: root, place: placeOf(root, folder), path: rootPath, prefix: '', folders: [] };
  const readFacts = createReadFacts(top);
  const stampedDevice = isDated(rootPath) ? fstatSync(root).dev : undefined;

  const identity = (): FolderIdentity => {
    const { dev, ino } = fstatSync(root, { bigint: true });
    return { device: String(dev), inode: String(ino), path: rootPath };
  };

  /** Steps of entries of the last level. Its subfolders are put into the level. */
  function* readEntries(level: Level, entries: readonly Dirent[], passes: CompiledFilter | undefined): Generator<Step> {
    const asked: Dirent[] = [];
    for (const entry of entries) {
      const { name } = entry;
      const isFolder = entry.isDirectory();
      if (!isFolder && (!entry.isFile() || isTemporaryName(name))) continue;
      const unusable = unusableName(name);
      if (unusable !== undefined) yield { unreadable: { path: level.prefix + name, reason: unusable } };
      else if (isFolder && passes === undefined) level.folders.push(name);
      else asked.push(entry);
    }
    const facts = readFacts(
      levels,
      asked.map(({ name }) => name),
    );
    for (const [index, entry] of asked.entries()) {
      const { name } = entry;
      const isFolder = entry.isDirectory();
      const path = level.prefix + name;
      const stats = facts[index];
      if (stats !== undefined && 'failed' in stats) {
        yield { unreadable: { path, reason: stats.failed } };
        continue;
      }
      // it was deleted, or replaced by a link, in the meantime
      if (stats === undefined || !(isFolder ? stats.isDirectory() : stats.isFile())) continue;
      const { mtimeMs: modifiedMs } = stats;
      const size = isFolder ? 0 : stats.size;
      const kind = isFolder ? 'FOLDER' : 'FILE';
      const mayRead = (): boolean => canRead(`${level.place}/${name}`);
      if (passes !== undefined && !passes({ name, kind, size, modifiedMs, canRead: mayRead })) continue;
      if (isFolder) level.folders.push(name);
      else if (Number.isSafeInteger(size))
        yield {
          file: {
            path,
            size,
            modifiedMs,
            mayKeepTime: mayKeepTime(modifiedMs),
            stamp: stats.dev === stampedDevice ? stats.ctimeMs : undefined,
          },
        };
      else yield { unreadable: { path, reason: 'a file of 2^53 bytes or more cannot be monitored' } };
    }
  }

  function* readLevel(level: Level, passes: CompiledFilter | undefined): Generator<Step> {
    const entries: readonly Dirent[] = readdirSync(level.place, { withFileTypes: true });
    for (let at = 0; at < entries.length; at += entriesAtOnce)
      yield* readEntries(level, entries.slice(at, at + entriesAtOnce), passes);
  }

  function* walk(passes: CompiledFilter | undefined): Generator<Step> {
    levels.push(top);
    yield* readLevel(top, passes);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const name = level.folders.pop();
      if (name === undefined) {
        leave();
        continue;
      }
      const below = level.prefix + name;
      try {
        const [place, path] = [`${level.place}/${name}`, `${level.path}/${name}`];
        const descriptor = openSync(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        const next: Level = { descriptor, place: placeOf(descriptor, place), path, prefix: `${below}/`, folders: [] };
        levels.push(next);
        yield* readLevel(next, passes);
      } catch (error) {
        // ENOENT: the folder was deleted in the meantime; ENOTDIR, ELOOP: a link replaced it. It has no files then
        if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error)))
          yield { unreadable: { path: below, reason: codeOf(error) } };
      }
    }
  }

  return {
    identity: identity(),
    walk,
    close: () => {
      while (levels.length > 0) leave();
      closeSync(root);
    },
  };
};
