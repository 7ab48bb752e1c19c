import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { TokenClaims } from '@fds/auth';
import { logChange } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLog } from '@fds/service';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { openIdentityDirectory, type IdentityDirectory } from './identity-directory.js';

const log = createLog('silent');
const now = (): Date => new Date();

let database: TestDatabase;
/** Two processes of one deployment. */
let here: IdentityDirectory;
let elsewhere: IdentityDirectory;
const [personUuid, adaptorUuid, zoneUuid] = [newUuid(), newUuid(), newUuid()];

beforeAll(async () => {
  database = await openTestDatabase();
  const { prisma } = database;
  await prisma.zone.create({ data: { uuid: zoneUuid, name: 'north' } });
  await prisma.person.create({
    data: { uuid: personUuid, username: 'ann', memberships: { create: { uuid: newUuid(), zoneUuid } } },
  });
  await prisma.adaptorType.create({
    data: {
      uuid: newUuid(),
      name: 'default',
      adaptors: { create: { uuid: adaptorUuid, name: 'crm', zoneUuid } },
    },
  });
  here = await openIdentityDirectory({ database, log, now });
  elsewhere = await openIdentityDirectory({ database, log, now });
});

afterAll(async () => {
  await here?.close();
  await elsewhere?.close();
  await database?.drop();
});

const claimsOf = (sub: string, issuedAt = Math.floor(Date.now() / 1000)): TokenClaims => ({
  iss: 'http://fds.example',
  sub,
  client_id: sub,
  iat: issuedAt,
  exp: issuedAt + 3600,
  jti: newUuid(),
});

/** Why the directory refuses; undefined when it does not. */
const reasonOf = async (directory: IdentityDirectory, claims: TokenClaims): Promise<unknown> => {
  try {
    await directory.principalOf(claims);
    return undefined;
  } catch (error) {
    return (error as { details?: { reason?: unknown } }).details?.reason;
  }
};

const becomes = async (directory: IdentityDirectory, claims: TokenClaims, reason: unknown): Promise<void> => {
  const deadline = Date.now() + 5_000;
  while ((await reasonOf(directory, claims)) !== reason) {
    if (Date.now() > deadline) throw new Error(`it did not become ${String(reason)} in time`);
    await turnOfEventLoop();
  }
};

const changePerson = (data: { active?: boolean; tokenEpoch?: number; tokensValidFrom?: Date }): Promise<void> =>
  database.prisma.$transaction(async (tx) => {
    await tx.person.update({ where: { uuid: personUuid }, data });
    await logChange(tx, {
      action: 'PATCH',
      resourceType: 'User',
      resource: `/users/${personUuid}`,
      resourceUuid: personUuid,
    });
  });

