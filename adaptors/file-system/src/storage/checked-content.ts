import { Readable } from 'node:stream';
import type { OpenedFile } from './storage.js';
import { StorageFault } from './storage-fault.js';

async function* checkedChunks(file: OpenedFile): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of file.content()) {
    const part = chunk as Buffer;
    bytes += part.length;
    yield part;
  }
  if (bytes !== file.facts.size) throw new StorageFault('CHANGED', `read ${bytes} bytes of ${file.facts.size}`);
  if (!(await file.isUnchanged())) throw new StorageFault('CHANGED', 'the file changed while it was read');
}

/**
 * The content of a file. The stream fails at its end if the file changed after it was opened, so that a reader never
 * treats such content as complete.
 */
export const checkedContent = (file: OpenedFile): Readable =>
  Readable.from(checkedChunks(file), { objectMode: false, highWaterMark: 1024 * 1024 });
