import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClientAuthenticator } from '@fds/identity';
import { createSealer } from '@fds/auth';
import { v7 as newUuid } from 'uuid';
import { openGovernance, type Answer, type TestGovernance } from './testing/open-governance.js';

/** The client authentication of the door. */
const clientsOf = ({ database }: TestGovernance) =>
  createClientAuthenticator({
    database,
    sealer: createSealer(Buffer.alloc(32)),
    now: () => new Date(),
  });

interface Resource {
  readonly uuid: string;
  readonly userUuid: string;
  readonly changeVersion: number;
  readonly roleUuids: readonly string[];
  readonly groupUuids: readonly string[];
  readonly [member: string]: unknown;
}

interface Created {
  readonly user: Resource;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
}

const user =
  'uuid userUuid zoneUuid ssoId username name email serviceAccount defaultZone active roleUuids groupUuids changeVersion';
const role = 'uuid name description managed permissions { uuid action resource } changeVersion';
const group = 'uuid name description roleUuids changeVersion';
const permission = 'uuid zoneUuid type action resource holderType holderUuid changeVersion';

let governance: TestGovernance;
let root: string;
let names = 0;
const unique = (word: string): string => `${word}-${(names += 1)}`;

beforeAll(async () => {
  governance = await openGovernance();
  root = governance.rootZoneUuid;
});
afterAll(() => governance?.close());

const run = <T>(who: string, source: string, variables: object = {}): Promise<Answer<T>> =>
  governance.run<T>(who, source, variables);

const must = async <T>(answer: Promise<Answer<T>>): Promise<T> => {
  const { code, causes, result } = await answer;
  expect([code, causes]).toEqual([undefined, []]);
  return result;
};

const createUser = (input: object, { who = 'admin', z = root } = {}): Promise<Answer<Created>> =>
  run(
    who,
    `mutation ($z: Uuid!, $i: UserInput!) { result: createUser(zoneUuid: $z, input: $i) { user { ${user} } clientId clientSecret } }`,
    { z, i: input },
  );

const change = (
  kind: 'User' | 'Group' | 'Role' | 'Permission',
  verb: 'patch' | 'replace',
  uuid: string,
  input: object,
  { who = 'admin', z = root } = {},
): Promise<Answer<Resource>> => {
  const fields = { User: user, Group: group, Role: role, Permission: permission }[kind];
  const key = kind === 'User' ? 'zoneUserUuid' : `${kind.toLowerCase()}Uuid`;
  return run(
    who,
    `mutation ($z: Uuid!, $u: Uuid!, $i: ${kind}Input!) { result: ${verb}${kind}(zoneUuid: $z, ${key}: $u, input: $i) { ${fields} } }`,
    { z, u: uuid, i: input },
  );
};

const create = (
  kind: 'Group' | 'Role' | 'Permission',
  input: object,
  { who = 'admin', z = root } = {},
): Promise<Answer<Resource>> => {
  const fields = { Group: group, Role: role, Permission: permission }[kind];
  return run(
    who,
    `mutation ($z: Uuid!, $i: ${kind}Input!) { result: create${kind}(zoneUuid: $z, input: $i) { ${fields} } }`,
    { z, i: input },
  );
};

const remove = (
  kind: 'User' | 'Group' | 'Role' | 'Permission',
  uuid: string,
  { who = 'admin', z = root } = {},
): Promise<Answer<boolean>> => {
  const key = kind === 'User' ? 'zoneUserUuid' : `${kind.toLowerCase()}Uuid`;
  return run(who, `mutation ($z: Uuid!, $u: Uuid!) { result: delete${kind}(zoneUuid: $z, ${key}: $u) }`, {
    z,
    u: uuid,
  });
};

const setUsers = (
  kind: 'Group' | 'Role',
  uuid: string,
  zoneUserUuids: readonly string[],
  { who = 'admin', z = root } = {},
): Promise<Answer<{ data: Resource[] }>> =>
  run(
    who,
    `mutation ($z: Uuid!, $u: Uuid!, $m: [Uuid!]!) {
      result: replace${kind}Users(zoneUuid: $z, ${kind.toLowerCase()}Uuid: $u, zoneUserUuids: $m) { data { ${user} } }
    }`,
    { z, u: uuid, m: zoneUserUuids },
  );

const newUser = async (word: string, input: object = {}): Promise<Resource> =>
  (await must(createUser({ username: unique(word), ...input }))).user;

const readUser = (uuid: string, z = root): Promise<Resource> =>
  must(
    run('admin', `query ($z: Uuid!, $u: Uuid!) { result: user(zoneUuid: $z, zoneUserUuid: $u) { ${user} } }`, {
      z,
      u: uuid,
    }),
  );

const managedRole = async (name: string, z = root): Promise<string> =>
  (await governance.database.prisma.role.findFirstOrThrow({ where: { name, zoneUuid: z, managed: true } })).uuid;

