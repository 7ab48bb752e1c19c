import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, open, readlink, rename, unlink } from 'node:fs/promises';
import { scanInThread } from '../../scan-in-thread.js';
import { formatLocation, type Location, parentOf } from '../../uris/location.js';
import { checkedContent } from '../checked-content.js';
import { digestOf, digestOfHandle } from '../content-digest.js';
import type { FolderLog } from '../folder-log.js';
import type { OpenedFile, PendingFile, Replaced, Storage, WrittenFile } from '../storage.js';
import { codeOf, reasonOf, StorageFault, toStorageFault } from '../storage-fault.js';
import { temporaryName } from '../temporary-name.js';
import { entryAt, entryOf, isLocal, type OpenedLocalFile, openLocalFile } from './local-file.js';
import { openPlace, pathOf, type Place } from './open-folder.js';
import { createOwnFolders } from './own-folders.js';
import { signTime } from './signed-time.js';

/** A smaller file is copied through memory: the system calls of a copy by the kernel cost more than its content. */
const smallBytes = 1024 * 1024;
/** The digest of a file that was not read. It equals no digest. */
const noDigest = '';
const newFile = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const changedWhileRead = (): StorageFault => new StorageFault('CHANGED', 'the file changed while it was read');

const checkLength = (found: number, expected: number): void => {
  if (found !== expected) throw new StorageFault('CHANGED', `read ${found} bytes of ${expected}`);
};

/** What was written is not what was read: the storage lost or changed it. */
const checkDigest = (written: string, read: string): void => {
  if (written !== read) throw new StorageFault('AWAY', 'the written content differs from the content that was read');
};

const readWhole = async (handle: FileHandle, size: number): Promise<Buffer> => {
  // one more byte, to notice a file that has grown
  const content = Buffer.allocUnsafe(size + 1);
  let length = 0;
  while (length < content.length) {
    const { bytesRead } = await handle.read(content, length, content.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return content.subarray(0, length);
};

/** @param position in the file */
const writeAll = async (handle: FileHandle, content: Uint8Array, position: number): Promise<void> => {
  for (let at = 0; at < content.length;)
    at += (await handle.write(content, at, content.length - at, position + at)).bytesWritten;
};

/** Some file systems have no permission bits. */
const copyMode = (out: FileHandle, mode: number): Promise<void> =>
  out.chmod(mode).catch((error: unknown) => {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error))) throw error;
  });

const copySmall = async (path: string, file: OpenedLocalFile, hold: (out: FileHandle) => void): Promise<string> => {
  const content = await file.reading(readWhole(file.handle, file.facts.size));
  checkLength(content.length, file.facts.size);
  const out = await open(path, newFile, file.mode);
  hold(out);
  await writeAll(out, content, 0);
  await copyMode(out, file.mode);
  const written = await readWhole(out, content.length);
  const digest = digestOf(content);
  checkDigest(written.equals(content) ? digest : digestOf(written), digest);
  await out.sync();
  return digest;
};

/**
 * The kernel copies the file, or shares its blocks if the file system supports it. A digest would read the file twice
 * more, so none is taken.
 */
