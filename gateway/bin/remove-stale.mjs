// Removes compiled files whose source is gone: the compiler leaves them, and moved tests would run twice.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const compiled = /\.(?:js|js\.map|d\.ts|d\.ts\.map)$/;

/** Folders of the packages: those with `tsconfig.json`, `src` and `dist`. */
const packagesBelow = function* (folder) {
  if (['tsconfig.json', 'src', 'dist'].every((name) => existsSync(join(folder, name)))) yield folder;
  else {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const isPlain = entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.');
      if (isPlain) yield* packagesBelow(join(folder, entry.name));
    }
  }
};

/** @returns how many files were removed */
export const removeStale = (root) => {
  let removed = 0;
  for (const folder of packagesBelow(root)) {
    const dist = join(folder, 'dist');
    for (const entry of readdirSync(dist, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !compiled.test(entry.name)) continue;
      const file = join(entry.parentPath, entry.name);
      const source = join(folder, 'src', relative(dist, file).replace(compiled, ''));
      if (existsSync(`${source}.ts`)) continue;
      rmSync(file);
      removed += 1;
    }
  }
  return removed;
};
