import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 1024 * 1024;

/** SHA-256 of an open file. It reads at given positions, so it does not move the position of the handle. */
export const digestOfHandle = async (handle: FileHandle): Promise<string> => {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
};

/** SHA-256 of a content that is already in memory. */
export const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