const zoneUserOf = async (username: string, z = root): Promise<string> =>
  (await governance.database.prisma.zoneUser.findFirstOrThrow({ where: { zoneUuid: z, person: { username } } })).uuid;

describe('a user', () => {
  it('is created with all members, and read as they were given', async () => {
    const username = unique('ann');
    const input = { username, name: 'Ann', email: 'ann@example.org', ssoId: unique('sso'), password: 'correct horse' };
    const { user: created, clientId, clientSecret } = await must(createUser(input));
    expect([clientId, clientSecret]).toEqual([null, null]);
    const { password, ...told } = input;
    expect(created).toMatchObject({
      ...told,
      zoneUuid: root,
      serviceAccount: false,
      defaultZone: true,
      active: true,
      roleUuids: [],
      groupUuids: [],
      changeVersion: 1,
    });
    expect(created.userUuid).not.toBe(created.uuid);
    expect(await readUser(created.uuid)).toEqual(created);
    const clients = clientsOf(governance);
    expect(await clients.authenticate(username, [password], 'here')).toMatchObject({ uuid: created.userUuid });
  });

  it('that is a service account gets its credentials only once', async () => {
    const username = unique('robot');
    const { user: created, clientId, clientSecret } = await must(createUser({ username, serviceAccount: true }));
    expect(created.serviceAccount).toBe(true);
    expect(clientId).toBe(username);
    expect(String(clientSecret).length).toBeGreaterThan(30);
    const clients = clientsOf(governance);
    expect(await clients.authenticate(username, [String(clientSecret)], 'here')).toMatchObject({
      uuid: created.userUuid,
    });
  });

  it('are hashed in a bounded queue, also when an administrator sets them', async () => {
    const { uuid } = await newUser('hashed');
    const password = 'a password that is set';
    // one is hashed and two wait, see openGovernance
    const setPassword = () =>
      run(
        'admin',
        'mutation ($z: Uuid!, $u: Uuid!, $i: UserInput!) { result: patchUser(zoneUuid: $z, zoneUserUuid: $u, input: $i) { uuid } }',
        {
          u: uuid,
          i: { password },
        },
      );
    const created = Array.from({ length: 4 }, (_, n) => createUser({ username: unique(`queued${n}`), password }));
    const answers = await Promise.all([...created, ...Array.from({ length: 4 }, setPassword)]);
    const codes = answers.map(({ code }) => code);
    expect(codes).toContain('RATE_LIMITED');
    expect(codes).toContain(undefined);
    expect((await createUser({ username: unique('after'), password })).code).toBeUndefined();
  });

  it('gets no password that is easy to guess, or that no client can send', async () => {
    const username = unique('guessable');
    const causesOf = async (password: string) => (await createUser({ username, password })).causes;
    for (const weak of ['password', 'Password', '12345678', username, `${username}-2026`, 'FDS-fds-1']) {
      expect(await causesOf(weak)).toEqual(['/password TOO_COMMON']);
    }
    for (const unsendable of ['with\nline', 'with\u0000zero']) {
      expect(await causesOf(unsendable)).toEqual(['/password WRONG_FORMAT']);
    }
    const { user } = await must(createUser({ username, password: 'correct horse' }));
    for (const field of ['patchUser', 'replaceUser']) {
      const { causes } = await governance.run(
        'admin',
        `mutation ($z: Uuid!, $u: Uuid!, $i: UserInput!) { result: ${field}(zoneUuid: $z, zoneUserUuid: $u, input: $i) { uuid } }`,
        {
          z: governance.rootZoneUuid,
          u: user.uuid,
          i: { username, password: username.toUpperCase(), changeVersion: 1 },
        },
      );
      expect(causes).toEqual(['/password TOO_COMMON']);
    }
  });

  it('reports all faults at once', async () => {
    const nowhere = newUuid();
    const { code, causes } = await createUser({
      username: ' x',
      email: 'nobody',
      password: 'short',
      ssoId: '',
      roleUuids: [await managedRole('Zone Admin'), nowhere],
      groupUuids: [nowhere],
    });
    expect(code).toBe('VALIDATION_FAILED');
    expect(causes).toEqual([
      '/email WRONG_FORMAT',
      '/groupUuids/0 UNKNOWN_REFERENCE',
      '/password OUT_OF_RANGE',
      '/roleUuids/1 UNKNOWN_REFERENCE',
      '/ssoId OUT_OF_RANGE',
      '/username WRONG_FORMAT',
    ]);
    expect((await createUser({})).causes).toEqual(['/username REQUIRED']);
    expect((await createUser({ username: newUuid() })).causes).toEqual(['/username WRONG_FORMAT']);
    expect(await createUser({ userUuid: nowhere })).toMatchObject({
      code: 'UNKNOWN_REFERENCE',
      causes: ['/userUuid UNKNOWN_REFERENCE'],
    });
  });

  it('has a unique username and a unique SSO id', async () => {
    const ssoId = unique('sso');
    const ben = await newUser('ben', { ssoId });
    const upper = String(ben['username']).toUpperCase();
    expect(await createUser({ username: upper })).toMatchObject({
      code: 'DUPLICATE_NAME',
      causes: ['/username DUPLICATE_NAME'],
    });
    const cleo = await newUser('cleo');
    const change1 = await change('User', 'patch', cleo.uuid, { changeVersion: 1, ssoId, username: ben['username'] });
    expect(change1).toMatchObject({
      code: 'DUPLICATE_NAME',
      causes: ['/ssoId DUPLICATE_NAME', '/username DUPLICATE_NAME'],
    });
  });

  it('of another zone is added once, by userUuid or ssoId', async () => {
    const z = await governance.createZone(unique('zone'), root);
    const other = await governance.createZone(unique('zone'), root);
    const ssoId = unique('sso');
    const dora = await newUser('dora', { ssoId });
    const added = await must(createUser({ userUuid: dora.userUuid }, { z }));
    expect(added.user).toMatchObject({ userUuid: dora.userUuid, zoneUuid: z, defaultZone: false, ssoId });
    expect(added.user.uuid).not.toBe(dora.uuid);
    expect((await createUser({ ssoId }, { z })).code).toBe('CONFLICT');
    const third = await must(createUser({ ssoId, username: dora['username'], defaultZone: true }, { z: other }));
    expect(third.user).toMatchObject({ userUuid: dora.userUuid, defaultZone: true });
    expect(await readUser(dora.uuid)).toMatchObject({ defaultZone: false });
    const contradiction = await createUser(
      { userUuid: dora.userUuid, username: 'other', password: 'correct horse' },
      { z },
    );
    expect(contradiction.causes).toEqual(['/password NOT_ALLOWED', '/username CONTRADICTION']);
    // the default zone is removed, so the oldest of the others becomes the default
    await must(remove('User', third.user.uuid, { z: other }));
    expect(await readUser(dora.uuid)).toMatchObject({ defaultZone: true });
    await must(remove('User', added.user.uuid, { z }));
    await must(remove('User', dora.uuid));
    expect(await governance.database.prisma.person.count({ where: { uuid: dora.userUuid } })).toBe(0);
  });

  it('can be changed only from the changeVersion that was read', async () => {
    const eve = await newUser('eve', { name: 'Eve', email: 'eve@example.org' });
    expect((await change('User', 'patch', eve.uuid, { name: 'E' })).code).toBe('CHANGE_VERSION_REQUIRED');
    const patched = await must(change('User', 'patch', eve.uuid, { name: 'Eva', changeVersion: 1 }));
    expect(patched).toMatchObject({ name: 'Eva', email: 'eve@example.org', changeVersion: 2 });
    expect((await change('User', 'patch', eve.uuid, { name: 'E', changeVersion: 1 })).code).toBe(
      'STALE_CHANGE_VERSION',
    );
    const replaced = await must(change('User', 'replace', eve.uuid, { username: eve['username'], changeVersion: 2 }));
    expect(replaced).toMatchObject({ name: null, email: null, active: true, changeVersion: 3 });
    const fixed = { changeVersion: 3, serviceAccount: true, userUuid: newUuid(), defaultZone: false };
    expect((await change('User', 'patch', eve.uuid, fixed)).causes).toEqual([
      '/defaultZone NOT_ALLOWED',
      '/serviceAccount NOT_ALLOWED',
      '/userUuid NOT_ALLOWED',
    ]);
  });

  it('is unknown in other zones', async () => {
    const z = await governance.createZone(unique('zone'), root);
    const fay = await newUser('fay');
    expect((await change('User', 'patch', fay.uuid, { changeVersion: 1 }, { z })).code).toBe('NOT_FOUND');
    expect((await remove('User', fay.uuid, { z })).code).toBe('NOT_FOUND');
    expect((await createUser({ username: unique('x') }, { z: newUuid() })).code).toBe('NOT_FOUND');
  });

  it('can be filtered, sorted, and listed in pages', async () => {
    const z = await governance.createZone(unique('zone'), root);
    for (const name of ['b', 'a', 'c']) await must(createUser({ username: unique(name), name }, { z }));
    const list = (args: string) =>
      must(
        run<{ data: { name: string }[]; page: { totalElements: number } }>(
          'admin',
          `query ($z: Uuid!) { result: users(zoneUuid: $z, ${args}) { data { name } page { totalElements } } }`,
          { z },
        ),
      );
    const page = await list('sort: "-name", size: 2, serviceAccount: false');
    expect(page).toEqual({ data: [{ name: 'c' }, { name: 'b' }], page: { totalElements: 3 } });
    expect((await list('name: "a"')).page.totalElements).toBe(1);
    expect((await list(`roleUuid: "${await managedRole('Zone Data Steward', z)}"`)).data).toEqual([
      { name: 'Data Governance Steward' },
    ]);
    const unknown = await run(
      'admin',
      'query ($z: Uuid!) { result: users(zoneUuid: $z, sort: "x") { page { size } } }',
      { z },
    );
    expect(unknown.code).toBe('INVALID_PARAMETER');
  });
});

