import type { FileChange } from './file-event.js';
import type { FoundFile, ScanBatch, Unreadable } from '../storage/storage.js';

interface KnownFile extends Pick<FoundFile, 'size' | 'modifiedMs' | 'stamp'> {
  /** Is the digest of its content unknown, without an attempt to read it? */
  readonly needsDigest: boolean;
  /** Number of the last scan that found the file unchanged. */
  seen: number;
}

/** The reported files of a folder, in memory. Each scan compares its results with them. */
export interface MonitoredFolder {
  readonly size: number;
  /** Was the file reported, without a later deletion? @param path relative */
  has(path: string): boolean;
  /** Does the known file have this size and time? */
  isAsKnown(file: FoundFile): boolean;
  beginScan(): void;
  /** Returns the new and updated files of a batch, without those that it keeps for `late` and `displacing`. */
  compare(batch: Pick<ScanBatch, 'files'>): readonly FileChange[];
  /**
   * The new and updated files of this scan that may have changed once more without another time: they are to be looked at
   * again when their time no longer hides it.
   */
  late(): readonly FoundFile[];
  /**
   * The new files of this scan that take the place of a known folder, or lie in a folder that takes the place of a known
   * file. They are reported after the deletions, because a destination cannot hold both.
   */
  displacing(): readonly FileChange[];
  /**
   * Known files of this scan that only have another stamp: another file may have been moved over them. Their content decides.
   * It has at most 10,000 files; the next scan finds the others.
   */
  restamped(): readonly FoundFile[];
  /** Known files with a stamp whose digest is unknown, without those to skip. */
  undigested(): Iterable<FoundFile>;
  /** Leaves the digest of the file unknown until its next change. */
  skip(file: FoundFile): void;
  /** Takes the stamp as known, and the digest as that of the reported content, if the file has one. */
  adopt(file: FoundFile): void;
  /** Files whose stamps or digests became known without a change, since the last call. */
  takeAdopted(): readonly FoundFile[];
  /** Known files that the scan did not find, except those below an unreadable folder. */
  missing(unreadable: readonly Unreadable[]): readonly FoundFile[];
  /** Notes that the changes were published. */
  settled(changes: readonly FileChange[]): void;
}

/** Files of a scan that are looked at again. Further ones are reported at once. */
const maxLate = 10_000;

/** Is the path, or a folder above it, in the set? */
const isBelow = (path: string, folders: ReadonlySet<string>): boolean => {
  if (folders.size === 0) return false;
  if (folders.has('') || folders.has(path)) return true;
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    if (folders.has(path.slice(0, at))) return true;
  }
  return false;
};

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

/** The folders of known files. */
const createFolderTree = () => {
  /** Number of known files and folders directly in each folder. */
  const entries = new Map<string, number>();
  return {
    has: (folder: string): boolean => entries.has(folder),
    add: (path: string): void => {
      for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
        const count = entries.get(folder) ?? 0;
        entries.set(folder, count + 1);
        if (count > 0) return;
      }
    },
    remove: (path: string): void => {
      for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
        const count = entries.get(folder) ?? 0;
        if (count > 1) {
          entries.set(folder, count - 1);
          return;
        }
        entries.delete(folder);
      }
    },
  };
};

export const createMonitoredFolder = (files: readonly FoundFile[]): MonitoredFolder => {
  let scan = 0;
  const known = new Map<string, KnownFile>();
  const keep = ({ path, size, modifiedMs, stamp, digest }: FoundFile): void => {
    known.set(path, { size, modifiedMs, stamp, needsDigest: digest === undefined, seen: scan });
  };
  for (const file of files) keep(file);
  const folders = createFolderTree();
  for (const path of known.keys()) folders.add(path);
  let late: FoundFile[] = [];
  let displacing: FileChange[] = [];
  let restamped: FoundFile[] = [];
  let adopted: FoundFile[] = [];
  /** Is the new file a known folder, or is a folder above it a known file? */
  const displaces = (path: string): boolean => {
    if (folders.has(path)) return true;
    for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder)) {
      if (known.has(folder)) return true;
    }
    return false;
  };
  const isLate = (file: FoundFile): boolean => {
    if (file.mayKeepTime !== true || late.length >= maxLate) return false;
    late.push(file);
    return true;
  };
  const adopt = (file: FoundFile): void => {
    const before = known.get(file.path);
    if (before === undefined) return;
    const needsDigest = before.needsDigest && file.digest === undefined;
    known.set(file.path, { ...before, stamp: file.stamp, needsDigest });
    adopted.push(file);
  };
  return {
    get size() {
      return known.size;
    },
    has: (path) => known.has(path),
    isAsKnown: ({ path, size, modifiedMs }) => {
      const file = known.get(path);
      return file?.size === size && file.modifiedMs === modifiedMs;
    },
    beginScan: () => {
      scan += 1;
      late = [];
      displacing = [];
      restamped = [];
    },
    compare: ({ files: found }) => {
      const changes: FileChange[] = [];
      for (const file of found) {
        const before = known.get(file.path);
        if (before === undefined) {
          if (!isLate(file)) (displaces(file.path) ? displacing : changes).push({ action: 'NEW', file });
          continue;
        }
        before.seen = scan;
        if (before.size !== file.size || before.modifiedMs !== file.modifiedMs) {
          if (!isLate(file)) changes.push({ action: 'UPDATED', file });
        } else if (file.stamp !== undefined && file.stamp !== before.stamp) {
          // an earlier release stored no stamp
          if (before.stamp === undefined) adopt(file);
          else if (restamped.length < maxLate) restamped.push(file);
        }
      }
      return changes;
    },
    late: () => late,
    displacing: () => displacing,
    restamped: () => restamped,
    *undigested() {
      for (const [path, { size, modifiedMs, stamp, needsDigest }] of known)
        if (needsDigest && stamp !== undefined) yield { path, size, modifiedMs, stamp };
    },
    skip: ({ path }) => {
      const file = known.get(path);
      if (file !== undefined) known.set(path, { ...file, needsDigest: false });
    },
    adopt,
    takeAdopted: () => {
      const taken = adopted;
      adopted = [];
      return taken;
    },
    missing: (unreadable) => {
      const unknown = new Set(unreadable.map(({ path }) => path));
      const missing: FoundFile[] = [];
      for (const [path, { size, modifiedMs, seen }] of known) {
        if (seen !== scan && !isBelow(path, unknown)) missing.push({ path, size, modifiedMs });
      }
      return missing;
    },
    settled: (changes) => {
      for (const { action, file } of changes) {
        if (action === 'DELETED') {
          if (known.delete(file.path)) folders.remove(file.path);
          continue;
        }
        if (!known.has(file.path)) folders.add(file.path);
        keep(file);
      }
    },
  };
};