describe('a token', () => {
  it('is refused everywhere once its holder is deactivated, and let in again after', async () => {
    const claims = claimsOf(personUuid);
    for (const directory of [here, elsewhere]) expect(await reasonOf(directory, claims)).toBeUndefined();
    await changePerson({ active: false });
    for (const directory of [here, elsewhere]) await becomes(directory, claims, 'inactive');
    await changePerson({ active: true });
    for (const directory of [here, elsewhere]) await becomes(directory, claims, undefined);
  });

  it('is refused when it is of an earlier password, also when it was issued in the same second', async () => {
    const earlier = claimsOf(personUuid);
    await changePerson({ tokenEpoch: 1 });
    const later = { ...claimsOf(personUuid, earlier.iat), token_epoch: 1 };
    for (const directory of [here, elsewhere]) {
      await becomes(directory, earlier, 'revoked');
      expect(await reasonOf(directory, later)).toBeUndefined();
    }
    await changePerson({ tokenEpoch: 0 });
    await becomes(here, earlier, undefined);
  });

  it('is refused at once when it is of an earlier secret of an adaptor, also while that secret lives', async () => {
    const { prisma } = database;
    const renew = (tokenEpoch: number, previousUntil: Date) =>
      prisma.$transaction(async (tx) => {
        const data = { tokenEpoch, previousUntil };
        await tx.adaptorRegistration.upsert({
          where: { adaptorUuid },
          create: { adaptorUuid, sealedSecret: 's', ...data },
          update: data,
        });
        await logChange(tx, { action: 'POST', resourceType: 'Adaptor', resource: '/x', resourceUuid: adaptorUuid });
      });
    const earlier = claimsOf(adaptorUuid);
    await becomes(here, earlier, undefined);
    await renew(1, new Date(Date.now() + 60_000));
    for (const directory of [here, elsewhere]) await becomes(directory, earlier, 'revoked');
    expect(await reasonOf(here, { ...earlier, token_epoch: 1 })).toBeUndefined();
    await prisma.adaptorRegistration.delete({ where: { adaptorUuid } });
    await prisma.$transaction((tx) =>
      logChange(tx, { action: 'POST', resourceType: 'Adaptor', resource: '/x', resourceUuid: adaptorUuid }),
    );
    await becomes(here, earlier, undefined);
    await becomes(elsewhere, earlier, undefined);
  });

  it('is refused at once where it is revoked, and soon everywhere', async () => {
    const claims = claimsOf(adaptorUuid);
    for (const directory of [here, elsewhere]) expect(await reasonOf(directory, claims)).toBeUndefined();
    await here.revoke(claims);
    await here.revoke(claims);
    expect(await reasonOf(here, claims)).toBe('revoked');
    await becomes(elsewhere, claims, 'revoked');
    expect(await reasonOf(here, claimsOf(adaptorUuid))).toBeUndefined();
  });

  it('is refused everywhere although a transaction that writes is open', async () => {
    const { prisma } = database;
    const [ofAdaptor, ofGrant] = [claimsOf(adaptorUuid), { ...claimsOf(personUuid), grant_id: newUuid() }];
    for (const claims of [ofAdaptor, ofGrant]) expect(await reasonOf(elsewhere, claims)).toBeUndefined();
    await prisma.$transaction(async (open) => {
      await logChange(open, { action: 'POST', resourceType: 'Dr', resource: '/drs' });
      await here.revokeGrant(ofGrant.grant_id, new Date(Date.now() + 60_000));
      await becomes(elsewhere, ofGrant, 'revoked');
      await prisma.$transaction(async (tx) => {
        await tx.adaptor.update({ where: { uuid: adaptorUuid }, data: { active: false } });
        await logChange(tx, { action: 'DELETE', resourceType: 'Adaptor', resource: '/x', resourceUuid: adaptorUuid });
      });
      await becomes(elsewhere, ofAdaptor, 'inactive');
    });
    await prisma.adaptor.update({ where: { uuid: adaptorUuid }, data: { active: true } });
    for (const directory of [here, elsewhere]) directory.forget();
  });

  it('is refused while no person has its uuid', async () => {
    const uuid = newUuid();
    expect(await reasonOf(here, claimsOf(uuid))).toBe('unknown');
    await database.prisma.person.create({ data: { uuid, username: 'ben' } });
    expect(await reasonOf(here, claimsOf(uuid))).toBe('no-zone');
  });
});

