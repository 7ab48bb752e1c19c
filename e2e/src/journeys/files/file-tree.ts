import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Random } from '@fds/testing';

/** Files below a folder, by relative path, with a digest of their content. */
export const readTree = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [
        path,
        createHash('sha1')
          .update(readFileSync(join(folder, path)))
          .digest('hex'),
      ]),
  );

/** Paths at which two trees differ. */
export const differences = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));

/** Folders without a file in them or below them, by relative path. */
export const emptyFolders = (folder: string): readonly string[] => {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const used = new Set<string>();
  for (const path of entries.filter((one) => statSync(join(folder, one)).isFile())) {
    for (let above = path; above !== '.'; above = dirname(above)) used.add(above);
  }
  return entries.filter((path) => !used.has(path));
};

/** A folder with random changes. The same seed gives the same changes. */
export interface ChangingTree {
  readonly size: number;
  /** Creates this number of files without blocking the connections of the process. */
  create(count: number): Promise<void>;
  /**
   * Updates, deletes and creates files, and turns files into folders and folders into files; `count` is the total number of
   * changes.
   */
  change(count: number): void;
}

const names = ['report', 'a b', 'ü', '#1', 'x&y;z', '12:30', "it's", 'plus+'];

export const createChangingTree = (root: string, random: Random): ChangingTree => {
  const paths: string[] = [];
  let created = 0;
  let swapped = false;
  const write = (path: string): void => {
    const content = `${random.uuid()}\n`.repeat(random.below(random.chance(0.05) ? 5_000 : 50));
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  /** Would a file take the place of a folder, or need a folder in the place of a file? */
  const isTaken = (path: string): boolean =>
    swapped && paths.some((one) => path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
  const create = (): void => {
    const path = `${random.below(20)}/${random.pick(names)}/${(created += 1)} ${random.pick(names)}.txt`;
    if (isTaken(path)) return;
    paths.push(path);
    write(path);
  };
  const forget = (path: string): void => {
    paths.splice(paths.indexOf(path), 1);
  };
  /** A file becomes a folder with a file, or a folder with all its files becomes a file. */
  const swap = (): void => {
    swapped = true;
    const path = random.pick(paths);
    const folder = dirname(path);
    const below = paths.filter((one) => one.startsWith(`${folder}/`));
    const becomesFile = below.length < 5 && folder.includes('/');
    for (const one of becomesFile ? below : [path]) forget(one);
    rmSync(join(root, becomesFile ? folder : path), { recursive: true });
    const next = becomesFile ? folder : `${path}/below/${random.pick(names)}`;
    paths.push(next);
    write(next);
  };
  const deleteOne = (): void => {
    const [path] = paths.splice(random.below(paths.length), 1);
    if (path !== undefined) rmSync(join(root, path));
  };
  return {
    get size() {
      return paths.length;
    },
    create: async (count) => {
      for (let index = 0; index < count; index += 1) {
        create();
        if (index % 100 === 0) await setImmediate();
      }
    },
    change: (count) => {
      for (let index = 0; index < count; index += 1) {
        const choice = random.next();
        if (choice < 0.5 && paths.length > 0) write(random.pick(paths));
        else if (choice < 0.7 && paths.length > 0) deleteOne();
        else if (choice < 0.8 && paths.length > 0) swap();
        else create();
      }
    },
  };
};
