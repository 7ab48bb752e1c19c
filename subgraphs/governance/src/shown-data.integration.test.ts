import type { PrismaTransaction } from '@fds/database';
import { createManagedRoles, moveDomain, removeZoneIdentities } from '@fds/identity';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { openGovernance, type TestGovernance } from './testing/open-governance.js';

/** A person as a user of Root. */
interface User {
  readonly personUuid: string;
  readonly zoneUserUuid: string;
  readonly username: string;
}

let governance: TestGovernance;
let root: string;
let victimZone: string;
let adminUuid: string;
beforeAll(async () => {
  governance = await openGovernance();
  root = governance.rootZoneUuid;
  victimZone = await governance.createZone('victim', root);
  adminUuid = (await governance.as('admin')).uuid;
});
afterAll(() => governance?.close());

let names = 0;
const unique = (word: string): string => `${word}-${(names += 1)}`;

const addUser = async (zoneUuid = root): Promise<User> => {
  const user = { personUuid: newUuid(), zoneUserUuid: newUuid(), username: unique('user') };
  await governance.database.prisma.person.create({
    data: {
      uuid: user.personUuid,
      username: user.username,
      memberships: { create: { uuid: user.zoneUserUuid, zoneUuid } },
    },
  });
  return user;
};

/** Writes a permission directly into the table, without any check. */
const grant = (holderType: 'USER' | 'ROLE' | 'GROUP', holderUuid: string, resource = '/drs/*') =>
  governance.database.prisma.permission.create({
    data: { uuid: newUuid(), zoneUuid: root, holderType, holderUuid, action: 'ALL', resource },
  });

const addRole = async (
  rules: readonly { readonly effect: string; readonly properties?: string[]; readonly zoneUuid?: string }[],
  members: readonly User[],
  zoneUuid = root,
): Promise<string> => {
  const { prisma } = governance.database;
  const roleUuid = newUuid();
  await prisma.role.create({ data: { uuid: roleUuid, zoneUuid, name: unique('role') } });
  await prisma.dataAccessRule.createMany({
    data: rules.map((rule, position) => ({ uuid: newUuid(), roleUuid, position, ...rule })),
  });
  await prisma.roleMember.createMany({ data: members.map(({ zoneUserUuid }) => ({ roleUuid, zoneUserUuid })) });
  governance.directory.forget();
  return roleUuid;
};

/** The error code of a mutation, or OK. */
const attempt = async (
  field: string,
  variables: Readonly<Record<string, readonly [type: string, value: unknown]>>,
  selection = '',
  who = 'admin',
): Promise<string> => {
  const members = Object.keys(variables);
  const declared = members.map((name) => `$${name}: ${variables[name]?.[0]}`).join(', ');
  const passed = members.map((name) => `${name}: $${name}`).join(', ');
  const { code } = await governance.run(
    who,
    `mutation (${declared}) { result: ${field}(${passed}) ${selection} }`,
    Object.fromEntries(members.map((name) => [name, variables[name]?.[1]])),
  );
  return code ?? 'OK';
};

const uuidOf = (value: string) => ['Uuid!', value] as const;
const replaceRules = (roleUuid: string, inputs: readonly object[], zoneUuid = root, who = 'admin') =>
  attempt(
    'replaceDataAccessRules',
    { zoneUuid: uuidOf(zoneUuid), roleUuid: uuidOf(roleUuid), inputs: ['[DataAccessRuleInput!]!', inputs] },
    '{ page { size } }',
    who,
  );
const setMembers = (kind: 'Role' | 'Group', uuid: string, users: readonly string[], zoneUuid = root) =>
  attempt(
    `replace${kind}Users`,
    {
      zoneUuid: uuidOf(zoneUuid),
      [`${kind.toLowerCase()}Uuid`]: uuidOf(uuid),
      zoneUserUuids: ['[Uuid!]!', users],
    },
    '{ page { size } }',
  );
const patchUser = (user: User, input: object) =>
  attempt(
    'patchUser',
    { zoneUuid: uuidOf(root), zoneUserUuid: uuidOf(user.zoneUserUuid), input: ['UserInput!', input] },
    '{ uuid }',
  );