describe('a group', () => {
  it('gives its members its permissions and roles, and takes them away when they leave', async () => {
    const member = await newUser('gus');
    const path = `/zones/${root}/users`;
    const made = await must(
      create('Role', { name: unique('Readers'), permissions: [{ action: 'GET', resource: path }] }),
    );
    const holders = await must(
      create('Group', { name: unique('Helpers'), description: 'help', roleUuids: [made.uuid] }),
    );
    const permits = async () => (await governance.as(String(member['username']))).permits('GET', path);
    expect(await permits()).toBe(false);
    const { data } = await must(setUsers('Group', holders.uuid, [member.uuid, member.uuid]));
    expect(data).toMatchObject([{ uuid: member.uuid, groupUuids: [holders.uuid], roleUuids: [] }]);
    expect(await permits()).toBe(true);
    await must(change('Group', 'patch', holders.uuid, { changeVersion: 1, roleUuids: [] }));
    expect(await permits()).toBe(false);
    await must(
      create('Permission', { action: 'GET', resource: `/api${path}`, holderType: 'GROUP', holderUuid: holders.uuid }),
    );
    expect(await permits()).toBe(true);
    await must(setUsers('Group', holders.uuid, []));
    expect(await permits()).toBe(false);
    const again =
      'mutation ($z: Uuid!, $g: Uuid!, $u: Uuid!) { result: removeGroupUser(zoneUuid: $z, groupUuid: $g, zoneUserUuid: $u) }';
    expect((await run('admin', again, { g: holders.uuid, u: member.uuid })).code).toBe('NOT_FOUND');
  });

  it('is replaced and deleted, and reports its faults', async () => {
    const name = unique('Group');
    const made = await must(create('Group', { name, description: 'x' }));
    expect((await create('Group', { name: name.toUpperCase() })).causes).toEqual(['/name DUPLICATE_NAME']);
    const unknown = await create('Group', { roleUuids: [newUuid()] });
    expect(unknown.causes).toEqual(['/name REQUIRED', '/roleUuids/0 UNKNOWN_REFERENCE']);
    const replaced = await must(change('Group', 'replace', made.uuid, { name, changeVersion: 1 }));
    expect(replaced).toMatchObject({ name, description: null, changeVersion: 2 });
    expect((await setUsers('Group', made.uuid, [newUuid()])).causes).toEqual(['/0 UNKNOWN_REFERENCE']);
    await must(create('Permission', { action: 'GET', resource: '/zones', holderType: 'GROUP', holderUuid: made.uuid }));
    await must(remove('Group', made.uuid));
    expect(await governance.database.prisma.permission.count({ where: { holderUuid: made.uuid } })).toBe(0);
    expect((await remove('Group', made.uuid)).code).toBe('NOT_FOUND');
  });
});

