import type { FileFormat } from './file-format.js';

/** A file as it comes in. */
interface IncomingFile {
  readonly format: FileFormat;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Takes a file as it comes. It may leave it unread: the rest is then thrown away. */
export type TakeFile<T> = (file: IncomingFile) => Promise<T>;
