import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createCompiledStore } from './compiled-store.js';
import { openChunks } from './open-chunks.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-chunks-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const writeChunk = (name: string, body: string): void =>
  writeFileSync(join(folder, name), `(function(exports,require,module,bundleUrl){"use strict";${body}\n})`);

/** Opens the chunks like a new process, which shares only the files. */
const openAgain = () => {
  let compiled = 0;
  const chunks = openChunks({
    folder,
    store: createCompiledStore(join(folder, 'compiled')),
    requireOutside: (id) => ({ id }),
    onCompiled: () => {
      compiled += 1;
    },
  });
  return { ...chunks, compiled: () => compiled };
};

test('a chunk gets the exports of those that it needs, of outside packages, and the URL of the bundle', () => {
  writeChunk('a.cjs', 'module.exports={b:require("./b.cjs").value,outside:require("pg").id,bundleUrl}');
  writeChunk('b.cjs', 'exports.value=7');
  const { b, outside, bundleUrl } = openAgain().load('a.cjs') as Record<string, unknown>;
  expect({ b, outside }).toEqual({ b: 7, outside: 'pg' });
  expect(bundleUrl).toMatch(/^file:.*\/main\.mjs$/);
});

test('a chunk runs once', () => {
  writeChunk('a.cjs', 'exports.value={}');
  const { load } = openAgain();
  expect(load('a.cjs')).toBe(load('a.cjs'));
});

test('a chunk that failed runs again when it is needed again', () => {
  writeChunk('a.cjs', 'throw new Error("first")');
  const { load } = openAgain();
  expect(() => load('a.cjs')).toThrow('first');
  writeChunk('a.cjs', 'exports.value=1');
  expect(load('a.cjs')).toHaveProperty('value', 1);
});

test('an error names the file and the line of the chunk', () => {
  writeChunk('a.cjs', '\nthrow new Error("here")');
  let stack: string | undefined;
  try {
    openAgain().load('a.cjs');
  } catch (error) {
    ({ stack } = error as Error);
  }
  expect(stack).toContain(`${join(folder, 'a.cjs')}:2:`);
});

test('compiled code is kept for the next process', () => {
  writeChunk('a.cjs', 'exports.add=(a,b)=>a+b');
  const first = openAgain();
  first.load('a.cjs');
  first.keepCompiled();
  expect(first.compiled()).toBe(1);
  const second = openAgain();
  const { add } = second.load('a.cjs') as { add: (a: number, b: number) => number };
  expect(add(1, 2)).toBe(3);
  expect(second.compiled()).toBe(0);
});

test.each([
  ['another length, which V8 refuses', 'exports.value=10', 10],
  ['the same length, which V8 accepts', 'exports.value=2', 2],
])('code of a text of %s is compiled and kept again', (_length, changed, value) => {
  writeChunk('a.cjs', 'exports.value=1');
  const first = openAgain();
  first.load('a.cjs');
  first.keepCompiled();
  writeChunk('a.cjs', changed);
  const second = openAgain();
  expect(second.load('a.cjs')).toHaveProperty('value', value);
  second.keepCompiled();
  const third = openAgain();
  expect(third.load('a.cjs')).toHaveProperty('value', value);
  expect([second.compiled(), third.compiled()]).toEqual([1, 0]);
  expect(readdirSync(join(folder, 'compiled'))).toHaveLength(1);
});
