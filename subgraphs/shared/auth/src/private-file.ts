import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/** Reads the file. Every error has the path: Node gives none when the path is a folder. */
const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw error instanceof Error && !('path' in error) ? Object.assign(error, { path }) : error;
  });

/**
 * Text of a file that only its owner may read. A missing file is created atomically with the result of `generate`; one of
 * several processes that start at once creates it, and all read the same.
 */
export const openPrivateFile = async (path: string, generate: () => string): Promise<string> => {
  try {
    return await readText(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, generate(), { mode: 0o600, flush: true });
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return readText(path);
};