const copyLarge = async (path: string, file: OpenedLocalFile, hold: (out: FileHandle) => void): Promise<string> => {
  await copyFile(file.path ?? '', path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const out = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  hold(out);
  checkLength((await out.stat()).size, file.facts.size);
  await out.sync();
  return noDigest;
};

const copyStream = async (
  path: string,
  file: OpenedFile,
  hold: (out: FileHandle) => void,
  mode?: number,
): Promise<string> => {
  const out = await open(path, newFile, mode);
  hold(out);
  const { content, digest } = checkedContent(file);
  let position = 0;
  for await (const chunk of content) {
    const part = chunk as Buffer;
    await writeAll(out, part, position);
    position += part.length;
  }
  checkLength((await out.stat()).size, file.facts.size);
  const read = digest();
  checkDigest(await digestOfHandle(out), read);
  if (mode !== undefined) await copyMode(out, mode);
  await out.sync();
  return read;
};

const refuseUnlessReplaceable = async (place: Place, target: Location, replaced: Replaced): Promise<void> => {
  const uri = formatLocation(target);
  const stats = await entryAt(place);
  if (stats?.isDirectory() === true) throw new StorageFault('BLOCKED', `${uri} is a folder`);
  if (replaced === 'ANY') return;
  const mark = stats === undefined ? undefined : entryOf(stats).mark;
  if (mark !== (replaced === 'ABSENT' ? undefined : replaced.mark))
    throw new StorageFault('FOREIGN', `${uri} was changed in the meantime`);
};

/** Gives the temporary file its name if the name is free. Where the system has no hard links, it is only renamed. */
const appear = async (temporary: string, final: string, target: Location): Promise<void> => {
  try {
    await link(temporary, final);
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new StorageFault('FOREIGN', `${formatLocation(target)} was created in the meantime`, { cause: error });
    return rename(temporary, final);
  }
  await unlink(temporary);
};

const flushFolder = async (place: Place): Promise<void> => {
  const handle = await open(place.folder.at('.'), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * Converts a failure to write. A folder that disappears or may not be changed is waited for. A single file that may not
 * be replaced is not.
 *
 * @param file NEW: the file has a name of its own, so only its folder can refuse it
 */
const writing = async <T>(
  target: Location,
  base: Location,
  file: 'NEW' | 'KNOWN',
  work: () => Promise<T>,
): Promise<T> => {
  const [uri, resource] = [formatLocation(target), formatLocation(base)];
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT')
      throw new StorageFault('AWAY', `the folder of ${uri} no longer exists`, { cause: error, resource });
    const fault = toStorageFault(error, uri, resource);
    if (fault.kind === 'AWAY' && fault.resource === undefined)
      throw new StorageFault('AWAY', `${uri}: ${fault.message}`, { cause: error, resource });
    if (fault.kind !== 'DENIED' || (code === 'EPERM' && file === 'KNOWN')) throw fault;
    const folder = formatLocation(parentOf(target));
    throw new StorageFault('AWAY', `the folder ${folder} cannot be changed: ${reasonOf(fault.cause ?? fault)}`, {
      cause: error,
      resource: folder,
    });
  }
};

/**
 * Storage for files of this machine and its mounts.
 *
 * @param log undefined: the folders that it makes are not remembered, so it removes none
 */
export const createLocalStorage = (log?: FolderLog): Storage => {
  const folders = createOwnFolders(log);

  /** Does work in the folder of a target, and closes the folder. */
  const inFolder = async <T>(
    target: Location,
    base: Location,
    work: (place: Place) => Promise<T>,
  ): Promise<T | undefined> => {
    const place = await openPlace(target, base, { missing: 'LEAVE', lastLink: 'KEEP' });
    if (place === undefined) return undefined;
    try {
      await place.folder.check();
      return await work(place);
    } finally {
      await place.folder.close();
    }
  };

  const statIn: Storage['stat'] = async (file, base) => {
    try {
      const stats = await inFolder(file, base, entryAt);
      return stats === undefined ? undefined : entryOf(stats);
    } catch (error) {
      if (error instanceof StorageFault && ['ENOTDIR', 'ENOENT'].includes(codeOf(error.cause)) && error.kind !== 'AWAY')
        return undefined;
      throw toStorageFault(error, formatLocation(file), formatLocation(base));
    }
  };

  return {
    stampsContent: false,
    scan: (folder, filter, signal) => scanInThread(pathOf(folder), formatLocation(folder), filter, signal),
    identify: async (folder) => {
      const uri = formatLocation(folder);
      const handle = await open(pathOf(folder), constants.O_RDONLY | constants.O_DIRECTORY).catch((error: unknown) => {
        throw new StorageFault('AWAY', `the folder ${uri} cannot be reached: ${reasonOf(error)}`, { resource: uri });
      });
      try {
        const { dev, ino } = await handle.stat({ bigint: true });
        const path = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => pathOf(folder));
        return { device: String(dev), inode: String(ino), path };
      } finally {
        await handle.close();
      }
    },
    stat: statIn,
    open: openLocalFile,
    begin: async (target, base, token): Promise<PendingFile> => {
      const use = await folders.use(target, base);
      const place = await writing(target, base, 'NEW', () =>
        openPlace(target, base, { missing: folders.make, lastLink: 'KEEP' }),
      ).catch((error: unknown) => {
        use.release();
        throw error;
      });
      if (place === undefined) throw new StorageFault('AWAY', `${formatLocation(target)} has no folder`);
      const { folder, name } = place;
      const temporary = folder.at(temporaryName(token));
      const final = folder.at(name);
      let out: FileHandle | undefined;
      const hold = (handle: FileHandle): void => {
        out = handle;
      };
      const close = async (): Promise<void> => {
        await out?.close();
        out = undefined;
        await folder.close();
        use.release();
      };
      await writing(target, base, 'KNOWN', () => refuseUnlessReplaceable(place, target, 'ANY')).catch(
        async (error: unknown) => {
          await close();
          throw error;
        },
      );
      let written: WrittenFile | undefined;
      const fill = async (file: OpenedFile): Promise<string> => {
        await folder.check();
        const copy = !isLocal(file)
          ? copyStream(temporary, file, hold)
          : file.facts.size <= smallBytes || file.path === undefined
            ? copySmall(temporary, file, hold)
            : file.isSpecial
              ? // the kernel would copy these bits, which give the rights of the adaptor's user to everyone
                copyStream(temporary, file, hold, file.mode)
              : copyLarge(temporary, file, hold);
        const digest = await copy;
        if (!(await file.isUnchanged())) throw changedWhileRead();
        if (out === undefined) throw new Error('nothing was written');
        await signTime(out, Date.now());
        const { mark } = entryOf(await out.stat({ bigint: true }));
        written = { mark, digest };
        return mark;
      };
      const commit = async (replaced: Replaced): Promise<WrittenFile> => {
        if (written === undefined) throw new Error('nothing to commit');
        await folder.check();
        await refuseUnlessReplaceable(place, target, replaced);
        await (replaced === 'ABSENT' ? appear(temporary, final, target) : rename(temporary, final));
        await flushFolder(place);
        return written;
      };
      return {
        fill: (file) => writing(target, base, 'NEW', () => fill(file)),
        commit: async (replaced) => {
          const result = await writing(target, base, 'KNOWN', () => commit(replaced));
          await close();
          return result;
        },
        discard: () =>
          writing(target, base, 'NEW', async () => {
            try {
              await unlink(temporary);
            } catch (error) {
              if (codeOf(error) !== 'ENOENT') throw error;
            } finally {
              await close();
            }
            await folders.prune(parentOf(target), base);
          }),
      };
    },
    committed: async (target, base, _, mark) => {
      const entry = mark === undefined ? undefined : await statIn(target, base);
      return entry?.mark === mark ? entry : undefined;
    },
    discardLeftover: (target, base, token) =>
      writing(target, base, 'NEW', async () => {
        await inFolder(target, base, async ({ folder }) => {
          await unlink(folder.at(temporaryName(token))).catch((error: unknown) => {
            if (codeOf(error) !== 'ENOENT') throw error;
          });
        });
        await folders.prune(parentOf(target), base);
      }),
    remove: (target, base, replaced) =>
      writing(target, base, 'KNOWN', async () => {
        await inFolder(target, base, async (place) => {
          if ((await entryAt(place)) === undefined) return;
          await refuseUnlessReplaceable(place, target, replaced);
          await unlink(place.folder.at(place.name)).catch((error: unknown) => {
            if (codeOf(error) !== 'ENOENT') throw error;
          });
        });
        await folders.prune(parentOf(target), base);
      }),
    prune: (folder, base) => writing(folder, base, 'KNOWN', () => folders.prune(folder, base)),
    close: () => Promise.resolve(),
  };
};
