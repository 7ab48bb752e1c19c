import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { bootstrapIdentity, type BootstrappedIdentity } from './bootstrap-identity.js';
import { createManagedRoles } from '../zones/create-managed-roles.js';
import { grantDomain } from '../zones/grant-domain.js';
import { loadHolder } from '../holdings/load-holder.js';

const now = (): Date => new Date();

let database: TestDatabase;
let dataDir: string;

beforeEach(async () => {
  database = await openTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'fds-identity-'));
});

afterEach(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const bootstrap = (passwords: { adminPassword?: string; dgsPassword?: string } = {}): Promise<BootstrappedIdentity> =>
  bootstrapIdentity({ database, dataDir, now, newUuid, ...passwords });

const principalOf = async (username: string) => {
  const { uuid } = await database.prisma.person.findUniqueOrThrow({ where: { username } });
  const holder = await loadHolder(database, uuid);
  if (holder === undefined) throw new Error(`${username} is not known`);
  return holder.principal;
};

const createZone = async (
  parentZoneUuid: string | null,
  named: object = {},
  actor: { readonly actorUuid?: string } = {},
): Promise<string> => {
  const zoneUuid = newUuid();
  await database.prisma.$transaction(async (tx) => {
    await tx.zone.create({ data: { uuid: zoneUuid, name: zoneUuid, parentZoneUuid } });
    await createManagedRoles(tx, { zoneUuid, parentZoneUuid, ...named }, { newUuid, ...actor });
  });
  return zoneUuid;
};

describe('the first start', () => {
  it('creates Root, its managed roles and the two users', async () => {
    const { rootZoneUuid, firstStart } = await bootstrap();
    expect(firstStart).toBe(true);
    const roles = await database.prisma.role.findMany({ where: { zoneUuid: rootZoneUuid, managed: true } });
    expect(roles.map((role) => role.name).sort()).toEqual([
      'Data Governance Steward',
      'Root Admin',
      'Zone Admin',
      'Zone Data Steward',
    ]);
    const rolesOf = async (username: string) =>
      (await principalOf(username)).zones.map((zone) => [zone.zoneName, zone.roles.map((role) => role.name).sort()]);
    expect(await rolesOf('admin')).toEqual([['Root', ['Root Admin', 'Zone Admin']]]);
    expect(await rolesOf('dgs')).toEqual([['Root', ['Data Governance Steward', 'Zone Data Steward']]]);
    expect((await principalOf('dgs')).defaultZoneUuid).toBe(rootZoneUuid);
  });

  it('does not name the file of a password when a given one is valid instead', async () => {
    const { passwordFiles } = await bootstrap({ adminPassword: 'correct horse' });
    expect(passwordFiles).toEqual([join(dataDir, 'dgs.password')]);
    await writeFile(join(dataDir, 'admin.password'), 'of another database\n');
    expect((await bootstrap({ adminPassword: 'correct horse' })).passwordFiles).toEqual(passwordFiles);
    const files = ['admin.password', 'dgs.password'].map((name) => join(dataDir, name));
    for (const given of [{}, { adminPassword: 'not the valid one' }]) {
      expect((await bootstrap(given)).passwordFiles).toEqual(files);
    }
  });

  it('names users whose given password is too easy to guess', async () => {
    expect(await bootstrap({ adminPassword: 'Admin-2026', dgsPassword: 'correct horse' })).toMatchObject({
      firstStart: true,
      weakPasswords: ['admin'],
    });
    expect((await bootstrap({ adminPassword: 'Admin-2026' })).weakPasswords).toEqual([]);
  });

  it('happens once, however many processes start and however often', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => bootstrap()));
    expect(all.filter((each) => each.firstStart)).toHaveLength(1);
    expect(new Set(all.map((each) => each.rootZoneUuid)).size).toBe(1);
    const passwordFiles = ['admin.password', 'dgs.password'].map((name) => join(dataDir, name));
    const { secretHash } = await database.prisma.person.findUniqueOrThrow({ where: { username: 'admin' } });
    expect(await bootstrap({ adminPassword: 'later' })).toEqual({ ...all[0], firstStart: false, passwordFiles });
    expect(await database.prisma.person.count()).toBe(2);
    expect(await database.prisma.role.count()).toBe(4);
    expect(await database.prisma.person.findUnique({ where: { username: 'admin' } })).toMatchObject({ secretHash });
  });
});

