import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { openGovernance, type Answer, type TestGovernance } from './testing/open-governance.js';

interface Rule {
  readonly uuid: string;
}

/** A person of a zone, their membership, and their role. */
interface Holder {
  readonly username: string;
  readonly zoneUserUuid: string;
  readonly roleUuid: string;
}

let governance: TestGovernance;
beforeAll(async () => {
  governance = await openGovernance();
});
afterAll(() => governance?.close());

let names = 0;

/**
 * A caller who administers roles and users of the zone and has access to data. Each test sets the rules of the caller's
 * role.
 */
const createHolder = async (
  zoneUuid: string,
  rules: readonly { readonly effect: string; readonly properties?: string[]; readonly zoneUuid?: string }[],
  resources: readonly string[] = ['/drs/*'],
): Promise<Holder> => {
  const { prisma } = governance.database;
  const username = `holder-${(names += 1)}`;
  const [personUuid, zoneUserUuid, roleUuid] = [newUuid(), newUuid(), newUuid()];
  await prisma.person.create({
    data: { uuid: personUuid, username, memberships: { create: { uuid: zoneUserUuid, zoneUuid } } },
  });
  await prisma.role.create({ data: { uuid: roleUuid, zoneUuid, name: username } });
  await prisma.roleMember.create({ data: { roleUuid, zoneUserUuid } });
  await prisma.dataAccessRule.createMany({
    data: rules.map((rule, position) => ({ uuid: newUuid(), roleUuid, position, ...rule })),
  });
  const paths = [...resources, `/zones/${zoneUuid}/roles/*`, `/zones/${zoneUuid}/users/*`];
  await prisma.permission.createMany({
    data: paths.map((resource) => ({
      uuid: newUuid(),
      zoneUuid,
      holderType: 'USER',
      holderUuid: zoneUserUuid,
      action: 'ALL',
      resource,
    })),
  });
  governance.directory.forget();
  return { username, zoneUserUuid, roleUuid };
};

const replaceRules = (
  who: string,
  zoneUuid: string,
  roleUuid: string,
  inputs: readonly object[],
): Promise<Answer<{ readonly data: readonly Rule[] }>> =>
  governance.run(
    who,
    `mutation ($z: Uuid!, $r: Uuid!, $i: [DataAccessRuleInput!]!) {
      result: replaceDataAccessRules(zoneUuid: $z, roleUuid: $r, inputs: $i) { data { uuid } }
    }`,
    { z: zoneUuid, r: roleUuid, i: inputs },
  );

/** `dgs` may see all data, and this gives `dgs` the right to write rules. */
const letDgsWriteRules = async (zoneUuid: string): Promise<void> => {
  const { prisma } = governance.database;
  const { uuid: holderUuid } = await prisma.zoneUser.findFirstOrThrow({ where: { person: { username: 'dgs' } } });
  const resource = `/zones/${zoneUuid}/roles/*`;
  const granted = { uuid: newUuid(), zoneUuid, holderType: 'USER', holderUuid, action: 'ALL', resource };
  await prisma.permission.create({ data: granted });
  governance.directory.forget();
};

const codeOf = async (answer: Promise<Answer<unknown>>): Promise<string | undefined> => (await answer).code;