describe('a managed role', () => {
  it('keeps its name and its standard permissions, and cannot be deleted', async () => {
    const uuid = await managedRole('Zone Admin');
    const { result } = await change('Role', 'patch', uuid, { changeVersion: 1, description: 'ours' });
    expect(result).toMatchObject({ description: 'ours', managed: true, name: 'Zone Admin' });
    expect((await change('Role', 'patch', uuid, { changeVersion: 2, name: 'Boss' })).causes).toEqual([
      '/name MANAGED_ROLE',
    ]);
    const emptied = await change('Role', 'patch', uuid, { changeVersion: 2, permissions: [] });
    expect([emptied.code, new Set(emptied.causes)]).toEqual(['CONFLICT', new Set(['/permissions MANAGED_ROLE'])]);
    expect((await remove('Role', uuid)).causes).toEqual(['/name MANAGED_ROLE']);
    const standard = await governance.database.prisma.permission.findFirstOrThrow({ where: { holderUuid: uuid } });
    expect((await remove('Permission', standard.uuid)).code).toBe('CONFLICT');
    const more = { action: 'GET', resource: '/domains', holderType: 'ROLE', holderUuid: uuid };
    const extra = await must(create('Permission', more));
    await must(remove('Permission', extra.uuid));
  });

  it('keeps its last holder, in every way in which the holder could leave', async () => {
    const roleUuid = await managedRole('Zone Admin');
    const admin = await readUser(await zoneUserOf('admin'));
    const last = { code: 'CONFLICT', causes: [' LAST_HOLDER'] };
    const { changeVersion } = admin;
    const rootAdmin = await managedRole('Root Admin');
    expect(await change('User', 'patch', admin.uuid, { changeVersion, roleUuids: [rootAdmin] })).toMatchObject(last);
    expect(await setUsers('Role', roleUuid, [])).toMatchObject(last);
    const out =
      'mutation ($z: Uuid!, $r: Uuid!, $u: Uuid!) { result: removeRoleUser(zoneUuid: $z, roleUuid: $r, zoneUserUuid: $u) }';
    expect(await run('admin', out, { r: roleUuid, u: admin.uuid })).toMatchObject(last);
    const both = { code: 'CONFLICT', causes: [' LAST_HOLDER', ' LAST_HOLDER'] };
    expect(await change('User', 'patch', admin.uuid, { changeVersion, active: false })).toMatchObject(both);
    expect(await remove('User', admin.uuid)).toMatchObject(both);

    // a group may have the role as well, and may be the last holder
    const deputy = await newUser('deputy');
    const deputies = await must(create('Group', { name: unique('Deputies'), roleUuids: [roleUuid] }));
    await must(setUsers('Group', deputies.uuid, [deputy.uuid]));
    await must(setUsers('Role', roleUuid, []));
    expect(await setUsers('Group', deputies.uuid, [])).toMatchObject(last);
    expect(await remove('Group', deputies.uuid)).toMatchObject(last);
    expect(await change('Group', 'patch', deputies.uuid, { changeVersion: 1, roleUuids: [] })).toMatchObject(last);
    const { changeVersion: at } = await readUser(deputy.uuid);
    expect(await change('User', 'patch', deputy.uuid, { changeVersion: at, active: false })).toMatchObject(last);
    await must(setUsers('Role', roleUuid, [admin.uuid]));
    await must(remove('Group', deputies.uuid));
  });

  it('keeps one of two holders who leave at the same time', async () => {
    const z = await governance.createZone(unique('zone'), root);
    const roleUuid = await managedRole('Zone Admin', z);
    const { user: second } = await must(createUser({ username: unique('second'), roleUuids: [roleUuid] }, { z }));
    const first = await zoneUserOf('admin', z);
    const answers = await Promise.all([first, second.uuid].map((uuid) => remove('User', uuid, { z })));
    expect(answers.map(({ code }) => code ?? 'gone').sort()).toEqual(['CONFLICT', 'gone']);
  });
});

