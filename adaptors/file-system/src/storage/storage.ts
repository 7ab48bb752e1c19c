import type { Readable } from 'node:stream';
import type { Filter } from '../filters/filter.js';
import type { Location } from '../uris/location.js';

/** Size and time of a file. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970, with the precision of the storage. */
  readonly modifiedMs: number;
}

/** A file below a folder. */
export interface FoundFile extends FileFacts {
  /** Relative, with slashes. */
  readonly path: string;
}

/** An entry that cannot be monitored now. The state of files below `path` is unknown; they do not count as deleted. */
export interface Unreadable {
  /** Relative; empty for the folder itself. */
  readonly path: string;
  readonly reason: string;
}

/** A part of a scan. */
export interface ScanBatch {
  readonly files: readonly FoundFile[];
  readonly unreadable: readonly Unreadable[];
  /** The file system or bucket that holds the folder. */
  readonly device: string;
}

/** A file with its facts at the time of opening. The caller closes it. */
export interface OpenedFile {
  readonly facts: FileFacts;
  /** The content; may be called once. */
  content(): Readable;
  /** Is the content still the same as when the file was opened? */
  isUnchanged(): Promise<boolean>;
  close(): void;
}

/** A copy in progress. `commit` makes it appear under its name; `discard` removes it. The caller calls one of them. */
export interface PendingFile {
  /** Reads the content of an opened file, which must stay open until `commit`. */
  fill(file: OpenedFile): Promise<void>;
  /** Makes the copy durable and visible, in one step, after checking its content and length. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** A storage with files. Every function throws StorageFault. */
export interface Storage {
  /**
   * The files below a folder that pass the filter, in batches. A folder that does not pass the filter is not entered.
   */
  scan(folder: Location, filter: Filter | undefined, signal: AbortSignal): AsyncIterable<ScanBatch>;
  /** Undefined when the file does not exist. */
  stat(file: Location): Promise<FileFacts | undefined>;
  /** Opens a file whose real path, with symbolic links resolved, is in one of the folders. */
  open(file: Location, within: readonly Location[]): Promise<OpenedFile>;
  /**
   * Begins a copy to a file whose real path is in the base.
   *
   * @param token makes the temporary name unique. The caller stores it before, so that the temporary file can be
   * removed after a crash
   */
  begin(target: Location, base: Location, token: string): Promise<PendingFile>;
  /** Removes the temporary file of an unfinished copy. */
  discardLeftover(target: Location, base: Location, token: string): Promise<void>;
  /** Removes a file whose real path is in the base. Does nothing if the file does not exist. */
  remove(target: Location, base: Location): Promise<void>;
  close(): Promise<void>;
}
