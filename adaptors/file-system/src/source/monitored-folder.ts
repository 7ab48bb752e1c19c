import type { FileChange } from './file-event.js';
import type { FoundFile, ScanBatch, Unreadable } from '../storage/storage.js';

interface KnownFile {
  readonly size: number;
  readonly modifiedMs: number;
  /** Number of the last scan that found the file unchanged. */
  seen: number;
}

/** The reported files of a folder, in memory. Each scan compares its results with them. */
export interface MonitoredFolder {
  readonly size: number;
  /** Was the file reported, without a later deletion? @param path relative */
  has(path: string): boolean;
  beginScan(): void;
  /** Returns the new and updated files of a batch, without those that it keeps for `late`. */
  compare(batch: Pick<ScanBatch, 'files'>): readonly FileChange[];
  /**
   * The new and updated files of this scan that may have changed once more without another time: they are to be looked at
   * again when their time no longer hides it.
   */
  late(): readonly FoundFile[];
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

export const createMonitoredFolder = (files: readonly FoundFile[]): MonitoredFolder => {
  let scan = 0;
  const known = new Map<string, KnownFile>(
    files.map(({ path, size, modifiedMs }) => [path, { size, modifiedMs, seen: 0 }]),
  );
  let late: FoundFile[] = [];
  const isLate = (file: FoundFile): boolean => {
    if (file.mayKeepTime !== true || late.length >= maxLate) return false;
    late.push(file);
    return true;
  };
  return {
    get size() {
      return known.size;
    },
    has: (path) => known.has(path),
    beginScan: () => {
      scan += 1;
      late = [];
    },
    compare: ({ files: found }) => {
      const changes: FileChange[] = [];
      for (const file of found) {
        const before = known.get(file.path);
        if (before === undefined) {
          if (!isLate(file)) changes.push({ action: 'NEW', file });
          continue;
        }
        before.seen = scan;
        if (before.size !== file.size || before.modifiedMs !== file.modifiedMs) {
          if (!isLate(file)) changes.push({ action: 'UPDATED', file });
        }
      }
      return changes;
    },
    late: () => late,
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
        if (action === 'DELETED') known.delete(file.path);
        else known.set(file.path, { size: file.size, modifiedMs: file.modifiedMs, seen: scan });
      }
    },
  };
};
