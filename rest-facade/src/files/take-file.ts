import type { FileFormat } from './file-format.js';

/** A file while it arrives. */
interface IncomingFile {
  readonly format: FileFormat;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Reads a file while it arrives. It may stop reading; the rest is discarded. */
export type TakeFile<T> = (file: IncomingFile) => Promise<T>;
