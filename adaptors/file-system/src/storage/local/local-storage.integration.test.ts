import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Filter } from '../../filters/filter.js';
import { type Location, parseLocation, resolveBelow } from '../../uris/location.js';
import type { Unreadable } from '../storage.js';
import type { StorageFaultKind } from '../storage-fault.js';
import { temporaryName } from '../temporary-name.js';
import { createLocalStorage } from './local-storage.js';

const storage = createLocalStorage();
const parent = mkdtempSync(join(tmpdir(), 'fds-local-storage-'));
const token = '0190a8f4-0000-4000-8000-000000000001';
let root: string;
let folder: Location;
let count = 0;

const write = (path: string, content = path): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
};
const scan = async (filter?: Filter): Promise<{ paths: readonly string[]; unreadable: readonly Unreadable[] }> => {
  const paths: string[] = [];
  const unreadable: Unreadable[] = [];
  for await (const batch of storage.scan(folder, filter, new AbortController().signal)) {
    paths.push(...batch.files.map(({ path }) => path));
    unreadable.push(...batch.unreadable);
  }
  return { paths: paths.toSorted(), unreadable };
};
const collect = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};
const below = (path: string): Location => resolveBelow(folder, path);
const content = (text: string, size = Buffer.byteLength(text)) => ({
  facts: { size, modifiedMs: 0 },
  content: () => Readable.from([Buffer.from(text)]),
  isUnchanged: () => Promise.resolve(true),
  close: () => Promise.resolve(),
});
const refusedAs = (kind: StorageFaultKind): unknown => expect.objectContaining({ name: 'StorageFault', kind });

beforeEach(() => {
  root = join(parent, String((count += 1)));
  mkdirSync(root);
  folder = parseLocation(root);
});

afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe('a scan of a local folder', () => {
  it('finds every file below the folder with size and time, in several batches', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `${index % 7}/${index}.txt`);
    for (const name of names) {
      write(name, 'x');
      utimesSync(join(root, name), 1, 1.5);
    }
    expect((await scan()).paths).toEqual(names.toSorted());
    const [batch] = await collect(storage.scan(folder, undefined, new AbortController().signal));
    const [file] = batch?.files ?? [];
    const found = await storage.stat(below(file?.path ?? ''), folder);
    expect(file).toEqual({ path: file?.path, size: 1, modifiedMs: found?.modifiedMs, stamp: found?.stamp });
  });

  it('does not enter a folder that does not pass the filter', async () => {
    write('in/a.txt');
    write('in/a.csv');
    write('out.d/b.txt');
    const suffix: Filter = { type: 'SUFFIX', value: '.txt' };
    expect((await scan(suffix)).paths).toEqual([]);
    expect((await scan({ type: 'OR', children: [{ type: 'IS_DIRECTORY' }, suffix] })).paths).toEqual([
      'in/a.txt',
      'out.d/b.txt',
    ]);
    const notOut: Filter = { type: 'NOT', children: [{ type: 'REGEX', value: 'out.*' }] };
    expect((await scan({ type: 'AND', children: [notOut, { type: 'CAN_READ' }] })).paths).toEqual([
      'in/a.csv',
      'in/a.txt',
    ]);
  });

  it('finds names with any character except / and %, and reports names that it cannot monitor', async () => {
    const names = [' lead', 'a\nb', 'a#?&;b', 'back\\slash', 'c:', 'é\u0301😀', '~', '..a'];
    for (const name of names) write(name);
    write('100%');
    expect(await scan()).toEqual({
      paths: names.toSorted(),
      unreadable: [{ path: '100%', reason: 'a name with % cannot be monitored' }],
    });
  });

  it('marks a file that may change once more without another time, but not one with an earlier or a future time', async () => {
    write('second');
    utimesSync(join(root, 'second'), 1, Math.floor(Date.now() / 1_000));
    write('future');
    utimesSync(join(root, 'future'), 1, Date.now() / 1_000 + 3_600);
    write('past');
    utimesSync(join(root, 'past'), 1, 1);
    const [batch] = await collect(storage.scan(folder, undefined, new AbortController().signal));
    const marked = batch?.files.filter(({ mayKeepTime }) => mayKeepTime === true).map(({ path }) => path);
    expect(marked).toEqual(['second']);
  });

  it('skips symbolic links and incomplete copies', async () => {
    write('real/a.txt');
    symlinkSync(join(root, 'real'), join(root, 'link'));
    symlinkSync(join(root, 'real/a.txt'), join(root, 'link.txt'));
    symlinkSync(root, join(root, 'real/loop'));
    write(temporaryName(token));
    expect((await scan()).paths).toEqual(['real/a.txt']);
  });

  it('fails with AWAY when the folder does not exist', async () => {
    rmSync(root, { recursive: true });
    await expect(scan()).rejects.toEqual(refusedAs('AWAY'));
  });

  it('ends when it is aborted', async () => {
    for (let index = 0; index < 5_000; index += 1) write(`${index}`);
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of storage.scan(folder, undefined, controller.signal)) controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a copy into a local folder', () => {
  it('appears when it is committed, creates its folders, and leaves no other file', async () => {
    const pending = await storage.begin(below('new/a b.txt'), folder, token);
    await pending.fill(content('hello'));
    expect(existsSync(join(root, 'new/a b.txt'))).toBe(false);
    await pending.commit('ANY');
    expect(readFileSync(join(root, 'new/a b.txt'), 'utf8')).toBe('hello');
    expect(readdirSync(join(root, 'new'))).toEqual(['a b.txt']);
  });

  it('keeps the old content until its commit', async () => {
    write('a', 'old');
    const pending = await storage.begin(below('a'), folder, token);
    await pending.fill(content('new'));
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('old');
    await pending.commit('ANY');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('new');
  });

  it('refuses content with another length than expected', async () => {
    const pending = await storage.begin(below('a'), folder, token);
    await expect(pending.fill(content('hello', 6))).rejects.toEqual(refusedAs('CHANGED'));
    await pending.discard();
    expect(readdirSync(root)).toEqual([]);
  });

  it('removes the temporary file of an unfinished copy', async () => {
    const pending = await storage.begin(below('sub/a'), folder, token);
    await pending.fill(content('half'));
    await storage.discardLeftover(below('sub/a'), folder, token);
    expect(readdirSync(join(root, 'sub'))).toEqual([]);
    await pending.discard();
  });

  it('refuses to go through a symbolic link that leads out of the base', async () => {
    const outside = join(parent, `outside-${count}`);
    mkdirSync(outside);
    symlinkSync(outside, join(root, 'link'));
    await expect(storage.begin(below('link/a'), folder, token)).rejects.toEqual(refusedAs('UNFIT'));
    await expect(storage.begin(below('link/deep/a'), folder, token)).rejects.toEqual(refusedAs('UNFIT'));
    await expect(storage.remove(below('link/a'), folder, 'ANY')).rejects.toEqual(refusedAs('UNFIT'));
    expect(readdirSync(outside)).toEqual([]);
  });

  it('replaces a symbolic link at the target, but not the file that the link leads to', async () => {
    const outside = join(parent, `secret-${count}`);
    writeFileSync(outside, 'secret');
    symlinkSync(outside, join(root, 'a'));
    const pending = await storage.begin(below('a'), folder, token);
    await pending.fill(content('new'));
    await pending.commit('ANY');
    expect(readFileSync(outside, 'utf8')).toBe('secret');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('new');
  });

  it('follows a symbolic link that stays in the base', async () => {
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'));
    const pending = await storage.begin(below('link/a'), folder, token);
    await pending.fill(content('x'));
    await pending.commit('ANY');
    expect(readdirSync(join(root, 'real'))).toEqual(['a']);
  });

  it('refuses a target that is a folder, a parent that is a file, and a name that is too long', async () => {
    write('folder/a');
    await expect(storage.begin(below('folder'), folder, token)).rejects.toEqual(refusedAs('BLOCKED'));
    await expect(storage.begin(below('folder/a/b'), folder, token)).rejects.toEqual(refusedAs('BLOCKED'));
    await expect(storage.begin(below('n'.repeat(256)), folder, token)).rejects.toEqual(refusedAs('UNFIT'));
  });

  it.each([
    ['a small file', 10],
    ['a large file', 3 * 1024 * 1024],
  ])('has the permissions of %s, but not its setuid, setgid and sticky bits', async (_, size) => {
    for (const [index, mode] of [0o4755, 0o2711, 0o1640, 0o7600, 0o640].entries()) {
      const [from, to] = [`from-${index}`, `to-${index}`];
      write(from, 'x'.repeat(size));
      chmodSync(join(root, from), mode);
      const file = await storage.open(below(from), [folder]);
      const pending = await storage.begin(below(to), folder, token);
      await pending.fill(file);
      await pending.commit('ABSENT');
      await file.close();
      expect(statSync(join(root, to)).mode & 0o7777).toBe(mode & 0o777);
      expect(readFileSync(join(root, to))).toHaveLength(size);
    }
  });

  it('waits for a missing base and does not create it', async () => {
    rmSync(root, { recursive: true });
    await expect(storage.begin(below('a'), folder, token)).rejects.toEqual(refusedAs('AWAY'));
    expect(existsSync(root)).toBe(false);
  });
});