describe('a caller whom data access rules restrict', () => {
  const denied = [{ effect: 'DENY', properties: ['salary'] }];

  it('cannot remove these rules, but can add to them', async () => {
    const zoneUuid = governance.rootZoneUuid;
    const { username, roleUuid } = await createHolder(zoneUuid, denied);
    const replace = (inputs: readonly object[]) => codeOf(replaceRules(username, zoneUuid, roleUuid, inputs));
    expect(await replace([])).toBe('FORBIDDEN');
    expect(await replace([{ effect: 'DENY', properties: ['pay'] }])).toBe('FORBIDDEN');
    expect(await replace([{ effect: 'ALLOW' }])).toBe('FORBIDDEN');
    expect(await replace([{ effect: 'DENY', properties: ['salary', 'pay'] }])).toBeUndefined();
    expect(await replace(denied)).toBe('FORBIDDEN');
    // a caller without data cannot either, not even Root Admin
    expect(await codeOf(replaceRules('admin', zoneUuid, roleUuid, []))).toBe('FORBIDDEN');
    await letDgsWriteRules(zoneUuid);
    expect(await codeOf(replaceRules('dgs', zoneUuid, roleUuid, []))).toBeUndefined();
  });

  it('cannot leave the role, and cannot get a role with more data', async () => {
    const zoneUuid = governance.rootZoneUuid;
    const { username, zoneUserUuid, roleUuid } = await createHolder(zoneUuid, denied);
    const key = { z: zoneUuid, r: roleUuid, u: zoneUserUuid };
    const leave = `mutation ($z: Uuid!, $r: Uuid!, $u: Uuid!) { result: removeRoleUser(zoneUuid: $z, roleUuid: $r, zoneUserUuid: $u) }`;
    expect(await codeOf(governance.run(username, leave, key))).toBe('FORBIDDEN');
    const drop = `mutation ($z: Uuid!, $r: Uuid!) { result: deleteRole(zoneUuid: $z, roleUuid: $r) }`;
    expect(await codeOf(governance.run(username, drop, key))).toBe('FORBIDDEN');
    const create = (permissions: readonly object[]) =>
      governance.run<Rule>(
        username,
        `mutation ($z: Uuid!, $i: RoleInput!) { result: createRole(zoneUuid: $z, input: $i) { uuid } }`,
        { z: zoneUuid, i: { name: `role-${(names += 1)}`, permissions } },
      );
    const { code, causes } = await create([{ action: 'ALL', resource: '/drs/*' }]);
    expect([code, causes]).toEqual(['FORBIDDEN', ['/permissions/0 NOT_HELD']]);
    expect((await create([{ action: 'GET', resource: `/zones/${zoneUuid}/users` }])).code).toBeUndefined();
    const free = await createHolder(zoneUuid, [{ effect: 'ALLOW' }]);
    const join = `mutation ($z: Uuid!, $r: Uuid!, $u: Uuid!) { result: replaceRoleUsers(zoneUuid: $z, roleUuid: $r, zoneUserUuids: [$u]) { page { size } } }`;
    expect(await codeOf(governance.run(username, join, { ...key, r: free.roleUuid }))).toBe('FORBIDDEN');
    expect((await governance.as(username)).dataAccess).toBeDefined();
  });
});

describe('a data steward of a zone', () => {
  it('may give data to roles whose rules allow no more data than the steward has', async () => {
    const north = await governance.createZone(`north-${(names += 1)}`, governance.rootZoneUuid);
    const own = { effect: 'ALLOW', zoneUuid: north };
    const { username } = await createHolder(north, [own], ['/drs/*', `/zones/${north}/permissions/*`]);
    const grantTo = async (rules: Parameters<typeof createHolder>[1]): Promise<string | undefined> => {
      const { roleUuid: holderUuid } = await createHolder(north, rules, []);
      const permission = { action: 'ALL', resource: '/drs/*', holderType: 'ROLE', holderUuid };
      const create = `mutation ($z: Uuid!, $i: PermissionInput!) { result: createPermission(zoneUuid: $z, input: $i) { uuid } }`;
      return codeOf(governance.run(username, create, { z: north, i: permission }));
    };
    expect(await grantTo([{ effect: 'DENY', properties: ['salary'] }, own])).toBeUndefined();
    expect(await grantTo([{ effect: 'DENY', properties: ['salary'] }])).toBe('FORBIDDEN');
    expect(await grantTo([])).toBe('FORBIDDEN');
  });
});

describe('the rules of a role', () => {
  it('can be narrowed by every administrator of roles, but widened only by those who have the data', async () => {
    const north = await governance.createZone(`north-${(names += 1)}`, governance.rootZoneUuid);
    const south = await governance.createZone(`south-${(names += 1)}`, governance.rootZoneUuid);
    const { username } = await createHolder(north, [], []);
    const { uuid: steward } = await governance.database.prisma.role.findFirstOrThrow({
      where: { zoneUuid: north, name: 'Zone Data Steward' },
    });
    await letDgsWriteRules(north);
    const replace = (inputs: readonly object[], who = username) => codeOf(replaceRules(who, north, steward, inputs));
    const own = { effect: 'ALLOW', zoneUuid: north };
    const both = [own, { effect: 'ALLOW', zoneUuid: south }];
    for (const who of [username, 'admin']) {
      expect(await replace([], who)).toBe('FORBIDDEN');
      expect(await replace(both, who)).toBe('FORBIDDEN');
    }
    expect(await replace([{ effect: 'DENY', properties: ['salary'] }, own])).toBeUndefined();
    expect(await replace([own])).toBe('FORBIDDEN');
    expect(await replace(both, 'dgs')).toBeUndefined();
    // every administrator may remove the grant of another
    expect(await replace([own])).toBeUndefined();
  });
});
