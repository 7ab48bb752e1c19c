import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../testing/eventually.js';
import { startSubject } from './start-subject.js';

/** Takes a moment to stop, like an adaptor that finishes its work. */
const program = `process.on('SIGTERM', () => setTimeout(() => { console.log('stopped'); process.exit(7); }, 200));
setInterval(() => undefined, 1_000);
console.log('started in ' + process.cwd());
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-subject-'));
  mkdirSync(join(folder, 'parts'));
  writeFileSync(join(folder, 'parts', 'program.mjs'), program);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = async () => {
  const subject = startSubject(`cd parts && ${process.execPath} program.mjs`, {}, folder);
  await eventually(() => subject.output().includes(`started in ${join(folder, 'parts')}`));
  return subject;
};

describe('a shell command with several parts', () => {
  it('is stopped together with the process of its last part, and returns the exit code of that process', async () => {
    const subject = await start();
    expect(subject.running).toBe(true);
    await subject.stop(10_000);
    expect(subject.output()).toContain('stopped');
    expect(await subject.ended(0)).toBe(7);
  });

  it('is killed together with the process of its last part', async () => {
    const subject = await start();
    await subject.kill();
    expect([subject.running, subject.output()]).toEqual([false, expect.not.stringContaining('stopped')]);
  });
});