describe('names', () => {
  it('stay unchanged in a copy: control characters, blanks, case, and both forms of Unicode', async () => {
    const names = [
      'a\nb',
      'a\r',
      '\ttab',
      '\u001b[31m',
      ' lead',
      'trail ',
      'dot.',
      '-rf',
      'a\\\\b',
      '?#&+',
      '*',
      '...',
    ];
    names.push('\u00e9', 'e\u0301', 'Case', 'case', '\u202egpj', '\u{1f4c4}', 'x'.repeat(255), '\u00e9'.repeat(127));
    for (const name of names) write(`in/${name}`, name);
    const found = (await scan()).paths;
    expect(found).toEqual(names.map((name) => `in/${name}`).toSorted());
    for (const path of found) {
      const file = await storage.open(below(path), [folder]);
      const pending = await storage.begin(below(path.replace('in/', 'out/')), folder, token);
      await pending.fill(file);
      await pending.commit('ABSENT');
      await file.close();
    }
    expect(readdirSync(join(root, 'out')).toSorted()).toEqual(names.toSorted());
    for (const name of names) expect(readFileSync(join(root, 'out', name), 'utf8')).toBe(name);
  });

  it('that lead to the same inode are separate files', async () => {
    write('in/a', 'linked');
    linkSync(join(root, 'in/a'), join(root, 'in/b'));
    expect((await scan()).paths).toEqual(['in/a', 'in/b']);
    const file = await storage.open(below('in/a'), [folder]);
    const pending = await storage.begin(below('in/a2'), folder, token);
    await pending.fill(file);
    await pending.commit('ABSENT');
    await file.close();
    writeFileSync(join(root, 'in/b'), 'changed');
    expect(readFileSync(join(root, 'in/a2'), 'utf8')).toBe('linked');
  });
});

describe('a local file', () => {
  it('opens only if its real path is in a folder that may be read', async () => {
    write('a', 'content');
    const outside = join(parent, `outside-file-${count}`);
    writeFileSync(outside, 'secret');
    symlinkSync(outside, join(root, 'link'));
    const file = await storage.open(below('a'), [folder]);
    expect(file.facts.size).toBe(7);
    await file.close();
    await expect(storage.open(below('link'), [folder])).rejects.toEqual(refusedAs('UNFIT'));
    await expect(storage.open(below('gone'), [folder])).rejects.toEqual(refusedAs('GONE'));
    rmSync(root, { recursive: true });
    await expect(storage.open(below('a'), [folder])).rejects.toEqual(refusedAs('AWAY'));
  });

  it('is not copied when it changes after it was opened', async () => {
    write('a', 'before');
    const file = await storage.open(below('a'), [folder]);
    write('a', 'after, and longer');
    const pending = await storage.begin(below('b'), folder, token);
    await expect(pending.fill(file)).rejects.toEqual(refusedAs('CHANGED'));
    await pending.discard();
    await file.close();
    expect(readdirSync(root)).toEqual(['a']);
  });

  it.each([10, 2 * 1024 * 1024])(
    'of %i bytes is not copied when it changes and keeps its length and time',
    async (size) => {
      write('a', 'x'.repeat(size));
      const { atime, mtime } = statSync(join(root, 'a'));
      utimesSync(join(root, 'a'), atime, mtime);
      const file = await storage.open(below('a'), [folder]);
      const changeTime = (): number => statSync(join(root, 'a')).ctimeMs;
      const opened = changeTime();
      // the clock of the file system advances in ticks
      while (changeTime() === opened) {
        const descriptor = openSync(join(root, 'a'), 'r+');
        writeSync(descriptor, 'y', size - 1);
        closeSync(descriptor);
        utimesSync(join(root, 'a'), atime, mtime);
      }
      const pending = await storage.begin(below('b'), folder, token);
      await expect(pending.fill(file)).rejects.toEqual(refusedAs('CHANGED'));
      await pending.discard();
      await file.close();
      expect(readdirSync(root)).toEqual(['a']);
    },
  );
});
