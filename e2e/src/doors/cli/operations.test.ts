import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { createFds, type Fds } from '../../harness/run-fds.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

// these tests stop the service, and change the permissions of its first users
const { doors, leftovers } = setUpDoors();
let admin: Fds;
let dgs: Fds;

const signIn = async (username: 'admin' | 'dgs'): Promise<Fds> => {
  const { baseUrl, passwords } = doors.service;
  const user = createFds(leftovers);
  const login = ['login', '--url', baseUrl, '--client-id', username, '--client-secret-stdin'];
  expect(await user.runWith(passwords[username], ...login)).toMatchObject({ status: 0 });
  return user;
};

beforeAll(async () => {
  [admin, dgs] = [await signIn('admin'), await signIn('dgs')];
}, 60_000);

interface Outcome {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
}

describe('fds doctor', () => {
  it('exits with 0 and names each check of a deployment without faults', async () => {
    const ended = await dgs.run('doctor', '--json');
    expect([ended.status, ended.stderr]).toEqual([0, '']);
    const outcomes = JSON.parse(ended.stdout) as readonly Outcome[];
    expect(outcomes.map(({ check, status }) => [check, status])).toEqual([
      ['address', 'OK'],
      ['clock', 'OK'],
      ['token', 'OK'],
      ['version', 'OK'],
      ['adaptors', 'OK'],
      ['issues', 'OK'],
    ]);
  });

  it('exits with 1 on an adaptor that is down, and on open issues by their cause', async () => {
    await createVersion(doors.dgs, {
      name: 'ticket',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    // without GET, an adaptor is compared by its links
    const capabilities = allActions('ticket').filter(({ action }) => action !== 'GET');
    const source = await createAdaptor(doors.dgs, doors.root, { name: 'desk', capabilities });
    const running = await startSourceAdaptor(leftovers, doors.service, source, { apply: () => undefined });
    await running.publish({ action: 'POST', domain: 'ticket', version: 1, json: { id: 'seven' } });
    await createAdaptor(doors.dgs, doors.root, { name: 'lost', capabilities: allActions('ticket') });
    const ended = await eventually(async () => {
      const tried = await dgs.run('doctor');
      expect(tried.stdout).toContain(' open of desk: ');
      return tried;
    });
    expect(ended.status).toBe(1);
    expect(ended.stdout).toMatch(/^adaptor +FINDING +Root\/lost is DOWN$/m);
    expect(ended.stdout).toMatch(/^issues +FINDING +1 open of desk: FAULTY /m);
    expect(ended.stderr).toBe('fds: 2 findings\n');
  });
});

describe('fds issues', () => {
  it('lists the open issues with adaptor and version', async () => {
    const table = await dgs.run('issues');
    expect(table).toMatchObject({ status: 0, stderr: '' });
    expect(table.stdout).toMatch(/^\S{36} +OPEN +MEDIUM +PARSING +desk +ticket:v1 /m);
    const all = JSON.parse((await dgs.run('issues', '--adaptor', 'Root/desk', '--json')).stdout) as unknown[];
    expect(all).toEqual([
      expect.objectContaining({ status: 'OPEN', adaptor: expect.objectContaining({ name: 'desk' }) }),
    ]);
    expect(JSON.parse((await dgs.run('issues', '--adaptor', 'Root/lost', '--json')).stdout)).toEqual([]);
    expect(JSON.parse((await dgs.run('issues', '--zone', 'Root', '--status', 'CLOSED', '--json')).stdout)).toEqual([]);
    expect(await dgs.run('issues', '--adaptor', 'Root/nothing')).toMatchObject({ status: 5 });
  });
});

describe('fds explain', () => {
  it('shows steps, destinations and related subjects by the id of an issue or record', async () => {
    const [issue] = JSON.parse((await dgs.run('issues', '--json')).stdout) as readonly Resource[];
    const faulty = await dgs.run('explain', String(issue?.uuid));
    expect([faulty.status, faulty.stderr]).toEqual([0, '']);
    expect(faulty.stdout).toMatch(/^ {2}\S+ +RECEIVED +\S/m);
    const { body } = requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'ticket', json: { id: 9 } }), 201);
    const known = await dgs.run('explain', body.uuid);
    expect(known.stdout).toContain('POST ticket:v1 {"id":9}');
    expect(known.stdout).toMatch(/^ {2}lost +QUEUED +\w+ +\S/m);
    expect(JSON.parse((await dgs.run('explain', body.uuid, '--json')).stdout)).toMatchObject({
      id: body.uuid,
      kind: 'RECORD',
    });
  });

  it('exits with 5 for an unknown id', async () => {
    expect(await dgs.run('explain', '019a5d2e-0000-7000-8000-000000000001')).toMatchObject({ status: 5, stdout: '' });
  });
});

describe('fds reconcile', () => {
  it('compares an adaptor, and sends the records that it lacks', async () => {
    requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'ticket', json: { id: 1 } }), 201);
    const compared = await dgs.run('reconcile', 'Root/desk', '--json');
    expect([compared.status, compared.stderr]).toEqual([0, '']);
    expect(JSON.parse(compared.stdout)).toEqual([
      expect.objectContaining({ status: 'DONE', preview: true, counts: expect.objectContaining({ examined: 2 }) }),
    ]);
    const table = await dgs.run(
      'reconcile',
      'Root/desk',
      '--send',
      '--missing-here',
      'SEND',
      '--domain-version',
      'ticket:v1',
    );
    expect(table.stdout).toMatch(/^ticket:v1 +DONE +2 /m);
    expect(await dgs.run('reconcile', 'Root/nothing')).toMatchObject({ status: 5 });
    expect(await dgs.run('reconcile', 'Root/desk', '--values', 'MINE')).toMatchObject({ status: 2 });
  });
});

