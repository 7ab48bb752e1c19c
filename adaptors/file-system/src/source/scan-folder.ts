import { setTimeout as sleep } from 'node:timers/promises';
import type { SourcePath } from '../configuration/source-metadata.js';
import type { FolderIdentity, FoundFile, Storage, Unreadable } from '../storage/storage.js';
import { digestOfContent } from '../storage/checked-content.js';
import { StorageFault } from '../storage/storage-fault.js';
import { type FileChange, sourceLocation } from './file-event.js';
import type { MonitoredFolder } from './monitored-folder.js';

/** Input of a scan. */
export interface ScanContext {
  readonly path: Pick<SourcePath, 'uri' | 'filter'>;
  readonly storage: Storage;
  readonly folder: MonitoredFolder;
  /** SHA-256 of the content that was reported for a known file. Undefined: unknown. */
  readonly knownDigest: (path: string) => string | undefined;
  /** Called before anything of the folder is emitted. @throws SourceChanged when it is another folder than before */
  readonly recognize: (identity: FolderIdentity) => void;
  /** May these files be reported as deleted? @param missing number of files that no longer exist */
  readonly mayDelete: (missing: number) => boolean;
  /** Receives changes. The scan waits for it. */
  readonly emit: (changes: readonly FileChange[]) => Promise<void>;
  readonly signal: AbortSignal;
}

const statsAtOnce = 16;
/** Linux advances the times of files with the tick of its clock: at most 10 ms. */
const tickMs = 50;
const maxUnreadable = 100_000;

/** A file that changed within the resolution of its time is looked at again after that long, at the latest. */
const resolutionMs = 2_000;

/**
 * Emits the files that changed while they were found, with their size and time of a moment later: every change after that
 * gives the file another time.
 */
const emitLate = async ({ path, storage, folder, emit, signal }: ScanContext): Promise<void> => {
  const late = folder.late();
  if (late.length === 0) return;
  const isCoarse = late.some(({ modifiedMs }) => modifiedMs % 1_000 === 0);
  await sleep(isCoarse ? resolutionMs : tickMs, undefined, { signal });
  for (let at = 0; at < late.length && !signal.aborted; at += statsAtOnce) {
    const some = late.slice(at, at + statsAtOnce);
    const found = await Promise.all(
      some.map(async (file): Promise<readonly FoundFile[]> => {
        const entry = await storage.stat(sourceLocation(path, file), path.uri);
        if (entry?.isFile !== true) return [];
        const { size, modifiedMs, stamp } = entry;
        return [{ path: file.path, size, modifiedMs, stamp }];
      }),
    );
    const changes = folder.compare({ files: found.flat() });
    if (changes.length > 0) await emit(changes);
  }
};

/**
 * The digest of the content of a file, and its stamp when it was opened. Undefined: the file has another size or time now, or
 * it cannot be read, or it is changing.
 *
 * @throws StorageFault AWAY when the folder is not available
 */
const readContent = async (
  { path, storage }: Pick<ScanContext, 'path' | 'storage'>,
  file: FoundFile,
): Promise<(Pick<FoundFile, 'stamp'> & { readonly digest: string }) | undefined> => {
  try {
    const opened = await storage.open(sourceLocation(path, file), [path.uri]);
    try {
      const { size, modifiedMs, stamp } = opened.facts;
      if (size !== file.size || modifiedMs !== file.modifiedMs) return undefined;
      return { stamp, digest: await digestOfContent(opened) };
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof StorageFault && error.kind !== 'AWAY') return undefined;
    throw error;
  }
};

/**
 * Emits the files that only have another stamp, if their content is not the known one. The digest goes with the event: a
 * destination that has this content copies nothing.
 */
const emitReplaced = async (context: ScanContext): Promise<void> => {
  const { folder, knownDigest, emit, signal } = context;
  const restamped = folder.restamped();
  if (restamped.length === 0) return;
  // a change after this pause gives the file another stamp than the found one
  await sleep(tickMs, undefined, { signal });
  for (const { path, size, modifiedMs, stamp } of restamped) {
    if (signal.aborted) return;
    const found: FoundFile = { path, size, modifiedMs, stamp };
    const read = await readContent(context, found);
    if (read === undefined) continue;
    const file = { ...found, digest: read.digest };
    if (file.digest === knownDigest(path)) folder.adopt(file);
    else await emit([{ action: 'UPDATED', file }]);
  }
};

/** A larger file is not read before its stamp changes: then one event reports its content. */
const maxDigestedBytes = 64 * 1024 * 1024;

/**
 * Reads reported files whose digest is unknown, until `isOver`. So a later change of rights, of a name or of an inode can be
 * told from another content without an event.
 */
export const digestReported = async (
  context: Pick<ScanContext, 'path' | 'storage' | 'folder'>,
  isOver: () => boolean,
): Promise<void> => {
  const { storage, folder } = context;
  if (storage.stampsContent) return;
  let isSettled = false;
  for (const file of folder.undigested()) {
    if (isOver()) return;
    if (file.size > maxDigestedBytes) continue;
    // the content that is read now cannot change once more under the stamp that the scan found
    if (!isSettled) await sleep(tickMs);
    isSettled = true;
    const read = await readContent(context, file);
    if (read !== undefined && read.stamp === file.stamp) folder.adopt({ ...file, digest: read.digest });
    // it cannot be read, or it was changed after it was reported and the next scan compares it
    else folder.skip(file);
  }
};

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

/** Emits the files that no longer exist. @returns false when they are too many to be reported */
const emitDeleted = async (context: ScanContext, unreadable: readonly Unreadable[]): Promise<boolean> => {
  const { path, storage, folder, recognize, mayDelete, emit, signal } = context;
  const missing = folder.missing(unreadable);
  const gone = missing.length === 0 ? [] : await reallyGone(context, missing);
  signal.throwIfAborted();
  // the folder may have been unmounted after it was read: the files are then missing in the folder below
  if (gone.length > 0) recognize(await storage.identify(path.uri));
  if (!mayDelete(gone.length)) return false;
  if (gone.length > 0) await emit(gone.map((file) => ({ action: 'DELETED', file })));
  return true;
};

/**
 * Scans a folder once. Emits new and updated files as they are found, and deleted files after the whole folder was
 * read. A file that became a folder, or a folder that became a file, is reported as deleted before the files in its place. Files
 * in a part that cannot be read keep their state.
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
  await emitLate(context);
  await emitReplaced(context);
  const areDeleted = unreadable.length < maxUnreadable ? await emitDeleted(context, unreadable) : true;
  const displacing = folder.displacing();
  // where deletions are kept back, so are the files in their place: the next scan finds them again
  if (areDeleted && displacing.length > 0) await emit(displacing);
  return unreadable;
};