/** Runs work in a transaction, like a change of a zone or domain in the catalog; returns the error code or OK. */
const inCatalog = async (work: (tx: PrismaTransaction) => Promise<unknown>): Promise<string> => {
  try {
    await governance.database.prisma.$transaction(work);
    return 'OK';
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error);
  } finally {
    governance.directory.forget();
  }
};

const createZoneWith = (steward: User, zoneUuid = newUuid(), adminUserUuids?: readonly string[]) =>
  inCatalog(async (tx) => {
    await tx.zone.create({ data: { uuid: zoneUuid, name: unique('zone'), parentZoneUuid: root } });
    await createManagedRoles(
      tx,
      { zoneUuid, parentZoneUuid: root, dataStewardUserUuids: [steward.personUuid], adminUserUuids },
      { actorUuid: adminUuid, newUuid },
    );
  });

const stewardRoleOf = async (zoneUuid: string): Promise<{ roleUuid: string; ruleUuid: string }> => {
  const { prisma } = governance.database;
  const { uuid } = await prisma.role.findFirstOrThrow({ where: { zoneUuid, name: 'Zone Data Steward' } });
  const rule = await prisma.dataAccessRule.findFirstOrThrow({ where: { roleUuid: uuid } });
  return { roleUuid: uuid, ruleUuid: rule.uuid };
};

