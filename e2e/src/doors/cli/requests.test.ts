import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createFds, type Fds } from '../../harness/run-fds.js';
import { createServiceAccount } from './create-person.js';
import { shareDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

const { doors, leftovers } = shareDoors();
let fds: Fds;
let powerless: Fds;

beforeAll(async () => {
  const { baseUrl, passwords } = doors.service;
  const login = ['login', '--url', baseUrl, '--client-secret-stdin', '--client-id'];
  fds = createFds(leftovers);
  expect(await fds.runWith(passwords.admin, ...login, 'admin')).toMatchObject({ status: 0 });
  powerless = createFds(leftovers);
  const { username, password } = await createServiceAccount(doors, uniqueName('powerless'));
  expect(await powerless.runWith(password, ...login, username)).toMatchObject({ status: 0 });
});

describe('fds api', () => {
  it('prints the body of the answer unchanged', async () => {
    const ended = await fds.run('api', 'get', '/zones?filters=name:Root');
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ zones: [{ name: 'Root' }] });
    expect(JSON.parse((await fds.run('api', 'GET', 'zones/' + doors.root)).stdout)).toHaveProperty('name', 'Root');
    expect(JSON.parse((await fds.run('api', 'GET', `/api/zones/${doors.root}`)).stdout)).toHaveProperty('name', 'Root');
  });

  it('sends a body of the option, of a file and of standard input', async () => {
    const name = uniqueName('group');
    const groups = `/zones/${doors.root}/groups`;
    const bodyOf = (suffix: string): string => JSON.stringify({ name: `${name}-${suffix}` });
    writeFileSync(join(fds.home, 'body.json'), bodyOf('file'));
    const created = [
      await fds.run('api', 'POST', groups, '-d', bodyOf('option')),
      await fds.run('api', 'POST', groups, '-d', '@body.json'),
      await fds.runWith(bodyOf('input'), 'api', 'POST', groups, '-d', '-'),
    ];
    expect(created.map(({ status, stdout }) => [status, (JSON.parse(stdout) as { name: string }).name])).toEqual([
      [0, `${name}-option`],
      [0, `${name}-file`],
      [0, `${name}-input`],
    ]);
  });

  it('exits by the status of a refusal, with its code and request id', async () => {
    const absent = '019a5d2e-0000-7000-8000-000000000001';
    const twice = JSON.stringify({ name: uniqueName('zone'), parentZoneUuid: doors.root });
    expect(await fds.run('api', 'POST', '/zones', '-d', twice)).toMatchObject({ status: 0 });
    const refusals = [
      [5, 'NOT_FOUND', await fds.run('api', 'GET', `/zones/${absent}`)],
      [4, 'FORBIDDEN', await powerless.run('api', 'POST', '/domains', '-d', '{"name":"x"}')],
      [6, 'DUPLICATE_NAME', await fds.run('api', 'POST', '/zones', '-d', twice)],
      [1, 'VALIDATION_FAILED', await fds.run('api', 'POST', '/zones', '-d', '{}')],
    ] as const;
    for (const [status, code, ended] of refusals) {
      expect([status, ended.stderr]).toEqual([ended.status, expect.stringMatching(`\\(${code}, request [^)]+\\)`)]);
      expect(ended.stdout).toBe('');
    }
  });

  it('ends without a word when the reader of its output ends first', async () => {
    const running = fds.start(['api', 'GET', '/openapi.json']);
    running.closeOutput();
    expect(await running.ended()).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('uses the sign-in that --context names', async () => {
    const { baseUrl, passwords } = doors.service;
    const user = createFds(leftovers);
    const login = ['login', '--url', baseUrl, '--client-secret-stdin', '--client-id'];
    await user.runWith(passwords.admin, '--context', 'boss', ...login, 'admin');
    await user.runWith(passwords.dgs, '--context', 'steward', ...login, 'dgs');
    const nameBy = async (...before: string[]): Promise<string | undefined> =>
      (await user.run(...before, 'whoami')).stdout.split(' at ')[0];
    expect([await nameBy('--context', 'boss'), await nameBy()]).toEqual(['admin', 'dgs']);
    expect(await user.run('context', 'boss')).toMatchObject({ status: 0 });
    expect(await nameBy()).toBe('admin');
    expect(await user.run('context', 'nobody')).toMatchObject({ status: 5 });
    expect(JSON.parse((await user.run('context', '--json')).stdout)).toEqual([
      { current: true, name: 'boss', url: baseUrl, clientId: 'admin' },
      { current: false, name: 'steward', url: baseUrl, clientId: 'dgs' },
    ]);
  });
});

describe('fds graphql', () => {
  it('runs a document of a file or of standard input, with variables', async () => {
    const document = 'query named($name: String) { zones(zoneName: $name) { data { name } } }';
    writeFileSync(join(fds.home, 'zones.graphql'), document);
    const byFile = await fds.run('graphql', 'zones.graphql', '-v', '{"name":"Root"}');
    expect([byFile.status, byFile.stderr]).toEqual([0, '']);
    expect(JSON.parse(byFile.stdout)).toEqual({ data: { zones: { data: [{ name: 'Root' }] } } });
    expect(await fds.runWith(document, 'graphql', '-')).toMatchObject({ status: 0 });
  });

  it('exits by the code of the first error, and prints the answer', async () => {
    const unknown = await fds.runWith('{ nothingOfThisName }', 'graphql', '-');
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('(GRAPHQL_VALIDATION_FAILED)') });
    expect(JSON.parse(unknown.stdout)).toHaveProperty('errors');
    const absent = '{ zone(zoneUuid: "019a5d2e-0000-7000-8000-000000000001") { name } }';
    expect(await fds.runWith(absent, 'graphql', '-')).toMatchObject({ status: 5 });
    expect(await fds.runWith('mutation {', 'graphql', '-')).toMatchObject({ status: 1 });
  });
});

describe('fds completion', () => {
  it('prints a script with which bash completes commands and their options', async () => {
    const { stdout } = await fds.run('completion', 'bash');
    const complete = async (...words: string[]): Promise<string> => {
      const script = `${stdout}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _fds; echo "\${COMPREPLY[@]}"`;
      return (await promisify(execFile)('bash', ['-c', script])).stdout.trim();
    };
    expect(await complete('fds', 'who')).toBe('whoami');
    expect(await complete('fds', '--context', 'login', 'log')).toBe('login logout');
    expect(await complete('fds', 'login', '--client-secret-')).toBe('--client-secret-stdin');
    expect(await complete('fds', 'completion', 'z')).toBe('zsh');
    expect((await fds.run('completion', 'fish')).stdout).toContain(
      'complete -c fds -f -n __fish_use_subcommand -a login',
    );
  });
});