describe('fds grant', () => {
  const rolesOf = async (username: string): Promise<readonly string[]> => {
    const path = `/zones/${doors.root}`;
    const users = await doors.admin.rest<{ users: readonly Resource[] }>(
      'GET',
      `${path}/users?filters=username:${username}`,
    );
    const roles = await doors.admin.rest<{ roles: readonly Resource[] }>('GET', `${path}/roles`);
    const held = users.body.users[0]?.['roleUuids'] as readonly string[];
    return roles.body.roles.filter(({ uuid }) => held.includes(uuid)).map(({ name }) => name);
  };

  it('names the missing permissions, and grants nothing', async () => {
    const refused = await admin.run('grant', 'steward', 'Root', 'ann');
    expect(refused).toMatchObject({ status: 4, stdout: '' });
    expect(refused.stderr).toContain('Zone Data Steward of Root');
    expect(refused.stderr).toContain(`/zones/${doors.root}/permissions`);
    const users = await doors.admin.rest<{ users: readonly Resource[] }>(
      'GET',
      `/zones/${doors.root}/users?filters=username:ann`,
    );
    expect(users.body.users).toEqual([]);
  });

  it('makes stewards, readers and applications, and gives a known user a further role', async () => {
    const { admin: boss, root } = doors;
    const me = await boss.rest<{ users: readonly Resource[] }>('GET', `/zones/${root}/users?filters=username:dgs`);
    for (const resource of [`/zones/${root}/users/*`, `/zones/${root}/roles/*`])
      requireStatus(
        await boss.rest('POST', `/zones/${root}/permissions`, {
          action: 'ALL',
          resource,
          holderType: 'USER',
          holderUuid: me.body.users[0]?.uuid,
        }),
        201,
      );
    const steward = await dgs.runWith('four words make sense\n', 'grant', 'steward', 'Root', 'ann', '--password-stdin');
    expect([steward.status, steward.stderr]).toEqual([0, 'ann was created, with the role Zone Data Steward of Root\n']);
    expect(await dgs.run('grant', 'reader', 'Root', 'ann')).toMatchObject({ status: 0 });
    expect(await dgs.run('grant', 'reader', 'Root', 'ann')).toMatchObject({
      status: 0,
      stderr: 'ann: Reader of Root is held already\n',
    });
    expect(await rolesOf('ann')).toEqual(expect.arrayContaining(['Zone Data Steward', 'Reader']));
    const app = await dgs.run('grant', 'app', 'Root', 'report', '--json');
    expect(app.status).toBe(0);
    const { clientId, clientSecret } = JSON.parse(app.stdout) as Readonly<Record<string, string>>;
    const reader = createFds(leftovers);
    const login = ['login', '--url', doors.service.baseUrl, '--client-id', String(clientId), '--client-secret-stdin'];
    expect(await reader.runWith(String(clientSecret), ...login)).toMatchObject({ status: 0 });
    expect(JSON.parse((await reader.run('api', 'GET', '/drs?filters=name:ticket')).stdout)).toMatchObject({
      drs: expect.arrayContaining([expect.objectContaining({ json: { id: 1 } })]),
    });
    expect(await reader.run('api', 'POST', '/drs', '-d', '{"name":"ticket","json":{"id":2}}')).toMatchObject({
      status: 4,
    });
    expect(await dgs.run('grant', 'app', 'Root', 'ann')).toMatchObject({ status: 6 });
    expect(await dgs.run('grant', 'king', 'Root', 'ann')).toMatchObject({ status: 2 });
    expect(await dgs.run('grant', 'app', 'Root/nowhere', 'report')).toMatchObject({ status: 5 });
  });
});

describe('fds tail', () => {
  /** @returns the uuid of the new record */
  const add = async (id: number): Promise<string> =>
    requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'ticket', json: { id } }), 201).body.uuid;
  const linesOf = (text: string): readonly Readonly<Record<string, unknown>>[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('prints each change once and in order, although the service ends in between, and resumes behind a cursor', async () => {
    const running = dgs.start(['tail', '--json']);
    const seen = () => linesOf(running.stdout());
    const keys = (): unknown[] => seen().map(({ drKey }) => (drKey as { id: number }).id);
    await eventually(() => expect(running.stderr()).toContain('Following the records of '));
    const drUuid = await add(100);
    await eventually(() => expect(keys()).toEqual([100]));
    expect(seen()[0]).toMatchObject({
      action: 'POST',
      domainVersion: 'ticket:v1',
      drUuid,
      json: { id: 100 },
      transactionUuid: expect.any(String),
      createTime: expect.any(Number),
    });
    await doors.service.stop();
    await doors.service.start();
    for (let id = 101; id < 106; id += 1) await add(id);
    await eventually(() => expect(keys()).toEqual([100, 101, 102, 103, 104, 105]), { deadlineMs: 60_000 });
    running.kill('SIGTERM');
    await running.ended();
    const later = dgs.start(['tail', '--after', String(seen()[3]?.['cursor'])]);
    await eventually(() => expect(later.stdout().match(/ POST ticket:v1 \{"id":10[45]\} /g)).toHaveLength(2));
    later.closeOutput();
    await add(200);
    expect(await later.ended()).toMatchObject({ status: 0 });
  });

  it('exits with 1 for a cursor of another service, with 3 without a sign-in', async () => {
    expect(await dgs.run('tail', '--after', 'nonsense')).toMatchObject({ status: 1, stdout: '' });
    expect(await createFds(leftovers).run('tail')).toMatchObject({ status: 3, stdout: '' });
  });
});
