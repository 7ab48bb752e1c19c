import type { BigIntStats } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { formatLocation, isWithin, type Location } from '../../uris/location.js';
import type { FolderLog } from '../folder-log.js';
import { codeOf, StorageFault } from '../storage-fault.js';
import { entryAt } from './local-file.js';
import { openPlace, type Place, type PlaceOptions } from './open-folder.js';

/** The folders that the adaptor makes for its copies, and removes when they are empty. */
export interface OwnFolders {
  readonly make: PlaceOptions['missing'] & object;
  /**
   * Announces that a copy needs the folders above a target: none of them is removed until `release`, which may be called
   * twice. Resolves when no removal of one of them is under way.
   */
  use(target: Location, base: Location): Promise<{ release(): void }>;
  /**
   * Removes a folder and those above it, up to the base, as far as the adaptor made them and they are empty. A folder that
   * may not be removed stays.
   */
  prune(folder: Location, base: Location): Promise<void>;
}

const markOf = ({ ino, birthtimeNs }: BigIntStats): string => `${ino} ${birthtimeNs}`;

/** A folder was made by the adaptor before a crash if it began to exist within this time after the adaptor began. */
const makingMs = 2_000;
/** Times of files are those of the last tick of the clock. */
const tickMs = 20;

/** Codes of a folder that stays: it is not empty, in use, gone, or may not be removed. */
const stays = new Set(['ENOTEMPTY', 'EEXIST', 'EBUSY', 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS']);

/** The folder and those above it below the base, from the bottom. */
const chainOf = (folder: Location, base: Location): readonly Location[] => {
  const chain: Location[] = [];
  for (let length = folder.segments.length; length > base.segments.length; length -= 1)
    chain.push({ ...folder, segments: folder.segments.slice(0, length) });
  return chain;
};

/** @param log undefined: no folder is remembered, so none is removed */
export const createOwnFolders = (log: FolderLog | undefined): OwnFolders => {
  /** Copies that need a folder, and removals of folders, by the URI of the folder. */
  const uses = new Map<string, number>();
  const removals = new Map<string, Promise<unknown>>();
  const making = new Map<string, Promise<void>>();

  const isOwn = (uri: string, stats: BigIntStats): boolean => {
    const logged = log?.findFolder(uri);
    if (logged === undefined || !stats.isDirectory()) return false;
    if (logged.mark !== null) return logged.mark === markOf(stats);
    const sinceBegun = Number(stats.birthtimeMs) - logged.begunMs;
    return sinceBegun >= -tickMs && sinceBegun <= makingMs;
  };

  const makeNew = async (place: Place, uri: string): Promise<void> => {
    const before = log?.findFolder(uri);
    log?.makingFolder(uri, Date.now());
    try {
      await mkdir(place.folder.at(place.name));
    } catch (error) {
      // another program made it, or the adaptor made it a moment ago
      const stats = codeOf(error) === 'EEXIST' ? await entryAt(place) : undefined;
      if (stats !== undefined && before?.mark === markOf(stats)) log?.madeFolder(uri, before.mark);
      else log?.forgetFolder(uri);
      if (codeOf(error) !== 'EEXIST') throw error;
      return;
    }
    const stats = await entryAt(place);
    if (stats?.isDirectory() === true) log?.madeFolder(uri, markOf(stats));
  };

  /** Resolves with true when the folder is gone. */
  const removeOne = async (folder: Location, base: Location): Promise<boolean> => {
    const place = await openPlace(folder, base, { missing: 'LEAVE', lastLink: 'KEEP' }).catch((error: unknown) => {
      // a file took the place of a folder above it
      if (error instanceof StorageFault && error.kind === 'BLOCKED') return undefined;
      throw error;
    });
    if (place === undefined) {
      log?.forgetFolder(formatLocation(folder));
      return true;
    }
    try {
      const uri = formatLocation({ ...base, segments: [...base.segments, ...place.path] });
      const stats = await entryAt(place);
      if (stats === undefined) {
        log?.forgetFolder(uri);
        return true;
      }
      if (!isOwn(uri, stats)) {
        log?.forgetFolder(uri);
        return false;
      }
      await place.folder.check();
      const key = formatLocation(folder);
      // from here to the removal nothing else runs: a copy that begins now waits for the removal
      if (uses.has(key)) return false;
      const removal = rmdir(place.folder.at(place.name));
      removals.set(
        key,
        removal.catch(() => undefined),
      );
      try {
        await removal;
      } finally {
        removals.delete(key);
      }
      log?.forgetFolder(uri);
      return true;
    } catch (error) {
      if (stays.has(codeOf(error))) return false;
      throw error;
    } finally {
      await place.folder.close();
    }
  };

  return {
    make: async (place, uri) => {
      const running = making.get(uri);
      if (running !== undefined) return running;
      const work = makeNew(place, uri).finally(() => making.delete(uri));
      making.set(uri, work);
      return work;
    },
    use: async (target, base) => {
      const keys = chainOf(target, base)
        .slice(1)
        .map((folder) => formatLocation(folder));
      for (const key of keys) uses.set(key, (uses.get(key) ?? 0) + 1);
      await Promise.all(keys.map(async (key) => removals.get(key)));
      let isReleased = false;
      return {
        release: () => {
          if (isReleased) return;
          isReleased = true;
          for (const key of keys) {
            const count = uses.get(key) ?? 0;
            if (count > 1) uses.set(key, count - 1);
            else uses.delete(key);
          }
        },
      };
    },
    prune: async (folder, base) => {
      if (log === undefined || !isWithin(base, folder)) return;
      for (const one of chainOf(folder, base)) {
        if (!(await removeOne(one, base))) return;
      }
    },
  };
};
