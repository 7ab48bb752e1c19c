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

/** A folder with random changes. The same seed gives the same changes. */
export interface ChangingTree {
  readonly size: number;
  /** Creates this number of files without blocking the connections of the process. */
  create(count: number): Promise<void>;
  /** Updates, deletes and creates files; `count` is the total number of changes. */
  change(count: number): void;
}

const names = ['report', 'a b', 'ü', '#1', 'x&y;z', '12:30', "it's", 'plus+'];

export const createChangingTree = (folder: string, random: Random): ChangingTree => {
  const paths: string[] = [];
  let created = 0;
  const write = (path: string): void => {
    const content = `${random.uuid()}\n`.repeat(random.below(random.chance(0.05) ? 5_000 : 50));
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const create = (): void => {
    const path = `${random.below(20)}/${random.pick(names)}/${(created += 1)} ${random.pick(names)}.txt`;
    paths.push(path);
    write(path);
  };
  const deleteOne = (): void => {
    const [path] = paths.splice(random.below(paths.length), 1);
    if (path !== undefined) rmSync(join(folder, path));
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
        else if (choice < 0.75 && paths.length > 0) deleteOne();
        else create();
      }
    },
  };
};
