import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { codeOf } from '../startup/code-of.js';

/** Files of the data directory that a backup has. Others belong to the machine. */
export const keyFile = 'secret.key';
const fileNames: ReadonlySet<string> = new Set([keyFile, 'admin.password', 'dgs.password']);

const markFile = 'restore.incomplete';

/** Text of a file of the data directory; undefined when it is missing. */
export const loadHubFile = async (dataDir: string, name: string): Promise<string | undefined> => {
  try {
    return await readFile(join(dataDir, name), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** The files of a backup: the key of the deployment, and the generated passwords that were not removed. */
export const readHubFiles = async (key: Buffer, passwordFiles: readonly string[]): Promise<Record<string, string>> => {
  const files: Record<string, string> = { [keyFile]: `${key.toString('base64')}\n` };
  for (const path of passwordFiles) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) files[basename(path)] = text;
  }
  return files;
};

/** The file has its content after the call, also when the machine loses its power. */
const writePrivately = async (dataDir: string, name: string, text: string): Promise<void> => {
  const draft = join(dataDir, `${name}.${randomUUID()}`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(dataDir, name));
};

/** Writes the files of a backup into the data directory. Only their owner may read them. */
export const writeHubFiles = async (dataDir: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    if (!fileNames.has(name)) throw new Error(`the backup has a file ${name}, which this version does not know`);
    await writePrivately(dataDir, name, text);
  }
};

/** Says that a restore has begun. The service does not start until it has ended. @param backup names the backup */
export const markRestore = (dataDir: string, backup: string): Promise<void> =>
  writePrivately(dataDir, markFile, `${backup}\n`);

/** The backup of a restore that has begun and not ended. */
export const loadRestoreMark = async (dataDir: string): Promise<string | undefined> =>
  (await loadHubFile(dataDir, markFile))?.trim();

export const unmarkRestore = (dataDir: string): Promise<void> => rm(join(dataDir, markFile), { force: true });

/** @throws Error that names the file when a restore has begun and not ended */
export const requireWholeRestore = async (dataDir: string): Promise<void> => {
  if ((await loadRestoreMark(dataDir)) === undefined) return;
  throw new Error(
    `FDS_DATA_DIR: a restore into this hub was interrupted: run fds restore again; or remove ${join(dataDir, markFile)} to start a new hub`,
  );
};