describe('Root Admin, who has no data, and an account of theirs that is data steward of a new zone', () => {
  let own: User;
  let zone: string;
  let role: { roleUuid: string; ruleUuid: string };
  beforeEach(async () => {
    own = await addUser();
    zone = newUuid();
    // a zone without data gives its steward no data
    expect(await createZoneWith(own, zone)).toBe('OK');
    role = await stewardRoleOf(zone);
  });
  const ruleKey = () => ({
    zoneUuid: uuidOf(zone),
    roleUuid: uuidOf(role.roleUuid),
    ruleUuid: uuidOf(role.ruleUuid),
  });
  const any = { effect: 'ALLOW' };

  const attacks: readonly (readonly [string, () => Promise<string>])[] = [
    ['PUT an empty list of rules', () => replaceRules(role.roleUuid, [], zone)],
    ['PUT a rule for everything', () => replaceRules(role.roleUuid, [any], zone)],
    [
      'PUT a rule that denies one property only',
      () => replaceRules(role.roleUuid, [{ effect: 'DENY', properties: ['x'] }], zone),
    ],
    [
      'PUT a rule for another zone in addition to its own',
      () =>
        replaceRules(
          role.roleUuid,
          [
            { ...any, zoneUuid: zone },
            { ...any, zoneUuid: victimZone },
          ],
          zone,
        ),
    ],
    [
      'POST a rule for one action',
      () =>
        attempt(
          'createDataAccessRules',
          {
            zoneUuid: uuidOf(zone),
            roleUuid: uuidOf(role.roleUuid),
            inputs: ['[DataAccessRuleInput!]!', [{ ...any, actions: ['GET'] }]],
          },
          '{ uuid }',
        ),
    ],
    [
      'PATCH the zone out of its rule',
      () =>
        attempt(
          'patchDataAccessRule',
          { ...ruleKey(), input: ['DataAccessRuleInput!', { zoneUuid: null, changeVersion: 1 }] },
          '{ uuid }',
        ),
    ],
    [
      'PUT another zone into its rule',
      () =>
        attempt(
          'replaceDataAccessRule',
          { ...ruleKey(), input: ['DataAccessRuleInput!', { ...any, zoneUuid: victimZone, changeVersion: 1 }] },
          '{ uuid }',
        ),
    ],
    ['DELETE its only rule', () => attempt('deleteDataAccessRule', ruleKey())],
    [
      'add it to a role whose rules allow everything',
      async () => {
        const roleUuid = await addRole([any], []);
        return setMembers('Role', roleUuid, [own.zoneUserUuid]);
      },
    ],
    [
      'add it to such a role by its user',
      async () => {
        const roleUuid = await addRole([any], []);
        return patchUser(own, { roleUuids: [roleUuid], changeVersion: 1 });
      },
    ],
    [
      'add it to a group that has such a role',
      async () => {
        const roleUuid = await addRole([any], []);
        const groupUuid = newUuid();
        await governance.database.prisma.userGroup.create({
          data: { uuid: groupUuid, zoneUuid: root, name: unique('group'), roles: { create: { roleUuid } } },
        });
        return setMembers('Group', groupUuid, [own.zoneUserUuid]);
      },
    ],
    [
      'give such a role to a group of it',
      async () => {
        const roleUuid = await addRole([any], []);
        const groupUuid = newUuid();
        const { zoneUserUuid } = own;
        await governance.database.prisma.userGroup.create({
          data: { uuid: groupUuid, zoneUuid: root, name: unique('group'), members: { create: { zoneUserUuid } } },
        });
        return attempt(
          'patchGroup',
          {
            zoneUuid: uuidOf(root),
            groupUuid: uuidOf(groupUuid),
            input: ['GroupInput!', { roleUuids: [roleUuid], changeVersion: 1 }],
          },
          '{ uuid }',
        );
      },
    ],
    [
      'widen the rules of another role of it',
      async () => {
        const roleUuid = await addRole([{ effect: 'DENY' }], [own]);
        return replaceRules(roleUuid, [any]);
      },
    ],
    [
      'grant it data',
      () =>
        attempt(
          'createPermission',
          {
            zoneUuid: uuidOf(root),
            input: [
              'PermissionInput!',
              { action: 'GET', resource: '/drs/*', holderType: 'USER', holderUuid: own.zoneUserUuid },
            ],
          },
          '{ uuid }',
        ),
    ],
    [
      'make a role with data',
      () =>
        attempt(
          'createRole',
          {
            zoneUuid: uuidOf(root),
            input: ['RoleInput!', { name: unique('r'), permissions: [{ action: 'GET', resource: '/drs' }] }],
          },
          '{ uuid }',
        ),
    ],
    [
      'join the role of the data stewards of another zone',
      async () => {
        const { roleUuid } = await stewardRoleOf(victimZone);
        const member = await addUser(victimZone);
        return setMembers('Role', roleUuid, [member.zoneUserUuid], victimZone);
      },
    ],
    [
      'set the password of the data steward',
      async () => {
        const { uuid } = await governance.as('dgs');
        const dgs = await governance.database.prisma.zoneUser.findFirstOrThrow({
          where: { personUuid: uuid, zoneUuid: root },
        });
        const user = { personUuid: uuid, zoneUserUuid: dgs.uuid, username: 'dgs' };
        const codes = [
          await patchUser(user, { password: 'a new password', changeVersion: dgs.changeVersion }),
          await patchUser(user, { ssoId: 'mine', changeVersion: dgs.changeVersion }),
        ];
        return codes.find((code) => code !== 'FORBIDDEN') ?? 'FORBIDDEN';
      },
    ],
    [
      'move a domain with records into its zone',
      async () => {
        const { prisma } = governance.database;
        const [domainUuid, versionUuid] = [newUuid(), newUuid()];
        await prisma.domain.create({
          data: {
            uuid: domainUuid,
            name: unique('domain'),
            nameKey: unique('domain'),
            domainType: 'SERVICE_DATA_STORE',
            zoneUuid: victimZone,
            versions: { create: { uuid: versionUuid, versionNumber: 1, modelSchema: '{}' } },
          },
        });
        const moved = { domainUuid, fromZoneUuid: victimZone, toZoneUuid: zone };
        const move = () => inCatalog((tx) => moveDomain(tx, moved, { actorUuid: adminUuid, newUuid }));
        // without records the move gives no data
        expect(await move()).toBe('OK');
        await prisma.dataRecord.create({
          data: { uuid: newUuid(), domainVersionUuid: versionUuid, keyDigest: Buffer.from(domainUuid), drKey: {} },
        });
        return move();
      },
    ],
  ];
  it.each(attacks)('cannot get at data: %s', async (_name, attack) => {
    const before = await governance.as(own.username);
    expect(await attack()).toBe('FORBIDDEN');
    const after = await governance.as(own.username);
    expect([after.dataAccess === undefined, after.permits('GET', '/drs')]).toEqual([
      before.dataAccess === undefined,
      true,
    ]);
  });

  it('may narrow the rules, and not widen them again', async () => {
    const narrow = [
      { effect: 'DENY', properties: ['salary'] },
      { effect: 'ALLOW', zoneUuid: zone },
    ];
    expect(await replaceRules(role.roleUuid, narrow, zone)).toBe('OK');
    expect(await replaceRules(role.roleUuid, [{ effect: 'ALLOW', zoneUuid: zone }], zone)).toBe('FORBIDDEN');
    const dgs = await governance.database.prisma.zoneUser.findFirstOrThrow({
      where: { person: { username: 'dgs' }, zoneUuid: root },
    });
    await grant('USER', dgs.uuid, `/zones/${zone}/roles/*`);
    governance.directory.forget();
    expect(await replaceRules(role.roleUuid, [{ effect: 'ALLOW', zoneUuid: zone }], zone, 'dgs')).toBe('OK');
  });
});