describe('a caller cannot grant permissions that the caller lacks', () => {
  const notGranted = (...pointers: string[]) => ({
    code: 'FORBIDDEN',
    causes: pointers.map((each) => `${each} NOT_HELD`),
  });
  const drs = [{ action: 'ALL', resource: '/drs/*' }];

  it('by creating or changing a permission', async () => {
    const holder = { holderType: 'USER', holderUuid: (await newUser('hal')).uuid };
    expect(await create('Permission', { ...drs[0], ...holder })).toMatchObject(notGranted('/resource'));
    expect(await create('Permission', { action: 'ALL', resource: '/*', ...holder })).toMatchObject(
      notGranted('/resource'),
    );
    const made = await must(create('Permission', { action: 'GET', resource: '/zones', ...holder }));
    expect(await change('Permission', 'patch', made.uuid, { changeVersion: 1, resource: '/drs' })).toMatchObject(
      notGranted('/resource'),
    );
    const patched = await must(change('Permission', 'patch', made.uuid, { changeVersion: 1, action: 'POST' }));
    expect(patched).toMatchObject({ type: 'ALLOW', action: 'POST', resource: '/zones', changeVersion: 2, ...holder });
    expect((await create('Permission', { action: 'POST', resource: '/api/zones', ...holder })).code).toBe('CONFLICT');
    await must(remove('Permission', made.uuid));
  });

  it('by a role with permissions', async () => {
    const permissions = [{ action: 'GET', resource: '/zones' }, ...drs];
    expect(await create('Role', { name: unique('Data'), permissions })).toMatchObject(notGranted('/permissions/1'));
    const made = await must(create('Role', { name: unique('Data'), permissions: permissions.slice(0, 1) }));
    expect(await change('Role', 'patch', made.uuid, { changeVersion: 1, permissions })).toMatchObject(
      notGranted('/permissions/1'),
    );
  });

  it('by letting a user join roles and groups', async () => {
    const steward = await managedRole('Zone Data Steward');
    const ida = await newUser('ida');
    const all = expect.arrayContaining(['/roleUuids/0 NOT_HELD']);
    const refused = { code: 'FORBIDDEN', causes: all };
    expect(await createUser({ username: unique('x'), roleUuids: [steward] })).toMatchObject(refused);
    expect(await change('User', 'patch', ida.uuid, { changeVersion: 1, roleUuids: [steward] })).toMatchObject(refused);
    expect(await create('Group', { name: unique('g'), roleUuids: [steward] })).toMatchObject(refused);
    expect((await setUsers('Role', steward, [await zoneUserOf('dgs'), ida.uuid])).causes).toContain('/1 NOT_HELD');
    // dgs has it, and may give it when dgs may change users
    const grant = {
      action: 'ALL',
      resource: `/zones/${root}/groups/*`,
      holderType: 'USER',
      holderUuid: await zoneUserOf('dgs'),
    };
    const granted = await must(create('Permission', grant));
    const stewards = await must(create('Group', { name: unique('Stewards'), roleUuids: [steward] }, { who: 'dgs' }));
    expect((await setUsers('Group', stewards.uuid, [ida.uuid])).causes).toContain('/0 NOT_HELD');
    await must(setUsers('Group', stewards.uuid, [ida.uuid], { who: 'dgs' }));
    expect((await governance.as(String(ida['username']))).permits('POST', '/drs')).toBe(true);
    await must(remove('Permission', granted.uuid));
    expect((await change('User', 'patch', ida.uuid, { changeVersion: 2, name: 'Ida' })).code).toBeUndefined();
  });

  it('by setting the password or SSO id of a person with more permissions', async () => {
    const dgs = await readUser(await zoneUserOf('dgs'));
    const { changeVersion } = dgs;
    const password = await change('User', 'patch', dgs.uuid, { changeVersion, password: 'correct horse' });
    expect([password.code, password.causes[0]]).toEqual(['FORBIDDEN', '/password NOT_HELD']);
    const ssoId = await change('User', 'patch', dgs.uuid, { changeVersion, ssoId: 'mine' });
    expect([ssoId.code, ssoId.causes[0]]).toEqual(['FORBIDDEN', '/ssoId NOT_HELD']);
    const plain = await newUser('jim');
    await must(change('User', 'patch', plain.uuid, { changeVersion: 1, password: 'correct horse' }));
  });

  it('by setting the password or SSO id of a person who has more permissions after reactivation', async () => {
    const steward = await managedRole('Zone Data Steward', root);
    const lou = await newUser('lou');
    const granted = await must(
      create('Permission', {
        action: 'ALL',
        resource: `/zones/${root}/users/*`,
        holderType: 'USER',
        holderUuid: await zoneUserOf('dgs'),
      }),
    );
    await must(change('User', 'patch', lou.uuid, { changeVersion: 1, roleUuids: [steward] }, { who: 'dgs' }));
    await must(remove('Permission', granted.uuid));
    await must(change('User', 'patch', lou.uuid, { changeVersion: 2, active: false }));
    for (const member of [{ password: 'correct horse' }, { ssoId: unique('mine') }]) {
      const refused = await change('User', 'patch', lou.uuid, { changeVersion: 3, ...member });
      expect([refused.code, refused.causes[0]]).toEqual(['FORBIDDEN', `/${Object.keys(member)[0]} NOT_HELD`]);
    }
    await must(change('User', 'patch', lou.uuid, { changeVersion: 3, active: true }));
  });

  it('by changing a person of a zone in which the caller may not change users', async () => {
    const z = await governance.createZone(unique('zone'), root);
    const { user: boss } = await must(
      createUser({ username: unique('boss'), roleUuids: [await managedRole('Zone Admin', z)] }, { z }),
    );
    const kim = await newUser('kim');
    const own = await must(createUser({ userUuid: kim.userUuid }, { who: String(boss['username']), z }));
    const { uuid, changeVersion } = own.user;
    const asBoss = { who: String(boss['username']), z };
    expect((await change('User', 'patch', uuid, { changeVersion, email: 'k@example.org' }, asBoss)).code).toBe(
      'FORBIDDEN',
    );
    expect((await change('User', 'patch', uuid, { changeVersion, defaultZone: true }, asBoss)).code).toBe('FORBIDDEN');
    await must(change('User', 'patch', uuid, { changeVersion, active: false }, asBoss));
    expect((await governance.as(String(kim['username']))).zones).toHaveLength(1);
  });
});