describe('a principal', () => {
  it('gains and loses grants as roles change', async () => {
    const claims = claimsOf(personUuid);
    const path = `/zones/${zoneUuid}/adaptors`;
    const permits = async (): Promise<boolean> => (await elsewhere.principalOf(claims)).permits('GET', path);
    expect(await permits()).toBe(false);
    const roleUuid = newUuid();
    await database.prisma.$transaction(async (tx) => {
      const membership = await tx.zoneUser.findFirstOrThrow({ where: { personUuid } });
      const members = { create: { zoneUserUuid: membership.uuid } };
      await tx.role.create({ data: { uuid: roleUuid, zoneUuid, name: 'Reader', members } });
      const holder = { holderType: 'ROLE', holderUuid: roleUuid };
      await tx.permission.create({ data: { uuid: newUuid(), zoneUuid, action: 'GET', resource: path, ...holder } });
      await logChange(tx, { action: 'POST', resourceType: 'Role', resource: `/zones/${zoneUuid}/roles/${roleUuid}` });
    });
    const deadline = Date.now() + 5_000;
    while (!(await permits()) && Date.now() < deadline) await turnOfEventLoop();
    expect(await permits()).toBe(true);
  });

  it('is forgotten everywhere although a transaction that writes is open', async () => {
    const claims = claimsOf(personUuid);
    const path = `/zones/${zoneUuid}/inbound-acls`;
    const permits = async (): Promise<boolean> => (await elsewhere.principalOf(claims)).permits('GET', path);
    expect(await permits()).toBe(false);
    await database.prisma.$transaction(async (open) => {
      await logChange(open, { action: 'POST', resourceType: 'Dr', resource: '/drs' });
      await database.prisma.$transaction(async (tx) => {
        const { uuid } = await tx.zoneUser.findFirstOrThrow({ where: { personUuid } });
        const holder = { holderType: 'USER', holderUuid: uuid };
        await tx.permission.create({ data: { uuid: newUuid(), zoneUuid, action: 'GET', resource: path, ...holder } });
        await logChange(tx, { action: 'POST', resourceType: 'Permission', resource: '/x' });
      });
      const deadline = Date.now() + 3_000;
      while (!(await permits()) && Date.now() < deadline) await turnOfEventLoop();
      expect(await permits()).toBe(true);
    });
  });

  it('holds its own permissions, those of its groups, and those of their roles', async () => {
    const { prisma } = database;
    const [groupUuid, roleUuid] = [newUuid(), newUuid()];
    const { uuid: zoneUserUuid } = await prisma.zoneUser.findFirstOrThrow({ where: { personUuid } });
    const path = (word: string): string => `/zones/${zoneUuid}/${word}`;
    await prisma.role.create({ data: { uuid: roleUuid, zoneUuid, name: 'Issues' } });
    await prisma.userGroup.create({
      data: {
        uuid: groupUuid,
        zoneUuid,
        name: 'Helpers',
        members: { create: { zoneUserUuid } },
        roles: { create: { roleUuid } },
      },
    });
    const grant = (holderType: string, holderUuid: string, word: string) => ({
      uuid: newUuid(),
      zoneUuid,
      action: 'GET',
      resource: path(word),
      holderType,
      holderUuid,
    });
    await prisma.permission.createMany({
      data: [grant('ROLE', roleUuid, 'issues'), grant('GROUP', groupUuid, 'acls/metrics')],
    });
    here.forget();
    const principal = await here.principalOf(claimsOf(personUuid));
    expect([path('issues'), path('acls/metrics'), path('users')].map((each) => principal.permits('GET', each))).toEqual(
      [true, true, false],
    );
    expect(principal.permits('GET', `/permissions/${personUuid}`)).toBe(true);
    expect(principal.zones).toMatchObject([
      {
        roles: expect.arrayContaining([{ uuid: roleUuid, name: 'Issues' }]),
        groups: [{ uuid: groupUuid, name: 'Helpers' }],
      },
    ]);
  });

  it('has the same digest of rights until a permission or a rule of it changes', async () => {
    const { prisma } = database;
    const rights = async (directory = here): Promise<string | undefined> => {
      directory.forget();
      return (await directory.principalOf(claimsOf(personUuid))).rights;
    };
    const first = await rights();
    expect(first).toMatch(/^[\w-]{22}$/);
    expect(await rights(elsewhere)).toBe(first);
    await changePerson({ active: true });
    expect(await rights()).toBe(first);
    const { uuid: holderUuid } = await prisma.zoneUser.findFirstOrThrow({ where: { personUuid } });
    const uuid = newUuid();
    const grant = { uuid, zoneUuid, action: 'GET', resource: '/domains', holderType: 'USER', holderUuid };
    await prisma.permission.create({ data: grant });
    const second = await rights();
    expect(second).not.toBe(first);
    const { uuid: roleUuid } = await prisma.role.findFirstOrThrow({ where: { name: 'Reader' } });
    await prisma.dataAccessRule.create({
      data: {
        uuid: newUuid(),
        roleUuid,
        position: 0,
        effect: 'DENY',
        properties: ['name'],
        dateCreated: now(),
        lastUpdated: now(),
      },
    });
    expect([first, second]).not.toContain(await rights());
    await prisma.dataAccessRule.deleteMany({ where: { roleUuid } });
    await prisma.permission.delete({ where: { uuid } });
    expect(await rights()).toBe(first);
  });

  it('is refused when deactivated in all zones, and gets an explanation when a member of none', async () => {
    const uuid = newUuid();
    const memberships = { create: { uuid: newUuid(), zoneUuid, active: false } };
    await database.prisma.person.create({ data: { uuid, username: 'cleo', secretHash: 'x', memberships } });
    expect(await reasonOf(here, claimsOf(uuid))).toBe('inactive');
    await database.prisma.zoneUser.deleteMany({ where: { personUuid: uuid } });
    here.forget();
    expect(await reasonOf(here, claimsOf(uuid))).toBe('no-zone');
  });
});