describe('Root Admin and rules that limit the data of a person who has a permission without the role', () => {
  const denied = [{ effect: 'DENY', properties: ['salary'] }];
  let user: User;
  let roleUuid: string;
  beforeEach(async () => {
    user = await addUser();
    await grant('USER', user.zoneUserUuid);
    roleUuid = await addRole(denied, [user]);
  });
  const key = () => ({ zoneUuid: uuidOf(root), roleUuid: uuidOf(roleUuid) });

  it.each<readonly [string, () => Promise<string>]>([
    ['removes the rules', () => replaceRules(roleUuid, [])],
    ['takes the person out of the role', () => setMembers('Role', roleUuid, [])],
    ['takes the person out by their user', () => patchUser(user, { roleUuids: [], changeVersion: 1 })],
    ['deletes the role', () => attempt('deleteRole', key())],
    [
      'lets the role allow everything by a permission',
      async () => {
        const other = await addRole([], []);
        await grant('ROLE', other);
        return setMembers('Role', other, [user.zoneUserUuid]);
      },
    ],
  ])('cannot lift them: %s', async (_name, attack) => {
    expect(await attack()).toBe('FORBIDDEN');
    expect((await governance.as(user.username)).dataAccess).toBeDefined();
  });

  it('may end a membership whose rules restricted no other zone', async () => {
    const { prisma } = governance.database;
    const zone = await governance.createZone(unique('fence'), root);
    const person = await addUser();
    await grant('USER', person.zoneUserUuid);
    const fenced = newUuid();
    await prisma.zoneUser.create({ data: { uuid: fenced, zoneUuid: zone, personUuid: person.personUuid } });
    await addRole(denied, [{ ...person, zoneUserUuid: fenced }], zone);
    expect((await governance.as(person.username)).dataAccess).toBeUndefined();
    const end = await attempt('deleteUser', { zoneUuid: uuidOf(zone), zoneUserUuid: uuidOf(fenced) });
    const removed = await inCatalog((tx) => removeZoneIdentities(tx, zone, { actorUuid: adminUuid }));
    expect([end, removed]).toEqual(['OK', 'OK']);
  });

  it('cannot combine the rules of one zone with the permissions of another', async () => {
    const { prisma } = governance.database;
    const zone = await governance.createZone(unique('combined'), root);
    const joined = newUuid();
    await prisma.zoneUser.create({ data: { uuid: joined, zoneUuid: zone, personUuid: user.personUuid } });
    const everything = await addRole([{ effect: 'ALLOW' }], [], zone);
    expect(await setMembers('Role', everything, [joined], zone)).toBe('FORBIDDEN');
    expect((await governance.as(user.username)).dataAccess).toBeDefined();
  });

  it('can reactivate a membership with the data that it had', async () => {
    const set = (active: boolean, changeVersion: number) => patchUser(user, { active, changeVersion });
    await governance.database.prisma.zoneUser.create({
      data: { uuid: newUuid(), zoneUuid: victimZone, personUuid: user.personUuid },
    });
    expect(await set(false, 1)).toBe('OK');
    expect(await set(true, 2)).toBe('OK');
  });

  it('can add users who have data elsewhere to a zone, and change names', async () => {
    const zone = await governance.createZone(unique('plain'), root);
    expect(
      await attempt(
        'createUser',
        { zoneUuid: uuidOf(zone), input: ['UserInput!', { userUuid: user.personUuid }] },
        '{ user { uuid } }',
      ),
    ).toBe('OK');
    expect(await patchUser(user, { name: 'Another Name', changeVersion: 1 })).toBe('OK');
  });
});
