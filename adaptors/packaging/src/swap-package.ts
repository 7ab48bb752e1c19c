import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPackage } from './workspace-package.js';

/** Folder that keeps the files of the checkout while the published form replaces them. */
const asideOf = (folder: string): string => join(folder, '.unpacked');

/** Entries that the published form adds to the folder of the checkout. */
const addedNames = ['LICENSE', 'docs'];

/** Puts the files of the checkout back. Does nothing when they are in place. */
export const swapOut = (folder: string): void => {
  const aside = asideOf(folder);
  if (!existsSync(aside)) return;
  for (const name of addedNames) rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of readdirSync(aside)) {
    rmSync(join(folder, name), { recursive: true, force: true });
    renameSync(join(aside, name), join(folder, name));
  }
  rmSync(aside, { recursive: true });
};

/**
 * Replaces the files of a package by its published form, so that `npm pack` in its folder packs that form. If the
 * process ends before `swapOut`, the published form stays in place; the next call restores the files first.
 */
export const swapIn = async (root: string, folder: string): Promise<void> => {
  swapOut(folder);
  // loads the bundlers, which `swapOut` does not need
  const { stagePackage } = await import('./stage-package.js');
  const staged = mkdtempSync(join(tmpdir(), 'fds-pack-'));
  try {
    await stagePackage(root, readPackage(folder), staged);
    const aside = asideOf(folder);
    mkdirSync(aside);
    for (const name of readdirSync(staged)) {
      if (existsSync(join(folder, name))) renameSync(join(folder, name), join(aside, name));
      cpSync(join(staged, name), join(folder, name), { recursive: true });
    }
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
};