describe('the default holders', () => {
  const zone = newUuid();
  const other = newUuid();
  const cases = (root: string): [who: string, action: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string][] => [
    ['admin', 'POST', '/zones'],
    ['admin', 'PATCH', `/zones/${zone}`],
    ['admin', 'DELETE', `/zones/${zone}`],
    ['admin', 'POST', `/zones/${zone}/child-zones`],
    ['admin', 'POST', `/zones/${zone}/users`],
    ['admin', 'GET', `/zones/${zone}/capable-adaptors/${other}`],
    ['admin', 'PUT', `/zones/${zone}/roles/${other}`],
    ['admin', 'POST', `/zones/${zone}/permissions`],
    ['admin', 'POST', `/zones/${zone}/inbound-acls`],
    ['admin', 'POST', '/adaptor-types'],
    ['admin', 'POST', `/domains/${other}/versions`],
    ['admin', 'DELETE', `/operational-acls/entries/${other}`],
    ['admin', 'GET', '/token'],
    ['dgs', 'GET', '/zones'],
    ['dgs', 'GET', `/zones/${root}`],
    ['dgs', 'POST', `/zones/${root}/adaptors`],
    ['dgs', 'GET', `/zones/${root}/adaptors/${other}/registration`],
    ['dgs', 'POST', `/zones/${root}/outbound-acls`],
    ['dgs', 'GET', `/zones/${root}/issues`],
    ['dgs', 'PUT', `/zones/${root}/settings/domain-version-adaptor-preferences/${other}`],
    ['dgs', 'POST', '/domains'],
    ['dgs', 'POST', `/domains/${other}/versions`],
    ['dgs', 'PATCH', `/domains/versions/${other}`],
    ['dgs', 'POST', '/adaptor-types'],
    ['dgs', 'POST', '/operational-acls/entries'],
    ['dgs', 'POST', '/drs/bulk'],
    ['dgs', 'GET', '/graphql-schema'],
  ];
  const refused = (root: string): ReturnType<typeof cases> => [
    ['admin', 'GET', '/drs'],
    ['admin', 'POST', '/drs'],
    ['admin', 'POST', `/zones/${root}/adaptors`],
    ['admin', 'GET', `/zones/${root}/adaptors/${other}/registration`],
    ['dgs', 'POST', '/zones'],
    ['dgs', 'PATCH', `/zones/${root}`],
    ['dgs', 'POST', `/zones/${root}/users`],
    ['dgs', 'POST', `/zones/${root}/permissions`],
    ['dgs', 'POST', `/zones/${other}/adaptors`],
    ['dgs', 'PUT', '/token'],
  ];

  it('may do what the specification gives them and nothing else', async () => {
    const { rootZoneUuid: root } = await bootstrap();
    const principals = { admin: await principalOf('admin'), dgs: await principalOf('dgs') };
    const permits = ([who, action, path]: ReturnType<typeof cases>[number]) =>
      principals[who as 'admin' | 'dgs'].permits(action, path);
    expect(cases(root).filter((each) => !permits(each))).toEqual([]);
    expect(refused(root).filter(permits)).toEqual([]);
  });
});