describe('a permission', () => {
  it('is refused with every cause', async () => {
    const faulty = { resource: 'zones', holderType: 'ROLE', holderUuid: newUuid() };
    expect(await create('Permission', faulty)).toMatchObject({
      code: 'VALIDATION_FAILED',
      causes: ['/action REQUIRED', '/holderUuid UNKNOWN_REFERENCE', '/resource WRONG_FORMAT'],
    });
    const z = await governance.createZone(unique('zone'), root);
    const foreign = {
      action: 'GET',
      resource: '/zones',
      holderType: 'ROLE',
      holderUuid: await managedRole('Zone Admin', z),
    };
    expect((await create('Permission', foreign)).causes).toEqual(['/holderUuid UNKNOWN_REFERENCE']);
  });

  it('is found by holder, by action, and by either spelling of its resource', async () => {
    const holderUuid = (await newUser('leo')).uuid;
    const made = await must(
      create('Permission', { action: 'GET', resource: '/api/zones/?', holderType: 'USER', holderUuid }),
    );
    const find = (args: string) =>
      must(
        run<{ data: unknown[] }>(
          'admin',
          `query ($z: Uuid!) { result: permissions(zoneUuid: $z, ${args}) { data { uuid } } }`,
        ),
      );
    for (const args of [
      `resource: "/zones/?", holderUuid: "${holderUuid}"`,
      `holderType: USER, action: GET, holderUuid: "${holderUuid}"`,
    ]) {
      expect((await find(args)).data).toEqual([{ uuid: made.uuid }]);
    }
    const { result } = await run(
      'admin',
      `query ($z: Uuid!, $p: Uuid!) { result: permission(zoneUuid: $z, permissionUuid: $p) { resource } }`,
      { p: made.uuid },
    );
    expect(result).toEqual({ resource: '/api/zones/?' });
  });

  it('takes effect on the next request in this process, and in others as soon as it is committed', async () => {
    const max = await newUser('max');
    const name = String(max['username']);
    const path = `/zones/${root}/roles`;
    const permits = async (where = governance.directory) => (await governance.as(name, where)).permits('GET', path);
    expect([await permits(), await permits(governance.elsewhere)]).toEqual([false, false]);
    const becomes = async (expected: boolean) => {
      expect(await permits()).toBe(expected);
      const deadline = Date.now() + 2_000;
      while ((await permits(governance.elsewhere)) !== expected && Date.now() < deadline);
      expect(await permits(governance.elsewhere)).toBe(expected);
    };
    const made = await must(
      create('Permission', { action: 'GET', resource: path, holderType: 'USER', holderUuid: max.uuid }),
    );
    await becomes(true);
    await must(remove('Permission', made.uuid));
    await becomes(false);
  });
});

