import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'generated', 'coverage', 'tarballs']);

/**
 * The source files of the repository, without installed, built or generated files.
 *
 * @param root the folder of the repository
 * @param extensions without the dot
 * @returns paths relative to the root
 */
export const repositoryFiles = (root: string, extensions: readonly string[]): string[] => {
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (skipped.has(entry.name) || entry.name.startsWith('.')) return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return walk(path);
      return extensions.some((extension) => entry.name.endsWith(`.${extension}`)) ? [relative(root, path)] : [];
    });
  return walk(root);
};
