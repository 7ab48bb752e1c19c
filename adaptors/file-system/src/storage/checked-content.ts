import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { OpenedFile } from './storage.js';
import { StorageFault } from './storage-fault.js';

async function* checkedChunks(file: OpenedFile, hash: Hash): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of file.content()) {
    const part = chunk as Buffer;
    bytes += part.length;
    hash.update(part);
    yield part;
  }
  if (bytes !== file.facts.size) throw new StorageFault('CHANGED', `read ${bytes} bytes of ${file.facts.size}`);
  if (!(await file.isUnchanged())) throw new StorageFault('CHANGED', 'the file changed while it was read');
}

/**
 * The content of a file. The stream fails at its end if the file changed after it was opened, so that a reader never
 * treats such content as complete.
 *
 * @returns the stream, and the SHA-256 of the content for the time after its end
 */
export const checkedContent = (file: OpenedFile): { readonly content: Readable; digest(): string } => {
  const hash = createHash('sha256');
  return {
    content: Readable.from(checkedChunks(file, hash), { objectMode: false, highWaterMark: 1024 * 1024 }),
    digest: () => hash.digest('hex'),
  };
};

/** SHA-256 of the content of an opened file. @throws StorageFault CHANGED */
export const digestOfContent = async (file: OpenedFile): Promise<string> => {
  const { content, digest } = checkedContent(file);
  for await (const _ of content);
  return digest();
};
