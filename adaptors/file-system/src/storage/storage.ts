import type { Readable } from 'node:stream';
import type { Filter } from '../filters/filter.js';
import type { Location } from '../uris/location.js';

/** Size and time of a file. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970, as precise as the storage has them. */
  readonly modifiedMs: number;
}

/** A file below a folder. */
export interface FoundFile extends FileFacts {
  /** Relative, with slashes. */
  readonly path: string;
}

/** An entry that cannot be monitored now. Files below `path` are unknown and do not count as deleted. */
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

/** A file, with the facts it had when it was opened. The caller closes it. */
export interface OpenedFile {
  readonly facts: FileFacts;
  /** The content; once. */
  content(): Readable;
  /** Is the content still the content that was opened? */
  isUnchanged(): Promise<boolean>;
  close(): void;
}

/**
 * A copy under way. It appears under its name with `commit` and not before; `discard` leaves nothing. The caller calls
 * one of them.
 */
export interface PendingFile {
  /** Takes the content of an opened file, which stays open until `commit`. */
  fill(file: OpenedFile): Promise<void>;
  /** Makes the copy durable and visible, in one step. Its content and length were checked before it is visible. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** A place with files. Every function throws StorageFault. */
export interface Storage {
  /** The files below a folder that pass the filter, in batches. A folder that does not pass is not entered. */
  scan(folder: Location, filter: Filter | undefined, signal: AbortSignal): AsyncIterable<ScanBatch>;
  /** Undefined when there is no such file. */
  stat(file: Location): Promise<FileFacts | undefined>;
  /** Opens a file that really lies within one of the folders, symbolic links resolved. */
  open(file: Location, within: readonly Location[]): Promise<OpenedFile>;
  /**
   * Begins a copy to a file that really lies within the base.
   *
   * @param token makes the temporary name unique; it is remembered before, so that a crash leaves nothing for good
   */
  begin(target: Location, base: Location, token: string): Promise<PendingFile>;
  /** Removes the temporary file of a copy that never ended. */
  discardLeftover(target: Location, base: Location, token: string): Promise<void>;
  /** Removes a file that really lies within the base. Does nothing if there is no such file. */
  remove(target: Location, base: Location): Promise<void>;
  close(): Promise<void>;
}
