import type { SourcePath } from '../configuration/source-metadata.js';
import type { FoundFile, Storage, Unreadable } from '../storage/storage.js';
import { StorageFault } from '../storage/storage-fault.js';
import { formatLocation } from '../uris/location.js';
import { type FileChange, sourceLocation } from './file-event.js';
import type { MonitoredFolder } from './monitored-folder.js';

/** Input of a scan. */
export interface ScanContext {
  readonly path: Pick<SourcePath, 'uri' | 'filter'>;
  readonly storage: Storage;
  readonly folder: MonitoredFolder;
  /** The file system on which known files were last found. */
  readonly device: string | undefined;
  /** Receives changes. The scan waits for it. */
  readonly emit: (changes: readonly FileChange[]) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface ScanResult {
  readonly device: string | undefined;
  readonly unreadable: readonly Unreadable[];
}

const statsAtOnce = 16;
const maxUnreadable = 100_000;

/** Selects the missing files that no longer exist. A file that the filter now excludes still exists. */
const reallyGone = async (
  { path, storage, signal }: ScanContext,
  missing: readonly FoundFile[],
): Promise<readonly FoundFile[]> => {
  const gone: FoundFile[] = [];
  for (let at = 0; at < missing.length && !signal.aborted; at += statsAtOnce) {
    const some = missing.slice(at, at + statsAtOnce);
    const facts = await Promise.all(some.map((file) => storage.stat(sourceLocation(path, file))));
    gone.push(...some.filter((_, index) => facts[index] === undefined));
  }
  return gone;
};

/**
 * Scans a folder once. Emits new and updated files as they are found, and deleted files after the whole folder was
 * read. Files in a part that cannot be read keep their state. If every file is missing and the folder is on another
 * file system than before, no file is reported as deleted: the mount is probably missing.
 *
 * @throws StorageFault AWAY when the folder cannot be read
 */
export const scanFolder = async (context: ScanContext): Promise<ScanResult> => {
  const { path, storage, folder, emit, signal } = context;
  const unreadable: Unreadable[] = [];
  let device: string | undefined;
  folder.beginScan();
  for await (const batch of storage.scan(path.uri, path.filter, signal)) {
    ({ device } = batch);
    if (unreadable.length < maxUnreadable) unreadable.push(...batch.unreadable);
    const changes = folder.compare(batch);
    if (changes.length > 0) await emit(changes);
    signal.throwIfAborted();
  }
  if (unreadable.length >= maxUnreadable) return { device, unreadable };
  const missing = folder.missing(unreadable);
  if (missing.length > 0 && !folder.foundKnown && context.device !== undefined && context.device !== device) {
    throw new StorageFault(
      'AWAY',
      `all ${missing.length} files of ${formatLocation(path.uri)} are gone and the folder is on another file system than before: is its mount missing? Nothing is reported as deleted`,
    );
  }
  const gone = await reallyGone(context, missing);
  signal.throwIfAborted();
  if (gone.length > 0) await emit(gone.map((file) => ({ action: 'DELETED', file })));
  return { device, unreadable };
};
