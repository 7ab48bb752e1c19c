import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { getToken } from '../../harness/client.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

const { doors } = setUpDoors();
const run = promisify(execFile);

const page = readFileSync(new URL('../../../../docs/recipes/people-and-applications.md', import.meta.url), 'utf8');

/** The commands of a recipe, as a person pastes them. */
const commandsOf = (heading: string): string => {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [, commands] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  if (commands === undefined) throw new Error(`the page has no commands below ${heading}`);
  return commands;
};

/** Runs a recipe as `admin` and `dgs`. @returns the JSON that its last command prints */
const follow = async (heading: string): Promise<Record<string, unknown>> => {
  const { service, admin, dgs, root } = doors;
  const env = {
    ...process.env,
    API: `${service.baseUrl}/api`,
    ZONE: root,
    AUTH: `Authorization: Bearer ${admin.token}`,
    STEWARD: `Authorization: Bearer ${dgs.token}`,
    JSON: 'content-type: application/json',
  };
  const { stdout } = await run('sh', ['-e', '-c', commandsOf(heading)], { env });
  return JSON.parse(stdout) as Record<string, unknown>;
};

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
