import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@fds/auth';
import { v7 as newUuid } from 'uuid';
import { openGovernance, type TestGovernance } from './testing/open-governance.js';

const ssoId = 'victim@company';

interface Created {
  readonly user: { readonly uuid: string; readonly userUuid: string };
}

describe('a zone that names an SSO id which another zone has given to an account with a password', () => {
  let governance: TestGovernance;
  let attackers: string;
  let honest: string;
  let personUuid: string;
  let joined: string;

  const createUser = async (zoneUuid: string, input: object): Promise<Created['user']> => {
    const { result, code } = await governance.run<Created | undefined>(
      'admin',
      'mutation ($zone: Uuid!, $input: UserInput!) { result: createUser(zoneUuid: $zone, input: $input) { user { uuid userUuid } } }',
      { zone: zoneUuid, input },
    );
    if (result?.user === undefined) throw new Error(code);
    return result.user;
  };
  const grant = (zoneUuid: string, holderUuid: string, resource: string) =>
    governance.database.prisma.permission.create({
      data: { uuid: newUuid(), zoneUuid, holderType: 'USER', holderUuid, action: 'ALL', resource },
    });
  const atProvider = (): Promise<Principal> => {
    const iat = Math.floor(Date.now() / 1000) + 1;
    const token = { iss: 'https://idp.example', sub: ssoId, client_id: '', iat, exp: iat + 60, jti: newUuid(), ssoId };
    return governance.directory.principalOf(token);
  };
  const zonesOf = ({ zones }: Principal): readonly string[] => zones.map(({ zoneUuid }) => zoneUuid);

  beforeAll(async () => {
    governance = await openGovernance();
    attackers = await governance.createZone('Attackers', governance.rootZoneUuid);
    honest = await governance.createZone('Honest', governance.rootZoneUuid);
    const account = await createUser(attackers, { username: 'squatter', ssoId, serviceAccount: true });
    personUuid = account.userUuid;
    // the account administers the zone Attackers
    await grant(attackers, account.uuid, `/zones/${attackers}/*`);
    joined = (await createUser(honest, { ssoId })).uuid;
    await grant(honest, joined, '/drs/*');
    governance.directory.forget();
  });
  afterAll(() => governance?.close());

  it('gives the account no permission through its password', async () => {
    const account = await governance.as('squatter');
    expect(zonesOf(account)).toEqual([attackers]);
    expect(account.permits('GET', '/drs')).toBe(false);
  });

  it('gives its grants to the person who signs in at the provider', async () => {
    const person = await atProvider();
    expect(zonesOf(person)).toEqual([attackers, honest]);
    expect(person.permits('GET', '/drs')).toBe(true);
  });

  it('does not let the account pass on permissions of the person', async () => {
    const mate = await createUser(attackers, { username: 'mate' });
    const { code, causes } = await governance.run(
      'squatter',
      'mutation ($zone: Uuid!, $input: PermissionInput!) { result: createPermission(zoneUuid: $zone, input: $input) { uuid } }',
      {
        zone: attackers,
        input: { action: 'GET', resource: '/drs/*', holderType: 'USER', holderUuid: mate.uuid },
      },
    );
    expect([code, causes]).toEqual(['FORBIDDEN', ['/resource NOT_HELD']]);
  });

  it('shows the account only its own permissions', async () => {
    const { result } = await governance.run<{ readonly permissions: readonly { readonly resource: string }[] }>(
      'squatter',
      '{ result: callerPermissions { permissions { resource } } }',
    );
    expect(result.permissions.map(({ resource }) => resource)).not.toContain('/drs/*');
  });

  it('adds a person without a password for every way of signing in', async () => {
    const plain = await createUser(attackers, { username: 'plain', ssoId: 'plain@company' });
    const again = await createUser(honest, { ssoId: 'plain@company' });
    expect(again.userUuid).toBe(plain.userUuid);
    expect(zonesOf(await governance.as('plain'))).toEqual([attackers, honest]);
  });

  it('gives access with a password that is set by a caller with all permissions', async () => {
    const { code } = await governance.run(
      'admin',
      'mutation ($zone: Uuid!, $user: Uuid!, $input: UserInput!) { result: patchUser(zoneUuid: $zone, zoneUserUuid: $user, input: $input) { uuid } }',
      { zone: honest, user: joined, input: { password: 'a new password', changeVersion: 1 } },
    );
    // the person has data, which the administrator does not have
    expect(code).toBe('FORBIDDEN');
    await governance.database.prisma.permission.deleteMany({
      where: { zoneUuid: { in: [attackers, honest] }, holderType: 'USER' },
    });
    const set = await governance.run(
      'admin',
      'mutation ($zone: Uuid!, $user: Uuid!, $input: UserInput!) { result: patchUser(zoneUuid: $zone, zoneUserUuid: $user, input: $input) { uuid } }',
      { zone: honest, user: joined, input: { password: 'a new password', changeVersion: 1 } },
    );
    expect(set.code).toBeUndefined();
    const { providerOnly } = await governance.database.prisma.zoneUser.findUniqueOrThrow({ where: { uuid: joined } });
    expect(providerOnly).toBe(false);
    expect(
      (await governance.database.prisma.person.findUniqueOrThrow({ where: { uuid: personUuid } })).tokenEpoch,
    ).toBe(1);
  });
});
