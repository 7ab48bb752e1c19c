import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReadFacts } from './read-facts.js';

const parent = mkdtempSync(join(tmpdir(), 'fds-facts-'));
const at = (...path: readonly string[]): string => join(parent, ...path);
const names = Array.from({ length: 9 }, (_, index) => `file ${index}`);
const cases = ['unchanged', 'moved', 'replaced', 'above'];
const [ownBytes, foreignBytes] = [1, 2];
const opened: number[] = [];

const fill = (folder: string, bytes: number): void => {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), 'x'.repeat(bytes));
};

beforeAll(async () => {
  for (const name of cases) fill(at(name, 'folder', 'sub'), ownBytes);
  fill(at('outside', 'sub'), foreignBytes);
  // until then, all is read by descriptors
  await eventually(() => expect(Date.now() - statSync(at('above', 'folder')).ctimeMs).toBeGreaterThan(2_500), {
    deadlineMs: 30_000,
  });
});
afterAll(() => {
  for (const descriptor of opened) closeSync(descriptor);
  rmSync(parent, { recursive: true, force: true });
});

const levelOf = (path: string) => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  opened.push(descriptor);
  return { descriptor, place: `/proc/self/fd/${descriptor}`, path };
};

const swap = (folder: string, foreign: string): void => {
  renameSync(folder, `${folder}.away`);
  symlinkSync(foreign, folder);
};
const putBack = (folder: string): void => {
  unlinkSync(folder);
  renameSync(`${folder}.away`, folder);
};

/** The names; work is done when a name is used for the first time. */
const namesWith = (works: Readonly<Record<number, () => void>>): readonly string[] => {
  const list = [...names];
  for (const [index, work] of Object.entries(works)) {
    let isDone = false;
    Object.defineProperty(list, index, {
      get: () => {
        if (!isDone) work();
        isDone = true;
        return names[Number(index)];
      },
    });
  }
  return list;
};

const sizes = (name: string, works: Readonly<Record<number, () => void>>, place?: string): readonly unknown[] => {
  const root = levelOf(at(name));
  const [folder, sub] = [levelOf(at(name, 'folder')), levelOf(at(name, 'folder', 'sub'))];
  const levels = [root, folder, place === undefined ? sub : { ...sub, place }];
  const facts = createReadFacts(root)(levels, namesWith(works));
  return facts.map((one) => (one !== undefined && 'size' in one ? one.size : one));
};

const own = names.map(() => ownBytes);

it('the facts of a folder at rest are read by its path', () => {
  expect(sizes('unchanged', {}, at('nowhere'))).toEqual(own);
});

it.each<[string, string, Readonly<Record<number, () => void>>]>([
  [
    'is swapped for a link and put back in the meantime',
    'moved',
    {
      3: () => swap(at('moved', 'folder', 'sub'), at('outside', 'sub')),
      6: () => putBack(at('moved', 'folder', 'sub')),
    },
  ],
  ['is swapped for a link', 'replaced', { 3: () => swap(at('replaced', 'folder', 'sub'), at('outside', 'sub')) }],
  [
    'is below a folder that is swapped for a link and put back',
    'above',
    { 3: () => swap(at('above', 'folder'), at('outside')), 6: () => putBack(at('above', 'folder')) },
  ],
])('a folder that %s shows its own files', (_, name, works) => {
  expect(sizes(name, works)).toEqual(own);
});
