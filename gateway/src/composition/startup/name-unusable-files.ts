import { codeOf } from './code-of.js';

/** The path within the folder that the operating system refused; undefined for another error. */
const refusedPath = (error: unknown, folder: string): string | undefined => {
  if (!(error instanceof Error) || !('path' in error) || typeof error.path !== 'string') return undefined;
  return error.path.startsWith(folder) ? error.path : undefined;
};

/**
 * Does work with the files of the data directory.
 *
 * @throws Error that names the setting and the path when the operating system refuses a file in the data directory;
 * every other error unchanged
 */
export const nameUnusableFiles = async <Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    const path = refusedPath(error, dataDir);
    if (path === undefined) throw error;
    throw new Error(`FDS_DATA_DIR: ${path} cannot be read or written (${codeOf(error)})`, { cause: error });
  }
};