describe('a role that is deleted', () => {
  it('is removed from users and groups, which count as changed', async () => {
    const made = await must(create('Role', { name: unique('Gone') }));
    const holder = await newUser('rob', { roleUuids: [made.uuid] });
    const holders = await must(create('Group', { name: unique('Holders'), roleUuids: [made.uuid] }));
    await must(remove('Role', made.uuid));
    expect(await readUser(holder.uuid)).toMatchObject({ roleUuids: [], changeVersion: 2 });
    const source = `query ($z: Uuid!, $g: Uuid!) { result: group(zoneUuid: $z, groupUuid: $g) { ${group} } }`;
    expect(await must(run('admin', source, { g: holders.uuid }))).toMatchObject({ roleUuids: [], changeVersion: 2 });
  });
});

describe('the change log', () => {
  it('records every change with its caller, without secrets', async () => {
    const ned = await newUser('ned', { password: 'planted canary' });
    const made = await must(
      create('Role', { name: unique('Role'), permissions: [{ action: 'GET', resource: '/zones' }] }),
    );
    await must(setUsers('Role', made.uuid, [ned.uuid]));
    await must(remove('Role', made.uuid));
    const { uuid: actorUuid } = await governance.as('admin');
    const rows = await governance.database.prisma.changeLogEntry.findMany({
      where: { OR: [{ resourceUuid: { in: [ned.uuid, made.uuid] } }, { data: { contains: made.uuid } }] },
      orderBy: { position: 'asc' },
    });
    expect(rows.map(({ action, resourceType, actorUuid: by }) => [action, resourceType, by === actorUuid])).toEqual([
      ['POST', 'User', true],
      ['POST', 'Permission', true],
      ['POST', 'Role', true],
      ['PATCH', 'User', true],
      ['PATCH', 'Role', true],
      ['DELETE', 'Permission', true],
      ['PATCH', 'User', true],
      ['DELETE', 'Role', true],
    ]);
    expect(rows.map(({ data }) => data).join()).not.toContain('canary');
    expect(rows[0]?.resource).toBe(`/zones/${root}/users/${ned.uuid}`);
  });
});

