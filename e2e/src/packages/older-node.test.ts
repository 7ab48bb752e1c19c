import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { root } from '../harness/spawned.js';
import { installOldestNode, whyNotInstallable } from './install-packages.js';

const whyNot = process.platform === 'linux' ? await whyNotInstallable() : 'skipped: npm has Node 20.19 for Linux only';

const prepare = pathToFileURL(join(root, 'gateway/bin/prepare.mjs')).href;

/** A script as `npm start` is one: it does what its argument says, on the Node that `install` continues on. */
const script = `import { install } from '${prepare}';
await install();
console.log(JSON.stringify({ node: process.versions.node, pid: process.pid, args: process.argv.slice(2) }));
const [what, code] = process.argv.slice(2);
if (what === 'exit') process.exit(Number(code));
process.on('SIGTERM', () => {
  console.log('asked to end');
  process.exit(7);
});
setInterval(() => undefined, 1000);
`;

interface Printed {
  readonly node: string;
  readonly pid: number;
  readonly args: readonly string[];
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

(whyNot === undefined ? describe : describe.skip)(
  `a script on Node 20.19${whyNot === undefined ? '' : ` (${whyNot})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'fds-older-node-'));
    const file = join(folder, 'script.mjs');
    let oldestNode: string;

    const start = async (...args: readonly string[]) => {
      const child = spawn(oldestNode, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      const output = { out: '', error: '' };
      child.stdout.on('data', (data: Buffer) => (output.out += data.toString()));
      child.stderr.on('data', (data: Buffer) => (output.error += data.toString()));
      const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      const printed = await eventually(() => JSON.parse(output.out.split('\n')[0] ?? '') as Printed);
      return { child, output, ended, printed };
    };

    beforeAll(async () => {
      writeFileSync(file, script);
      oldestNode = await installOldestNode(folder);
    }, 120_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('continues on Node 24, says so in one line, and ends with its exit code', async () => {
      const { stdout } = await promisify(execFile)(oldestNode, ['--version']);
      expect(stdout).toMatch(/^v20\.19\./);
      const { output, ended, printed } = await start('exit', '3');
      expect(await ended).toEqual([3, null]);
      expect(printed).toMatchObject({ node: expect.stringMatching(/^24\./), args: ['exit', '3'] });
      expect(output.error.trim().split('\n')).toEqual([
        expect.stringMatching(/^Node 20\.19\.\d+ is older than 22\.12/),
      ]);
    });

    it('hands on a signal and ends as the other process ends', async () => {
      const { child, output, ended } = await start('wait');
      child.kill('SIGTERM');
      expect(await ended).toEqual([7, null]);
      expect(output.out).toContain('asked to end');
    });

    it('ends by the signal that ends the other process', async () => {
      const { ended, printed } = await start('wait');
      process.kill(printed.pid, 'SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
    });

    it('takes the other process along when it is killed', async () => {
      const { child, ended, printed } = await start('wait');
      child.kill('SIGKILL');
      await ended;
      await eventually(() => expect(isAlive(printed.pid)).toBe(false));
    });
  },
);
