import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { createFds } from '../harness/run-fds.js';
import { root } from '../harness/spawned.js';
import { shareDoors } from '../doors/set-up-doors.js';

const run = promisify(execFile);
const { doors, leftovers } = shareDoors();

it('installs the packed command line in an empty folder without a registry, and signs in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-packed-cli-'));
  leftovers.add(() => rm(folder, { recursive: true, force: true }));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: join(root, 'gateway/cli') });
  const [tarball] = readdirSync(folder);
  expect(tarball).toMatch(/^fds-cli-.*\.tgz$/);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], { cwd: folder });
  const installed = join(folder, 'node_modules/@fds/cli');
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@fds']);
  expect(readdirSync(installed).toSorted()).toEqual(['README.md', 'bin', 'dist', 'package.json']);
  const fds = createFds(leftovers, join(folder, 'node_modules/.bin/fds'));
  const { baseUrl, passwords } = doors.service;
  const login = ['login', '--url', baseUrl, '--client-id', 'dgs', '--client-secret-stdin'];
  expect(await fds.runWith(passwords.dgs, ...login)).toMatchObject({ status: 0 });
  expect(await fds.run('get', 'zone', 'Root', '-o', 'yaml')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^kind: Zone\nname: Root\n/),
  });
});