describe('a new zone', () => {
  it("gives its managed roles to the parent's holders", async () => {
    const { rootZoneUuid } = await bootstrap();
    const child = await createZone(rootZoneUuid);
    const grandchild = await createZone(child);
    const dgs = await principalOf('dgs');
    expect(dgs.zones.map((zone) => [zone.zoneUuid, zone.default])).toEqual([
      [rootZoneUuid, true],
      [child, false],
      [grandchild, false],
    ]);
    expect(dgs.permits('POST', `/zones/${grandchild}/adaptors`)).toBe(true);
    expect(dgs.permits('POST', `/zones/${grandchild}/users`)).toBe(false);
    expect((await principalOf('admin')).permits('POST', `/zones/${grandchild}/adaptors`)).toBe(false);
  });

  it('gives them to direct holders and to holders through a group, but not to deactivated users', async () => {
    const { rootZoneUuid: zoneUuid } = await bootstrap();
    const { prisma } = database;
    const role = await prisma.role.findFirstOrThrow({ where: { zoneUuid, name: 'Zone Data Steward' } });
    const join = async (username: string, active: boolean): Promise<string> => {
      const [uuid, zoneUserUuid] = [newUuid(), newUuid()];
      const memberships = { create: { uuid: zoneUserUuid, zoneUuid, active } };
      await prisma.person.create({ data: { uuid, username, memberships } });
      return zoneUserUuid;
    };
    const members = [await join('ann', true), await join('ben', false)].map((zoneUserUuid) => ({ zoneUserUuid }));
    const roles = { create: { roleUuid: role.uuid } };
    const group = { uuid: newUuid(), zoneUuid, name: 'Stewards', members: { create: members }, roles };
    await prisma.userGroup.create({ data: group });
    const child = await createZone(zoneUuid);
    const stewards = await prisma.zoneUser.findMany({
      where: { zoneUuid: child, roles: { some: { role: { name: 'Zone Data Steward' } } } },
      select: { person: { select: { username: true } } },
    });
    expect(stewards.map(({ person }) => person.username).sort()).toEqual(['ann', 'dgs']);
  });

  it('gives them to those who are named, and to them alone', async () => {
    const { rootZoneUuid } = await bootstrap();
    const person = await database.prisma.person.create({ data: { uuid: newUuid(), username: 'ann' } });
    const child = await createZone(rootZoneUuid, { dataStewardUserUuids: [person.uuid, person.uuid] });
    const ann = await principalOf('ann');
    expect(ann.defaultZoneUuid).toBe(child);
    expect(ann.permits('POST', `/zones/${child}/adaptors`)).toBe(true);
    expect(ann.permits('POST', `/zones/${rootZoneUuid}/adaptors`)).toBe(false);
    expect((await principalOf('dgs')).permits('POST', `/zones/${child}/adaptors`)).toBe(false);
  });

  it('is no way for the administrator of a zone to what they do not hold', async () => {
    const { rootZoneUuid } = await bootstrap();
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map((username) => database.prisma.person.create({ data: { uuid: newUuid(), username } })),
    );
    const north = await createZone(rootZoneUuid, { adminUserUuids: [ann?.uuid] });
    const actor = { actorUuid: String(ann?.uuid) };
    await expect(createZone(north, { dataStewardUserUuids: [bob?.uuid] }, actor)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      errors: expect.arrayContaining([
        { pointer: '/dataStewardUserUuids/0', code: 'NOT_HELD', detail: 'neither you nor they hold ALL /drs/*' },
      ]),
    });
    await expect(createZone(north, { dataStewardUserUuids: [ann?.uuid] }, actor)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect((await principalOf('ann')).permits('GET', '/drs')).toBe(false);
    // the creator may give permissions below the zone, and data to users who have it
    const dgs = await database.prisma.person.findUniqueOrThrow({ where: { username: 'dgs' } });
    const child = await createZone(north, { adminUserUuids: [bob?.uuid], dataStewardUserUuids: [dgs.uuid] }, actor);
    expect((await principalOf('bob')).permits('POST', `/zones/${child}/users`)).toBe(true);
    expect((await principalOf('dgs')).permits('POST', `/zones/${child}/adaptors`)).toBe(true);
    // a caller who may create zones anywhere appoints any user
    const admin = await database.prisma.person.findUniqueOrThrow({ where: { username: 'admin' } });
    await createZone(north, { dataStewardUserUuids: [bob?.uuid] }, { actorUuid: admin.uuid });
    expect((await principalOf('bob')).permits('GET', '/drs')).toBe(true);
  });

  it('lets its data stewards have its data: of its adaptors, and of the domains it owns', async () => {
    const { rootZoneUuid } = await bootstrap();
    const person = await database.prisma.person.create({ data: { uuid: newUuid(), username: 'ann' } });
    const named = { dataStewardUserUuids: [person.uuid] };
    const north = await createZone(rootZoneUuid, named);
    const south = await createZone(rootZoneUuid, named);
    const east = await createZone(rootZoneUuid);
    const { dataAccess } = await principalOf('ann');
    const may = (action: 'GET' | 'POST' | 'DELETE', ownerUuid: string, holderUuid?: string): boolean => {
      const model = { properties: [{ name: 'id' }] };
      const version = { uuid: newUuid(), domainUuid: newUuid(), zoneUuid: ownerUuid, model };
      const holder = holderUuid === undefined ? null : { adaptorUuid: newUuid(), zoneUuid: holderUuid };
      return dataAccess?.of(action, version).at(holder).of(newUuid()).extent === 'ALL';
    };
    for (const action of ['GET', 'POST', 'DELETE'] as const) {
      expect([north, south, east, rootZoneUuid].map((zone) => may(action, zone))).toEqual([true, true, false, false]);
      const byHolder = [north, south, east, rootZoneUuid].map((zone) => may(action, east, zone));
      expect(byHolder).toEqual([true, true, false, false]);
    }
    // the data steward of Root has everything, in the statements of those without rules
    const dgs = await principalOf('dgs');
    expect(dgs.zones.map(({ zoneUuid }) => zoneUuid)).toContain(east);
    expect(dgs.dataAccess).toBeUndefined();
  });

  it("lets its data stewards govern the domains it owns, and read the others'", async () => {
    const { rootZoneUuid } = await bootstrap();
    const person = await database.prisma.person.create({ data: { uuid: newUuid(), username: 'ann' } });
    const zoneUuid = await createZone(rootZoneUuid, { dataStewardUserUuids: [person.uuid] });
    const [own, foreign] = [newUuid(), newUuid()];
    await database.prisma.$transaction((tx) => grantDomain(tx, { zoneUuid, domainUuid: own }, { newUuid }));
    const ann = await principalOf('ann');
    expect(ann.permits('POST', `/domains/${own}/versions`)).toBe(true);
    expect(ann.permits('POST', `/domains/${foreign}/versions`)).toBe(false);
    expect(ann.permits('GET', `/domains/${foreign}/versions`)).toBe(true);
  });
});
