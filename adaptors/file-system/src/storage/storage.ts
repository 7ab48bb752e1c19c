import type { Readable } from 'node:stream';
import type { Filter } from '../filters/filter.js';
import type { Location } from '../uris/location.js';

/** Size and time of a file. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970, with the precision of the storage. */
  readonly modifiedMs: number;
  /**
   * Differs when the file was replaced or written, even if its size and time stay the same. It may also differ after a change
   * of rights or of the name. Undefined: unknown.
   */
  readonly stamp?: number | string | undefined;
}

/** An entry of a storage. */
export interface Entry extends FileFacts {
  /** False for a folder, a symbolic link and a device. */
  readonly isFile: boolean;
  readonly isFolder: boolean;
  /** Changes when the file is changed or replaced. It never changes otherwise. */
  readonly mark: string;
  /** It has the sign that adaptors give to their copies, and that other programs remove when they write. */
  readonly isSigned: boolean;
}

/** A file below a folder. */
export interface FoundFile extends FileFacts {
  /** Relative, with slashes. */
  readonly path: string;
  /** It may change once more without another time: it changed within the resolution of its time. */
  readonly mayKeepTime?: boolean;
  /** SHA-256 of the content, of a file that was read. */
  readonly digest?: string | undefined;
}

/** An entry that cannot be monitored now. The state of files below `path` is unknown; they do not count as deleted. */
export interface Unreadable {
  /** Relative; empty for the folder itself. */
  readonly path: string;
  readonly reason: string;
}

/** Tells a folder from another one with the same URI. */
export interface FolderIdentity {
  /** Device of the file system, or address of the object storage. */
  readonly device: string;
  /** Inode of the folder, or the bucket. */
  readonly inode: string;
  /** Real path, for people. Two identities may differ in it. */
  readonly path: string;
}

/** A part of a scan. */
export interface ScanBatch {
  readonly files: readonly FoundFile[];
  readonly unreadable: readonly Unreadable[];
  readonly identity: FolderIdentity;
}

/** A file with its facts at the time of opening. The caller closes it. */
export interface OpenedFile {
  readonly facts: FileFacts;
  /** The content; may be called once. */
  content(): Readable;
  /** Is the content still the same as when the file was opened? */
  isUnchanged(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Content that a copy may replace: the file with this mark, nothing (ABSENT: the name must be free), or any file (ANY: the
 * folder belongs to the adaptor).
 */
export type Replaced = 'ABSENT' | 'ANY' | { readonly mark: string };

/** A file that was written. */
export interface WrittenFile {
  readonly mark: string;
  /** SHA-256 of the content, in hexadecimal digits. Empty for a large file that the system copied. */
  readonly digest: string;
}

/**
 * A copy in progress. `commit` makes it appear under its name; `discard` removes it, with the folders that were made for
 * it. The caller calls one of them.
 */
export interface PendingFile {
  /**
   * Reads the content of an opened file, which must stay open until `commit`, and checks the length and the digest of
   * the copy.
   *
   * @returns the mark that the file will have; undefined when it is not known before `commit`
   */
  fill(file: OpenedFile): Promise<string | undefined>;
  /**
   * Makes the copy durable and visible, in one step.
   *
   * @throws StorageFault FOREIGN when the copy may not replace the content of the target
   */
  commit(replaced: Replaced): Promise<WrittenFile>;
  discard(): Promise<void>;
}

/** A storage with files. Every function throws StorageFault. No symbolic link leads out of a base folder. */
export interface Storage {
  /** Does a stamp change only with the content? Otherwise a change of rights changes it too. */
  readonly stampsContent: boolean;
  /**
   * The files below a folder that pass the filter, in batches. A folder that does not pass the filter is not entered.
   */
  scan(folder: Location, filter: Filter | undefined, signal: AbortSignal): AsyncIterable<ScanBatch>;
  identify(folder: Location): Promise<FolderIdentity>;
  /** The entry below the base. A symbolic link at the end is not followed. Undefined: no entry exists. */
  stat(file: Location, base: Location): Promise<Entry | undefined>;
  /** Opens a file whose real path is in one of the folders that contain its URI. */
  open(file: Location, within: readonly Location[]): Promise<OpenedFile>;
  /**
   * Begins a copy to a file in the base.
   *
   * @param token makes the temporary name unique. The caller stores it before, so that the temporary file can be
   * removed after a crash
   */
  begin(target: Location, base: Location, token: string): Promise<PendingFile>;
  /** Was the copy with this token, or with this mark, committed, and is it still there? Returns the entry then. */
  committed(target: Location, base: Location, token: string, mark: string | undefined): Promise<Entry | undefined>;
  /** Removes the temporary file of an unfinished copy. */
  discardLeftover(target: Location, base: Location, token: string): Promise<void>;
  /**
   * Removes a file in the base, and the folders above it as `prune` does. Does nothing if the file does not exist.
   *
   * @throws StorageFault FOREIGN
   */
  remove(target: Location, base: Location, replaced: Replaced): Promise<void>;
  /** Removes a folder and those above it, up to the base, as far as they are empty and this adaptor made them. */
  prune(folder: Location, base: Location): Promise<void>;
  close(): Promise<void>;
}
