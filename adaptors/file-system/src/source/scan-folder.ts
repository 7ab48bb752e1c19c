import type { SourcePath } from '../configuration/source-metadata.js';
import type { FolderIdentity, FoundFile, Storage, Unreadable } from '../storage/storage.js';
import { StorageFault } from '../storage/storage-fault.js';
import { type FileChange, sourceLocation } from './file-event.js';
import type { MonitoredFolder } from './monitored-folder.js';

/** Input of a scan. */
export interface ScanContext {
  readonly path: Pick<SourcePath, 'uri' | 'filter'>;
  readonly storage: Storage;
  readonly folder: MonitoredFolder;
  /** Called before anything of the folder is emitted. @throws SourceChanged when it is another folder than before */
  readonly recognize: (identity: FolderIdentity) => void;
  /** Receives changes. The scan waits for it. */
  readonly emit: (changes: readonly FileChange[]) => Promise<void>;
  readonly signal: AbortSignal;
}

const statsAtOnce = 16;
const maxUnreadable = 100_000;

/** Does the file exist in the folder? What lies behind a symbolic link that leads out of it does not. */
const exists = async ({ path, storage }: ScanContext, file: FoundFile): Promise<boolean> => {
  try {
    return (await storage.stat(sourceLocation(path, file), path.uri))?.isFile === true;
  } catch (error) {
    if (error instanceof StorageFault && error.kind === 'UNFIT') return false;
    throw error;
  }
};

/** Selects the missing files that no longer exist. A file that the filter now excludes still exists. */
const reallyGone = async (context: ScanContext, missing: readonly FoundFile[]): Promise<readonly FoundFile[]> => {
  const { signal } = context;
  const gone: FoundFile[] = [];
  for (let at = 0; at < missing.length && !signal.aborted; at += statsAtOnce) {
    const some = missing.slice(at, at + statsAtOnce);
    const exist = await Promise.all(some.map((file) => exists(context, file)));
    gone.push(...some.filter((_, index) => exist[index] === false));
  }
  return gone;
};

/**
 * Scans a folder once. Emits new and updated files as they are found, and deleted files after the whole folder was
 * read. Files in a part that cannot be read keep their state.
 *
 * @returns the entries that cannot be monitored
 * @throws StorageFault AWAY when the folder cannot be read
 */
export const scanFolder = async (context: ScanContext): Promise<readonly Unreadable[]> => {
  const { path, storage, folder, recognize, emit, signal } = context;
  const unreadable: Unreadable[] = [];
  folder.beginScan();
  for await (const batch of storage.scan(path.uri, path.filter, signal)) {
    recognize(batch.identity);
    if (unreadable.length < maxUnreadable) unreadable.push(...batch.unreadable);
    const changes = folder.compare(batch);
    if (changes.length > 0) await emit(changes);
    signal.throwIfAborted();
  }
  if (unreadable.length >= maxUnreadable) return unreadable;
  const missing = folder.missing(unreadable);
  const gone = missing.length === 0 ? [] : await reallyGone(context, missing);
  signal.throwIfAborted();
  if (gone.length > 0) {
    // the folder may have been unmounted after it was read: the files are then missing in the folder below
    recognize(await storage.identify(path.uri));
    await emit(gone.map((file) => ({ action: 'DELETED', file })));
  }
  return unreadable;
};
