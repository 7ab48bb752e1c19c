import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProcessingState, type ProcessingState } from '../../state/processing-state.js';
import { copyFile } from '../../transfer/copy-file.js';
import { parseLocation } from '../../uris/location.js';
import { openStorages } from '../open-storages.js';
import { StorageFault } from '../storage-fault.js';

const parent = mkdtempSync(join(tmpdir(), 'fds-swapped-'));
const at = (...path: readonly string[]): string => join(parent, ...path);
const location = (...path: readonly string[]) => parseLocation(at(...path));
const storages = openStorages(undefined);
const secret = 'secret';
const attackMs = 3_000;

/** Swaps each folder for a symbolic link and back, as fast as it can. */
const adversary = `
const { renameSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
const [outside, ...folders] = process.argv.slice(1);
const attempt = (work) => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};
for (let round = 0; ; round += 1) {
  for (const folder of folders) {
    renameSync(folder, folder + '.away');
    attempt(() => symlinkSync(outside, folder));
    attempt(() => unlinkSync(folder));
    // the adaptor may have created the folder again
    while (!attempt(() => renameSync(folder + '.away', folder))) attempt(() => renameSync(folder, folder + round));
  }
  if (round === 0) writeFileSync(outside + '.begun', '');
}`;

let processing: ProcessingState;
let attacker: ChildProcess;
beforeAll(async () => {
  for (const folder of ['in/sub', 'out/sub', 'outside', 'state']) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('in/sub/file'), 'content');
  writeFileSync(at('outside/file'), secret);
  processing = openProcessingState(at('state'), 'processing');
  attacker = spawn(process.execPath, ['-e', adversary, at('outside'), at('in/sub'), at('out/sub')], {
    stdio: 'ignore',
  });
  await eventually(() => expect(existsSync(at('outside.begun'))).toBe(true));
});
afterAll(() => {
  attacker.kill('SIGKILL');
  processing.close();
  rmSync(parent, { recursive: true, force: true });
});

/** A swap may make the work fail, but only as a fault of the storage. */
const attempt = async (work: () => Promise<unknown>): Promise<'DONE' | 'FAULT'> => {
  try {
    await work();
    return 'DONE';
  } catch (error) {
    if (error instanceof StorageFault) return 'FAULT';
    throw error;
  }
};

describe('folders that are swapped for symbolic links while files are copied', () => {
  it('lead neither the reading nor the writing out of their bases', async () => {
    const outcomes = { DONE: 0, FAULT: 0 };
    const read = new Set<string>();
    for (const end = Date.now() + attackMs; Date.now() < end || outcomes.DONE < 50;) {
      const name = randomUUID();
      const [target, base] = [location('out/sub', name), location('out')];
      const order = { from: location('in/sub/file'), within: [location('in')], to: target, base };
      const outcome = await attempt(() =>
        copyFile({ ...order, replaced: 'ABSENT' }, { storages, processing, newUuid: randomUUID }),
      );
      outcomes[outcome] += 1;
      const local = storages.of(target);
      for await (const batch of local.scan(location('in'), undefined, new AbortController().signal))
        for (const { path, size } of batch.files) read.add(`${path} ${size}`);
      await attempt(() => local.remove(location('out/sub/file'), base, 'ANY'));
      await attempt(() => local.discardLeftover(location('out/sub/file'), base, name));
    }
    attacker.kill('SIGKILL');
    await eventually(() => expect(attacker.signalCode).toBe('SIGKILL'));
    expect(readdirSync(at('outside'))).toEqual(['file']);
    expect(readFileSync(at('outside/file'), 'utf8')).toBe(secret);
    // the killed attacker may have left a link to `outside` behind, which a recursive listing follows
    const isIn = (folder: string): boolean => `${realpathSync(folder)}/`.startsWith(`${realpathSync(at('out'))}/`);
    const made = readdirSync(at('out'), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && isIn(entry.parentPath),
    );
    const contents = made.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
    expect(new Set(contents)).toEqual(new Set(['content']));
    expect(contents.length).toBeGreaterThanOrEqual(outcomes.DONE);
    // `file` outside has another length than `file` inside
    expect([...read].filter((one) => one.endsWith(` ${secret.length}`))).toEqual([]);
    expect(outcomes.DONE).toBeGreaterThan(0);
  });
});