describe('the permissions of a person', () => {
  interface Overview {
    readonly userUuid: string;
    readonly zoneUserUuid: string;
    readonly permissions: { action: string; resource: string; source: { type: string; uuid: string; name: string } }[];
    readonly features: { feature: string; enabled: boolean }[];
  }
  const overview =
    '{ userUuid zoneUserUuid permissions { action resource source { type uuid name } } features { feature enabled } }';
  const enabled = ({ features }: Overview, feature: string) =>
    features.find((each) => each.feature === feature)?.enabled;

  it('are shown to the caller, with sources and features', async () => {
    const own = await must(run<Overview>('dgs', `{ result: callerPermissions ${overview} }`));
    expect(own).toMatchObject({ userUuid: (await governance.as('dgs')).uuid, zoneUserUuid: await zoneUserOf('dgs') });
    expect(own.permissions).toContainEqual({
      action: 'ALL',
      resource: '/drs/*',
      source: {
        type: 'ROLE',
        uuid: await managedRole('Zone Data Steward'),
        name: 'Zone Data Steward',
      },
    });
    expect(own.permissions).toContainEqual(
      expect.objectContaining({ resource: '/token', source: expect.objectContaining({ type: 'USER', name: 'dgs' }) }),
    );
    const admin = await must(run<Overview>('admin', `{ result: callerPermissions ${overview} }`));
    const table: [string, admin: boolean, dgs: boolean][] = [
      ['Zones page', true, true],
      ['Users, Groups and Roles page', true, false],
      ['Adaptors page', false, true],
      ['Data Access page', false, true],
      ['Governance page', false, true],
      ['Add zone', true, false],
      ['Create adaptor', false, true],
      ['Pause or play adaptor', false, true],
      ['Delete adaptor', false, true],
      ['Adaptor credentials', false, true],
      ['Add user', true, false],
      ['Add group', true, false],
      ['Add role', true, false],
      ['Add permission', true, false],
      ['Add domain version', true, true],
      ['Assemble data record', false, true],
    ];
    for (const [feature, byAdmin, byDgs] of table) {
      expect([feature, enabled(admin, feature), enabled(own, feature)]).toEqual([feature, byAdmin, byDgs]);
    }
  });

  it('are shown for others by uuid and by SSO id, and for one zone', async () => {
    const ssoId = `${unique('sso')}/with slash`;
    const oda = await newUser('oda', { ssoId });
    await must(
      create('Permission', {
        action: 'GET',
        resource: `/zones/${root}/users`,
        holderType: 'USER',
        holderUuid: oda.uuid,
      }),
    );
    const of = (who: string, name: string) =>
      run<Overview>(who, `query ($u: String!) { result: personPermissions(user: $u) ${overview} }`, { u: name });
    for (const name of [oda.userUuid, oda.uuid, ssoId]) {
      expect(await must(of('admin', name))).toMatchObject({ userUuid: oda.userUuid, zoneUserUuid: oda.uuid });
    }
    expect((await of('admin', newUuid())).code).toBe('NOT_FOUND');
    expect((await of(String(oda['username']), oda.userUuid)).code).toBeUndefined();
    expect((await of(String(oda['username']), 'admin')).code).toBe('FORBIDDEN');
    const inZone = await must(
      run<Overview>(
        'admin',
        `query ($z: Uuid!, $u: Uuid!) { result: userPermissions(zoneUuid: $z, zoneUserUuid: $u) ${overview} }`,
        { u: oda.uuid },
      ),
    );
    expect(inZone.permissions).toEqual([
      {
        action: 'GET',
        resource: `/zones/${root}/users`,
        source: {
          type: 'USER',
          uuid: oda.uuid,
          name: oda['username'],
        },
      },
    ]);
    expect(enabled(inZone, 'Users, Groups and Roles page')).toBe(true);
    expect(enabled(inZone, 'Zones page')).toBe(false);
  });

  it('are shown by resource', async () => {
    const pia = await newUser('pia');
    await must(
      create('Permission', {
        action: 'ALL',
        resource: `/zones/${root}/users/?`,
        holderType: 'USER',
        holderUuid: pia.uuid,
      }),
    );
    const resources = [
      { resource: '/zones/{zoneUuid}/users', actions: ['GET', 'POST'] },
      { resource: '/zones/{zoneUuid}/users/{zoneUserUuid}', actions: ['GET', 'PATCH', 'DELETE'] },
    ];
    const granted = await run<{ resources: unknown }>(
      'admin',
      `query ($z: Uuid!, $u: Uuid!, $r: [ResourceActionsInput!]!) {
        result: resourcePermissions(zoneUuid: $z, zoneUserUuid: $u, resources: $r) { resources { resource actions } }
      }`,
      { u: pia.uuid, r: resources },
    );
    expect(granted.result.resources).toEqual([{ ...resources[0], actions: [] }, resources[1]]);
    const usable = await run<{ resources: unknown }>(
      String(pia['username']),
      'query ($r: [ResourceActionsInput!]!) { result: usableResources(resources: $r) { resources { resource actions } } }',
      { r: resources },
    );
    expect(usable.result.resources).toEqual([resources[1]]);
  });
});

describe('lists over all zones', () => {
  it('contain those of the zones that the caller may read', async () => {
    const z = await governance.createZone(unique('zone'), root);
    const quinn = await newUser('quinn');
    await must(
      create('Permission', {
        action: 'GET',
        resource: `/zones/${z}/roles`,
        holderType: 'USER',
        holderUuid: quinn.uuid,
      }),
    );
    const name = String(quinn['username']);
    const { result } = await run<{ data: { name: string; zoneUuid: string }[] }>(
      name,
      '{ result: roles { data { name zoneUuid } } }',
    );
    expect(result.data).toEqual(['Zone Admin', 'Zone Data Steward'].map((each) => ({ name: each, zoneUuid: z })));
    expect((await run(name, '{ result: users { data { uuid } } }')).code).toBe('FORBIDDEN');
    expect(
      (await run(name, 'query ($z: Uuid!) { result: roles(zoneUuid: $z) { data { uuid } } }', { z: root })).code,
    ).toBe('FORBIDDEN');
  });
});
