import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, lstat, open, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { formatLocation, type Location } from '../../uris/location.js';
import { checkedContent } from '../checked-content.js';
import type { FileFacts, OpenedFile, PendingFile, Storage } from '../storage.js';
import { codeOf, StorageFault, toStorageFault } from '../storage-fault.js';
import { temporaryName } from '../temporary-name.js';
import { pathOf, realFile, realPlace } from './real-place.js';
import { scanInThread } from '../../scan-in-thread.js';

/** An opened local file. With its path, the operating system can copy it. */
interface OpenedLocalFile extends OpenedFile {
  readonly localPath: string;
}

const isLocal = (file: OpenedFile): file is OpenedLocalFile => 'localPath' in file;

const factsOf = ({ size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }): FileFacts => ({
  size,
  modifiedMs: mtimeMs,
});

const statOf = async (path: string): Promise<FileFacts | undefined> => {
  try {
    const stats = await stat(path);
    return stats.isFile() ? factsOf(stats) : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  }
};

const isSame = (one: FileFacts, other: FileFacts | undefined): boolean =>
  one.size === other?.size && one.modifiedMs === other.modifiedMs;

const removeFile = async (path: string): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
};

/** Writes a file or the entries of a folder to the disk. */
const flushToDisk = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const fillTemporary = async (temporary: string, file: OpenedFile): Promise<void> => {
  if (isLocal(file)) {
    // the kernel copies the file, or shares its blocks if the file system supports it
    await copyFile(file.localPath, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).catch(
      async (error: unknown) => {
        if ((await statOf(file.localPath)) !== undefined) throw error;
        throw new StorageFault('GONE', `${file.localPath}: ${codeOf(error)}`, { cause: error });
      },
    );
    if (!(await file.isUnchanged())) throw new StorageFault('CHANGED', `${file.localPath} changed while it was read`);
  } else {
    await pipeline(checkedContent(file), createWriteStream(temporary, { flags: 'wx' }));
  }
  const { size } = await stat(temporary);
  if (size !== file.facts.size) {
    throw new StorageFault('CHANGED', `read ${size} bytes of ${file.facts.size}`);
  }
};

const refuseFolder = async (path: string, target: Location): Promise<void> => {
  const stats = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (stats?.isDirectory() === true) throw new StorageFault('UNFIT', `${formatLocation(target)} is a folder`);
};

const failing = async <T>(target: Location, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw toStorageFault(error, formatLocation(target));
  }
};

/** Converts a failure: a folder that disappears during a copy means AWAY, not GONE. */
const writing = async <T>(target: Location, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw toStorageFault(error, formatLocation(target));
    throw new StorageFault('AWAY', `the folder of ${formatLocation(target)} no longer exists`, { cause: error });
  }
};

/** Storage for files of this machine and its mounts. */
export const createLocalStorage = (): Storage => ({
  scan: (folder, filter, signal) => scanInThread(pathOf(folder), filter, signal),
  stat: (file) => failing(file, () => statOf(pathOf(file))),
  open: async (file, within): Promise<OpenedLocalFile> => {
    const localPath = await realFile(file, within);
    const facts = await failing(file, () => statOf(localPath));
    if (facts === undefined) throw new StorageFault('GONE', `${formatLocation(file)} is not a file`);
    return {
      facts,
      localPath,
      content: () => createReadStream(localPath),
      isUnchanged: async () => isSame(facts, await statOf(localPath)),
      close: () => undefined,
    };
  },
  begin: async (target, base, token): Promise<PendingFile> => {
    const place = await realPlace(target, base, 'MAKE');
    if (place === undefined) throw new StorageFault('AWAY', `${formatLocation(target)} has no folder`);
    const { folder, name } = place;
    const temporary = join(folder, temporaryName(token));
    const final = join(folder, name);
    await writing(target, () => refuseFolder(final, target));
    return {
      fill: (file) => writing(target, () => fillTemporary(temporary, file)),
      commit: () =>
        writing(target, async () => {
          await flushToDisk(temporary);
          await rename(temporary, final);
          await flushToDisk(folder);
        }),
      discard: () => writing(target, () => removeFile(temporary)),
    };
  },
  discardLeftover: async (target, base, token) => {
    const place = await realPlace(target, base, 'LEAVE');
    if (place !== undefined) await writing(target, () => removeFile(join(place.folder, temporaryName(token))));
  },
  remove: async (target, base) => {
    const place = await realPlace(target, base, 'LEAVE');
    if (place === undefined) return;
    await writing(target, async () => {
      await removeFile(join(place.folder, place.name));
    });
  },
  close: () => Promise.resolve(),
});
