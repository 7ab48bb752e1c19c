import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from './code-of.js';

/**
 * Creates one folder after the other: the recursive `mkdir` of Node does not return when a parent allows no folders, as
 * in /proc.
 */
const createFolder = async (folder: string): Promise<void> => {
  const parent = dirname(folder);
  const exists = await access(parent).then(
    () => true,
    () => false,
  );
  if (!exists && parent !== folder) await createFolder(parent);
  await mkdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
};

/**
 * Creates the folder of the setting FDS_DATA_DIR if it is missing.
 *
 * @returns its absolute path
 * @throws Error that names the setting when the folder cannot be created or written
 */
export const openDataDir = async (setting: string): Promise<string> => {
  const dataDir = resolve(setting);
  try {
    await createFolder(dataDir);
    await access(join(dataDir, '.'), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`FDS_DATA_DIR: ${dataDir} cannot be created or written (${codeOf(error)})`, { cause: error });
  }
  return dataDir;
};
