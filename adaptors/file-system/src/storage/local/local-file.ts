import { type BigIntStats, constants, createReadStream } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { formatLocation, isWithin, type Location } from '../../uris/location.js';
import type { Entry, FileFacts, OpenedFile } from '../storage.js';
import { codeOf, StorageFault, toStorageFault } from '../storage-fault.js';
import { openPlace, type Place } from './open-folder.js';
import { hasSignedTime } from './signed-time.js';

/** An opened local file. The operating system can copy it. */
export interface OpenedLocalFile extends OpenedFile {
  readonly handle: FileHandle;
  /** Path of the open file, whatever its name leads to by now. Undefined where the system has none. */
  readonly path: string | undefined;
  /** Permission bits, without setuid, setgid and the sticky bit. */
  readonly mode: number;
  /** Has it one of these three? */
  readonly isSpecial: boolean;
  /** Converts a failure to read. */
  readonly reading: <T>(work: Promise<T>) => Promise<T>;
}

export const isLocal = (file: OpenedFile): file is OpenedLocalFile => 'handle' in file;

const nanosPerSecond = 1_000_000_000n;

/** Milliseconds with the fraction that `Stats.mtimeMs` has, which the scan uses. */
const toMs = (nanos: bigint): number => {
  const fraction = ((nanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return Number((nanos - fraction) / 1_000_000n) + Number(fraction) / 1_000_000;
};

export const entryOf = (stats: BigIntStats): Entry => ({
  size: Number(stats.size),
  modifiedMs: toMs(stats.mtimeNs),
  // a writing sets the time of change, and so does a move over another file
  stamp: toMs(stats.ctimeNs),
  isFile: stats.isFile(),
  isFolder: stats.isDirectory(),
  mark: `${stats.ino} ${stats.size} ${stats.mtimeNs}`,
  isSigned: stats.isFile() && hasSignedTime(stats),
});

/** The entry in an open folder. A symbolic link is not followed. */
export const entryAt = async ({ folder, name }: Place): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(folder.at(name), { bigint: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

// a pipe must not block the thread that opens it
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const openIn = async (place: Place, uri: string, resource: string): Promise<OpenedLocalFile> => {
  const handle = await open(place.folder.at(place.name), readFlags);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new StorageFault('GONE', `${uri} is not a file`);
    await place.folder.check();
    const { size, modifiedMs, stamp, mark } = entryOf(stats);
    const facts: FileFacts = { size, modifiedMs, stamp };
    return {
      facts,
      handle,
      path: place.folder.opened(handle),
      mode: Number(stats.mode) & 0o777,
      isSpecial: (Number(stats.mode) & 0o7000) !== 0,
      content: () => createReadStream('', { fd: handle, autoClose: false, start: 0, highWaterMark: 1024 * 1024 }),
      // a program may set the former modification time after it has written, but not this one
      isUnchanged: async () => {
        const now = await handle.stat({ bigint: true });
        return entryOf(now).mark === mark && now.ctimeNs === stats.ctimeNs;
      },
      reading: (work) =>
        work.catch((error: unknown) => {
          throw toStorageFault(error, uri, resource);
        }),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Opens a file in the widest of the folders that contain its URI. @throws StorageFault */
export const openLocalFile = async (file: Location, within: readonly Location[]): Promise<OpenedLocalFile> => {
  const uri = formatLocation(file);
  const [base] = within
    .filter((one) => isWithin(one, file))
    .toSorted((one, other) => one.segments.length - other.segments.length);
  if (base === undefined) throw new StorageFault('UNFIT', `${uri} is in none of the folders that may be read`);
  const openWith = async (lastLink: 'KEEP' | 'FOLLOW'): Promise<OpenedLocalFile> => {
    const place = await openPlace(file, base, { missing: 'LEAVE', lastLink });
    if (place === undefined) throw new StorageFault('GONE', `${uri}: its folder does not exist`);
    try {
      return await openIn(place, uri, formatLocation(base));
    } finally {
      await place.folder.close();
    }
  };
  try {
    return await openWith('KEEP').catch((error: unknown) => {
      if (['ELOOP', 'EMLINK'].includes(codeOf(error))) return openWith('FOLLOW');
      throw error;
    });
  } catch (error) {
    const fault = toStorageFault(error, uri, formatLocation(base));
    // a part of the path is a file now, so this file is gone
    throw fault.kind === 'BLOCKED' ? new StorageFault('GONE', fault.message, { cause: error }) : fault;
  }
};
