import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from '@jest/globals';
import { createBrowser } from '@fds/testing';
import { getToken } from '../../harness/client.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

const { doors } = setUpDoors();
const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
/** The packages of the checkout are found in it, as if they were installed there. */
const folder = mkdtempSync(join(tmpdir(), 'fds-recipes-'));
symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(new URL('../../../../docs/recipes/people-and-applications.md', import.meta.url), 'utf8');

/** The commands of a recipe, as a person pastes them. */
const commandsOf = (heading: string): string => {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [, commands] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  if (commands === undefined) throw new Error(`the page has no commands below ${heading}`);
  return commands;
};

/** Runs a recipe as `admin` and `dgs`. @returns its output */
const paste = async (heading: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { service, admin, dgs, root } = doors;
  const env = {
    ...process.env,
    ...more,
    BASE: service.baseUrl,
    API: `${service.baseUrl}/api`,
    ZONE: root,
    AUTH: `Authorization: Bearer ${admin.token}`,
    STEWARD: `Authorization: Bearer ${dgs.token}`,
    JSON: 'content-type: application/json',
  };
  const { stdout } = await run('sh', ['-e', '-c', commandsOf(heading)], { env, cwd: folder });
  return stdout;
};

/** @returns the JSON that the last command prints */
const follow = async (heading: string): Promise<Record<string, unknown>> =>
  JSON.parse(await paste(heading)) as Record<string, unknown>;

it('makes a second steward', async () => {
  const made = await follow('A second steward');
  expect(made).toMatchObject({ username: 'second.steward' });
  const { root, admin } = doors;
  const { body } = await admin.rest<{ roles: readonly Resource[] }>('GET', `/zones/${root}/roles`);
  const steward = body.roles.find(({ name }) => name === 'Zone Data Steward');
  expect((await admin.rest('GET', `/zones/${root}/users/${String(made['uuid'])}`)).body).toMatchObject({
    username: 'second.steward',
    roleUuids: [steward?.uuid],
  });
});

it('lets the second steward register an adaptor with the token of a sign-in', async () => {
  const { baseUrl } = doors.service;
  const person = { username: 'second.steward', password: 'four words make sense' };
  const sdk = join(folder, 'node_modules/.bin/fds-adaptor');
  const byPassword = { ...process.env, FDS_SERVER: baseUrl, FDS_USER: person.username, FDS_PASSWORD: person.password };
  await expect(run(sdk, ['init', '--name', 'x'], { env: byPassword, cwd: folder })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^sign in: the user second\.steward gets no token by a password: requested grant type is not allowed for this client \(status 400\)\..* --token .*service account/,
    ),
  });

  const browser = createBrowser();
  const done = await browser.submit(await browser.visit(`${baseUrl}/openid/login`), person);
  const { access_token: token } = JSON.parse(done.text) as { readonly access_token: string };
  const made = await paste('A second steward registers an adaptor', { ACCESS_TOKEN: token });
  expect(made).toContain('created the adaptor: CRM');
  expect(readFileSync(join(folder, 'crm.properties'), 'utf8')).toContain('client.secret');
});

it('lets a script register an adaptor with a service account', async () => {
  expect(await paste('A script registers adaptors')).toContain('created the adaptor: ERP');
});

it('makes an application with read access', async () => {
  const { clientId, clientSecret } = await follow('An application with read access');
  const { service, root } = doors;
  const token = await getToken({
    baseUrl: service.baseUrl,
    username: String(clientId),
    password: String(clientSecret),
  });
  const read = await fetch(`${service.baseUrl}/api/zones/${root}`, { headers: { authorization: `Bearer ${token}` } });
  expect(read.status).toBe(200);
  const write = await fetch(`${service.baseUrl}/api/domains`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"name":"no"}',
  });
  expect(write.status).toBe(403);
});

it('makes a person who signs in by an external provider', async () => {
  expect(await follow('A person who signs in by an external provider')).toMatchObject({
    username: 'eva',
    ssoId: '248289761001',
  });
});
