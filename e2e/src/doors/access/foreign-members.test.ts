import { beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { exchange } from '../../harness/exchange.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

interface User extends Resource {
  readonly userUuid: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Users {
  readonly users: readonly User[];
}

const hidden = { username: null, name: null, email: null, ssoId: null };
const secrets = ['victim-name', 'Victoria', 'victoria@example.org', 'sso-of-victim'];

describe('a person whom the administrator of another zone adds', () => {
  const { doors } = setUpDoors();
  /** The administrator of the zone Foreign only. */
  let foreign: Door;
  let victim: User;
  let zone: string;

  const create = async (door: Door, path: string, json: object): Promise<User> =>
    requireStatus(await door.rest<User>('POST', path, json), 201).body;

  const doorFor = async ({ clientId, clientSecret }: User): Promise<Door> => {
    const { service } = doors;
    const credentials = { username: clientId, password: clientSecret };
    return doorOf(service, await getToken({ baseUrl: service.baseUrl, ...credentials }));
  };

  beforeAll(async () => {
    const { admin, dgs, root } = doors;
    const data = { name: 'Victoria', email: 'victoria@example.org', ssoId: 'sso-of-victim' };
    const person = { username: 'victim-name', serviceAccount: true, ...data };
    victim = await create(admin, `/zones/${root}/users`, person);
    const permissions = `/zones/${root}/permissions`;
    const { zoneUserUuid } = (await dgs.rest<{ zoneUserUuid: string }>('GET', '/permissions')).body;
    const giving = { action: 'POST', resource: permissions, holderType: 'USER', holderUuid: zoneUserUuid };
    requireStatus(await admin.rest('POST', permissions, giving), 201);
    const reading = { action: 'GET', resource: '/drs/*', holderType: 'USER', holderUuid: victim.uuid };
    requireStatus(await dgs.rest('POST', permissions, reading), 201);
    const created = requireStatus(await admin.rest('POST', '/zones', { name: 'Foreign' }), 201).body;
    zone = `/zones/${created.uuid}`;
    const { body } = await admin.rest<{ roles: Resource[] }>('GET', `${zone}/roles?filters=name:"Zone%20Admin"`);
    const administrator = { username: 'foreigner', serviceAccount: true, roleUuids: [body.roles[0]?.uuid] };
    foreign = await doorFor(await create(admin, `${zone}/users`, administrator));
  }, 120_000);

  it('is shown only with the sent data, in every list, filter, order and change', async () => {
    const added = await create(foreign, `${zone}/users`, { userUuid: victim.userUuid, name: 'Somebody' });
    const shown = { ...hidden, name: 'Somebody', userUuid: victim.userUuid, defaultZone: false };
    expect(added).toMatchObject(shown);
    const path = `${zone}/users/${added.uuid}`;
    const role = requireStatus(await foreign.rest('POST', `${zone}/roles`, { name: 'Own' }), 201).body;
    const group = requireStatus(await foreign.rest('POST', `${zone}/groups`, { name: 'Own' }), 201).body;
    for (const members of [`${zone}/roles/${role.uuid}/users`, `${zone}/groups/${group.uuid}/users`]) {
      const made = requireStatus(await foreign.rest<Users>('POST', members, [added.uuid]), 201).body;
      expect(made.users).toEqual([expect.objectContaining(shown)]);
      expect((await foreign.rest<Users>('GET', members)).body.users).toEqual([expect.objectContaining(shown)]);
    }
    const { changeVersion } = (await foreign.rest('GET', path)).body;
    const patched = await foreign.rest<User>('PATCH', path, { changeVersion, active: true });
    expect(requireStatus(patched, 200).body).toMatchObject(shown);
    const asked = [
      await foreign.rest('GET', path),
      await foreign.rest('GET', `${path}/permissions`),
      await foreign.rest('GET', `${zone}/users?sort=-email`),
      await foreign.graphql('{ users { data { uuid username name email ssoId } } }'),
      await foreign.rest('POST', `${zone}/users`, { userUuid: victim.userUuid }),
      patched,
    ];
    for (const { text } of asked) for (const secret of secrets) expect(text).not.toContain(secret);
    for (const filter of [
      'username:victim-name',
      'name:Victoria',
      'email:victoria@example.org',
      'sso-id:sso-of-victim',
    ])
      expect((await foreign.rest<Users>('GET', `${zone}/users?filters=${filter}`)).body.users).toEqual([]);
    expect((await foreign.rest<Users>('GET', `${zone}/users?filters=name:Somebody`)).body.users).toHaveLength(1);
    // a right guess is refused in the same way as a wrong one
    const next = (await foreign.rest('GET', path)).body.changeVersion;
    for (const name of ['Victoria', 'Veronica'])
      expect((await foreign.rest('PATCH', path, { changeVersion: next, name })).status).toBe(403);
    requireStatus(await foreign.rest<unknown>('DELETE', path), 204);
    for (const name of ['Victoria', 'Veronica']) {
      const guessed = await create(foreign, `${zone}/users`, { userUuid: victim.userUuid, name });
      expect(guessed).toMatchObject({ ...hidden, name });
      requireStatus(await foreign.rest<unknown>('DELETE', `${zone}/users/${guessed.uuid}`), 204);
    }
    const { body } = await doors.admin.rest<User>('GET', `/zones/${doors.root}/users/${victim.uuid}`);
    expect(body).toMatchObject({ username: 'victim-name', name: 'Victoria', defaultZone: true });
  });

  it('is also hidden when a new zone names them', async () => {
    const administered = { name: 'Below', adminUserUuids: [victim.userUuid] };
    const below = requireStatus(await foreign.rest('POST', `${zone}/child-zones`, administered), 201).body;
    const found = `/zones/${below.uuid}/users?filters=user-uuid:${victim.userUuid}`;
    expect((await doors.admin.rest<Users>('GET', found)).body.users).toEqual([
      expect.objectContaining({ ...hidden, userUuid: victim.userUuid }),
    ]);
    requireStatus(await doors.admin.rest<unknown>('DELETE', `/zones/${below.uuid}`), 204);
  });

  it('is shown completely to an administrator of another zone of the person', async () => {
    const added = await create(doors.admin, `${zone}/users`, { userUuid: victim.userUuid });
    expect(added).toMatchObject({ username: 'victim-name', name: 'Victoria', email: 'victoria@example.org' });
    requireStatus(await doors.admin.rest<unknown>('DELETE', `${zone}/users/${added.uuid}`), 204);
  });

  it('keeps its data despite the rules of the other zone', async () => {
    const own = await doorFor(victim);
    const domain = requireStatus(await doors.dgs.rest('POST', '/domains', { name: 'kept' }), 201).body;
    const version = { modelSchema: { properties: { id: { type: 'integer' } } }, drKeyProperties: ['id'] };
    requireStatus(await doors.dgs.rest('POST', `/domains/${domain.uuid}/versions`, version), 201);
    const record = requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'kept', json: { id: 1 } }), 201).body;
    const added = await create(foreign, `${zone}/users`, { userUuid: victim.userUuid });
    const role = requireStatus(await foreign.rest('POST', `${zone}/roles`, { name: 'Nothing' }), 201).body;
    const rules = `${zone}/roles/${role.uuid}/data-access-rules`;
    requireStatus(await foreign.rest<unknown>('POST', rules, { effect: 'DENY' }), 201);
    requireStatus(await foreign.rest<unknown>('POST', `${zone}/roles/${role.uuid}/users`, [added.uuid]), 201);
    expect(requireStatus(await own.rest('GET', `/drs/${record.uuid}`), 200).body).toMatchObject({ json: { id: 1 } });
    requireStatus(await foreign.rest<unknown>('DELETE', `${zone}/users/${added.uuid}`), 204);
  });

  it('deletes federated records for the same zone as before', async () => {
    const own = await doorFor(victim);
    const federated = { name: 'deleted', domainType: 'FEDERATED' };
    const domain = requireStatus(await doors.dgs.rest('POST', '/domains', federated), 201).body;
    const version = { modelSchema: { properties: { id: { type: 'integer' } } }, drKeyProperties: ['id'] };
    requireStatus(await doors.dgs.rest('POST', `/domains/${domain.uuid}/versions`, version), 201);
    const deleting = { action: 'DELETE', resource: '/drs/?', holderType: 'USER', holderUuid: victim.uuid };
    requireStatus(await doors.dgs.rest('POST', `/zones/${doors.root}/permissions`, deleting), 201);
    const remove = async (id: number): Promise<number> => {
      const posted = await doors.dgs.rest('POST', '/drs', { name: 'deleted', json: { id } });
      return (await own.rest<unknown>('DELETE', `/drs/${requireStatus(posted, 201).body.uuid}`)).status;
    };
    expect(await remove(1)).toBe(202);
    const added = await create(foreign, `${zone}/users`, { userUuid: victim.userUuid });
    expect(await remove(2)).toBe(202);
    requireStatus(await foreign.rest<unknown>('DELETE', `${zone}/users/${added.uuid}`), 204);
  });

  it('has the same default zone as before, for assembly too', async () => {
    const own = await doorFor(victim);
    const { token } = own;
    const request = { domain: 'nothing' };
    const assemble = async (): Promise<string> => {
      const { body } = await exchange<{ errors?: unknown; code: string }>(`${doors.service.assemblyUrl}/request`, {
        method: 'POST',
        token: token ?? '',
        json: request,
      });
      return JSON.stringify([body.code, body.errors]);
    };
    const zones = async (): Promise<unknown> =>
      (await own.rest<{ zones: { zoneUuid: string; default: boolean }[] }>('GET', '/token')).body.zones
        .filter((each) => each.default)
        .map(({ zoneUuid }) => zoneUuid);
    const before = [await assemble(), await zones()];
    expect(before[0]).toContain('NOT_FOUND');
    await create(foreign, `${zone}/users`, { userUuid: victim.userUuid });
    expect([await assemble(), await zones()]).toEqual(before);
    expect(await zones()).toEqual([doors.root]);
  });
});
