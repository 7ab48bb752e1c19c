import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stagePackage } from './stage-package.js';
import { readPackage } from './workspace-package.js';

/** Where the files of the checkout wait in the meantime. */
const asideOf = (folder: string): string => join(folder, '.unpacked');

/** What the published form has and the folder in the checkout has not. */
const addedNames = ['LICENSE', 'docs'];

/** Puts the files of the checkout back. Does nothing when they are there. */
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
 * Puts the published form of a package in the place of its files, so that `npm pack` in its folder packs that. A process
 * that ends before `swapOut` leaves it so; the next call puts it right.
 */
export const swapIn = async (root: string, folder: string): Promise<void> => {
  swapOut(folder);
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
