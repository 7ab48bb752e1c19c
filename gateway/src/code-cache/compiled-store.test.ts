import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createCompiledStore } from './compiled-store.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-compiled-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const code = Buffer.from('compiled code');
const script = { name: 'a.cjs', textChecksum: 7 };

test('code is read as it was written', () => {
  createCompiledStore(join(folder, 'new')).write(script, code);
  expect(createCompiledStore(join(folder, 'new')).read(script)).toEqual(code);
});

test('code that was never written is undefined', () => {
  expect(createCompiledStore(folder).read(script)).toBeUndefined();
});

test('code that is written again replaces the first, and nothing else stays', () => {
  const store = createCompiledStore(folder);
  store.write(script, Buffer.from('earlier'));
  store.write(script, code);
  expect(store.read(script)).toEqual(code);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('code of another text is undefined', () => {
  const store = createCompiledStore(folder);
  store.write(script, code);
  expect(store.read({ ...script, textChecksum: 8 })).toBeUndefined();
});

test('every damaged byte and every lost end is found', () => {
  const store = createCompiledStore(folder);
  store.write(script, code);
  const file = join(folder, readdirSync(folder)[0] ?? '');
  const whole = readFileSync(file);
  for (let place = 0; place < whole.length; place += 1) {
    const damaged = Buffer.from(whole);
    damaged[place] = (damaged[place] ?? 0) ^ 1;
    writeFileSync(file, damaged);
    expect(store.read(script)).toBeUndefined();
    writeFileSync(file, whole.subarray(0, place));
    expect(store.read(script)).toBeUndefined();
  }
  writeFileSync(file, whole);
  expect(store.read(script)).toEqual(code);
});

test('nothing fails in a folder that cannot be written', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const store = createCompiledStore(file);
  store.write(script, code);
  expect(store.read(script)).toBeUndefined();
});
