import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatLocation, isWithin, type Location } from '../../uris/location.js';
import { codeOf, reasonOf, StorageFault, toStorageFault } from '../storage-fault.js';

export const pathOf = ({ segments }: Location): string => `/${segments.join('/')}`;

/**
 * Linux resolves `/proc/self/fd/<fd>/<name>` from the open folder itself, whatever its path leads to by now. Node has
 * no `openat`. Elsewhere, paths are used and checked before each use, which leaves a short time between check and use.
 */
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/** `O_PATH` of Linux: opens a folder that may be entered but not listed. */
const pathOnly = process.platform === 'linux' ? 0o10000000 : constants.O_RDONLY;
const folderFlags = pathOnly | constants.O_DIRECTORY;

/** A folder that is held open. Names are resolved in it, not in another folder that takes its path. */
interface OpenFolder {
  /** Path of an entry, for one call of the operating system. */
  at(name: string): string;
  /** Path of a file that is open, for a copy by the operating system. Undefined where there is none. */
  opened(file: FileHandle): string | undefined;
  /** Called before a change. @throws StorageFault AWAY when the path leads to another folder now */
  check(): Promise<void>;
  close(): Promise<void>;
}

const wrapFolder = async (handle: FileHandle, path: string): Promise<OpenFolder> => {
  if (hasDescriptorPaths) {
    return {
      at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
      opened: (file) => `/proc/self/fd/${file.fd}`,
      check: () => Promise.resolve(),
      close: () => handle.close(),
    };
  }
  const real = await realpath(path).catch(async (error: unknown) => {
    await handle.close();
    throw error;
  });
  const check = async (): Promise<void> => {
    const [own, there, realNow] = [await handle.stat(), await stat(real), await realpath(real)];
    if (own.ino !== there.ino || own.dev !== there.dev || realNow !== real)
      throw new StorageFault('AWAY', `${real} was replaced`);
  };
  const folder: OpenFolder = {
    at: (name) => join(real, name),
    opened: () => undefined,
    check,
    close: () => handle.close(),
  };
  await check().catch(async (error: unknown) => {
    await folder.close();
    throw error;
  });
  return folder;
};

const openRoot = async (base: Location): Promise<OpenFolder> => {
  const path = pathOf(base);
  try {
    return await wrapFolder(await open(path, folderFlags), path);
  } catch (error) {
    // its mount may be missing
    const resource = formatLocation(base);
    throw new StorageFault('AWAY', `the folder ${resource} cannot be reached: ${reasonOf(error)}`, {
      cause: error,
      resource,
    });
  }
};

const enter = async (folder: OpenFolder, name: string): Promise<OpenFolder> => {
  const path = folder.at(name);
  return wrapFolder(await open(path, folderFlags | constants.O_NOFOLLOW), path);
};

/** The text of a symbolic link; undefined for another entry, or none. */
const linkAt = async (folder: OpenFolder, name: string): Promise<string | undefined> => {
  try {
    return await readlink(folder.at(name));
  } catch (error) {
    if (['EINVAL', 'ENOENT', 'UNKNOWN'].includes(codeOf(error))) return undefined;
    throw error;
  }
};

/** A name in an open folder. The caller closes the folder. */
export interface Place {
  readonly folder: OpenFolder;
  readonly name: string;
  /** The names from the base to this place, with symbolic links resolved. */
  readonly path: readonly string[];
}

export interface PlaceOptions {
  /** What to do about folders that do not exist: leave them, or make each. It does not fail if the folder exists by now. */
  readonly missing: 'LEAVE' | ((place: Place, uri: string) => Promise<void>);
  /** What to do about a symbolic link at the end. */
  readonly lastLink: 'KEEP' | 'FOLLOW';
}

const maxLinks = 40;

/**
 * Opens the folder of a file below a base. It goes down folder by folder and never through a symbolic link: it reads
 * the text of a link, and follows it as long as it stays in the base.
 *
 * @returns undefined when a folder is missing and is not created
 * @throws StorageFault UNFIT when the path leads out of the base; AWAY when the base is missing
 */
export const openPlace = async (
  target: Location,
  base: Location,
  options: PlaceOptions,
): Promise<Place | undefined> => {
  const rest = target.segments.slice(base.segments.length);
  const uri = formatLocation(target);
  const leaves = (how: string): StorageFault => new StorageFault('UNFIT', `${uri} ${how} ${formatLocation(base)}`);
  if (rest.length === 0 || !isWithin(base, target)) throw leaves('is not below');
  const stack = [await openRoot(base)];
  /** The names of the folders in the stack, without the base. */
  const names: string[] = [];
  const top = (): OpenFolder => stack.at(-1) as OpenFolder;
  const leave = (): Promise<void> | undefined => {
    names.pop();
    return stack.pop()?.close();
  };
  const uriOf = (name: string): string => formatLocation({ ...base, segments: [...base.segments, ...names, name] });
  let links = 0;
  let made = 0;

  const follow = async (link: string): Promise<void> => {
    if ((links += 1) > maxLinks) throw new StorageFault('UNFIT', `${uri} has too many symbolic links`);
    if (!link.startsWith('/')) {
      rest.unshift(...link.split('/'));
      return;
    }
    const root = `${await realpath(pathOf(base))}/`;
    if (!`${link}/`.startsWith(root)) throw leaves('leads by a symbolic link out of');
    while (stack.length > 1) await leave();
    rest.unshift(...link.slice(root.length).split('/'));
  };

  const step = async (name: string): Promise<'ENTERED' | 'MISSING'> => {
    try {
      stack.push(await enter(top(), name));
      names.push(name);
      return 'ENTERED';
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') {
        if (options.missing === 'LEAVE') return 'MISSING';
        if ((made += 1) > target.segments.length + maxLinks)
          throw new StorageFault('AWAY', `the folder of ${uri} disappears again and again`, {
            resource: formatLocation(base),
          });
        await top().check();
        await options.missing({ folder: top(), name, path: [...names, name] }, uriOf(name));
        rest.unshift(name);
        return 'ENTERED';
      }
      const link = ['ENOTDIR', 'ELOOP', 'EMLINK'].includes(code) ? await linkAt(top(), name) : undefined;
      if (link === undefined && code === 'ENOTDIR')
        throw new StorageFault('BLOCKED', `${uriOf(name)} is not a folder, so ${uri} cannot be below it`, {
          cause: error,
        });
      if (link === undefined) throw error;
      await follow(link);
      return 'ENTERED';
    }
  };

  try {
    for (;;) {
      const name = rest.shift();
      if (name === undefined) throw new StorageFault('UNFIT', `${uri} is a folder`);
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (stack.length === 1) throw leaves('leads by a symbolic link out of');
        await leave();
      } else if (rest.length > 0) {
        if ((await step(name)) === 'MISSING') return undefined;
      } else {
        const link = options.lastLink === 'FOLLOW' ? await linkAt(top(), name) : undefined;
        if (link === undefined) return { folder: stack.pop() as OpenFolder, name, path: [...names, name] };
        await follow(link);
      }
    }
  } catch (error) {
    throw toStorageFault(error, uri, formatLocation(base));
  } finally {
    while (stack.length > 0) await leave();
  }
};
