import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { expectProblem } from '../expect-problem.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody, uniqueName } from '../unique-name.js';

interface User extends Resource {
  readonly userUuid: string;
  readonly username: string;
  readonly roleUuids: readonly string[];
  readonly groupUuids: readonly string[];
  readonly clientId: string | null;
  readonly clientSecret: string | null;
}

describe('users, groups and roles at the doors', () => {
  const { doors } = setUpDoors();
  let admin: Door;
  let zone: string;

  beforeAll(async () => {
    ({ admin } = doors);
    zone = `/zones/${doors.root}`;
  }, 120_000);

  const createUser = async (input: object = {}): Promise<User> => {
    const body = { username: uniqueName('user'), ...input };
    return requireStatus(await admin.rest<User>('POST', `${zone}/users`, body), 201).body;
  };
  const roleUuid = async (name: string): Promise<string | undefined> => {
    const { body } = await admin.rest<{ roles: Resource[] }>(
      'GET',
      `${zone}/roles?filters=name:"${encodeURIComponent(name)}"`,
    );
    return body.roles[0]?.uuid;
  };
  const doorFor = async ({ clientId, clientSecret }: User): Promise<Door> => {
    const { service } = doors;
    const credentials = { username: String(clientId), password: String(clientSecret) };
    return doorOf(service, await getToken({ baseUrl: service.baseUrl, ...credentials }));
  };

  it('creates a user with a location, shows it, changes and deletes it', async () => {
    const input = { username: uniqueName('ann'), name: 'Ann', email: 'ann@example.org', ssoId: uniqueName('sso') };
    const created = requireStatus(await admin.rest<User>('POST', `${zone}/users`, input), 201);
    const path = `${zone}/users/${created.body.uuid}`;
    expect(created.headers['location']).toMatch(new RegExp(`${path}$`));
    expect(created.body).toMatchObject({
      ...input,
      zoneUuid: doors.root,
      serviceAccount: false,
      active: true,
      changeVersion: 1,
    });
    const { body: read, headers } = requireStatus(await admin.rest<User>('GET', path), 200);
    expect({ ...read, clientId: null, clientSecret: null }).toEqual(created.body);
    expect(headers['etag']).toBe('"1"');
    const patched = requireStatus(await admin.rest<User>('PATCH', path, { name: 'Eve', changeVersion: 1 }), 200);
    expect(patched.body).toMatchObject({ name: 'Eve', changeVersion: 2 });
    expectProblem(await admin.rest('PATCH', path, { name: 'Eve', changeVersion: 1 }), {
      status: 409,
      code: 'STALE_CHANGE_VERSION',
    });
    expectProblem(await admin.rest('PATCH', path, { name: 'Eve' }), { status: 400, code: 'CHANGE_VERSION_REQUIRED' });
    requireStatus(await admin.rest('PUT', path, patched.body), 200);
    requireStatus(await admin.rest('DELETE', path), 204);
    expectProblem(await admin.rest('GET', path), { status: 404, code: 'NOT_FOUND' });
  });

  it('creates a service account once per Idempotency-Key, with the same secret in the answer', async () => {
    const json = { username: uniqueName('robot'), serviceAccount: true };
    const send = () =>
      admin.call<User>(`/api${zone}/users`, { method: 'POST', json, headers: { 'idempotency-key': 'robot' } });
    const [first, second] = [requireStatus(await send(), 201), requireStatus(await send(), 201)];
    expect(first.body).toMatchObject({
      clientId: json.username,
      clientSecret: expect.any(String),
      serviceAccount: true,
    });
    expect(second.body).toEqual(first.body);
    requireStatus(await (await doorFor(first.body)).rest('GET', '/token'), 200);
    const read = await admin.rest<User>('GET', `${zone}/users/${first.body.uuid}`);
    expect(read.text).not.toContain(String(first.body.clientSecret));
  });

  it('refuses a duplicate, unknown uuids and wrong values, and names the place of each', async () => {
    const { username } = await createUser();
    expectProblem(await admin.rest('POST', `${zone}/users`, { username }), {
      status: 409,
      code: 'DUPLICATE_NAME',
      pointers: ['/username'],
    });
    expectProblem(await admin.rest('POST', `${zone}/users`, { username: uniqueName('x'), roleUuids: [nobody] }), {
      status: 400,
      code: 'UNKNOWN_REFERENCE',
      pointers: ['/roleUuids/0'],
    });
    expectProblem(await admin.rest('POST', `${zone}/users`, { email: 'x', wrong: 1, groupUuids: [nobody] }), {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['/email', '/wrong', '/username', '/groupUuids/0'],
    });
    expectProblem(await admin.rest('GET', `${zone}/users?filters=nobody:x`), {
      status: 400,
      code: 'INVALID_PARAMETER',
    });
  });

  it('lists in pages, filtered and sorted', async () => {
    const email = `${uniqueName('shared')}@example.org`;
    for (const name of ['b', 'a', 'c']) await createUser({ name, email });
    const { body } = requireStatus(
      await admin.rest<{ users: User[]; _page: unknown; _links: object }>(
        'GET',
        `${zone}/users?filters=email:${email}&sort=-name&size=2&fields=name`,
      ),
      200,
    );
    expect(body.users).toEqual([{ name: 'c' }, { name: 'b' }]);
    expect(body._page).toEqual({ page: 0, size: 2, totalElements: 3, totalPages: 2 });
    expect(Object.keys(body._links).sort()).toEqual(['first', 'last', 'next', 'self']);
  });

  it('replaces the members of a group, and shows them', async () => {
    const [one, two] = [await createUser(), await createUser()];
    const group = requireStatus(await admin.rest('POST', `${zone}/groups`, { name: uniqueName('Group') }), 201).body;
    const path = `${zone}/groups/${group.uuid}/users`;
    const replaced = await admin.rest<{ users: User[] }>('POST', path, [one.uuid, two.uuid]);
    const { body, headers } = requireStatus(replaced, 201);
    expect(headers['location']).toMatch(new RegExp(`${path}$`));
    expect(body.users.map(({ uuid }) => uuid).sort()).toEqual([one.uuid, two.uuid].sort());
    requireStatus(await admin.rest('POST', path, [two.uuid]), 201);
    const { body: after } = await admin.rest<{ users: User[] }>('GET', path);
    expect(after.users).toMatchObject([{ uuid: two.uuid, groupUuids: [group.uuid] }]);
    requireStatus(await admin.rest('DELETE', `${path}/${two.uuid}`), 204);
    expectProblem(await admin.rest('DELETE', `${path}/${two.uuid}`), { status: 404, code: 'NOT_FOUND' });
    const patched = await admin.rest('PATCH', `${zone}/groups/${group.uuid}`, {
      description: 'ours',
      changeVersion: 1,
    });
    expect(requireStatus(patched, 200).body).toMatchObject({ name: group.name, description: 'ours', changeVersion: 2 });
  });

  it('protects managed roles and their last members', async () => {
    const uuid = await roleUuid('Zone Admin');
    const path = `${zone}/roles/${uuid}`;
    expectProblem(await admin.rest('DELETE', path), { status: 409, code: 'CONFLICT' });
    expectProblem(await admin.rest('POST', `${path}/users`, []), { status: 409, code: 'CONFLICT' });
    const { body } = requireStatus(await admin.rest<{ permissions: object[] }>('GET', path), 200);
    expect(body.permissions).toContainEqual(
      expect.objectContaining({ action: 'ALL', resource: `${zone}/users/*`, type: 'ALLOW' }),
    );
  });

  it('refuses grants of permissions that the caller does not hold', async () => {
    const { uuid: holderUuid } = await createUser();
    const grant = { action: 'GET', resource: '/drs', holderType: 'USER', holderUuid };
    expectProblem(await admin.rest('POST', `${zone}/permissions`, grant), {
      status: 403,
      code: 'FORBIDDEN',
      pointers: ['/resource'],
    });
    const steward = await roleUuid('Zone Data Steward');
    expectProblem(await admin.rest('POST', `${zone}/users`, { username: uniqueName('x'), roleUuids: [steward] }), {
      status: 403,
      code: 'FORBIDDEN',
      pointers: ['/roleUuids/0'],
    });
  });

  it('refuses the next request of a deactivated user, and accepts the user after activation', async () => {
    const robot = await createUser({ serviceAccount: true });
    const door = await doorFor(robot);
    requireStatus(await door.rest('GET', '/token'), 200);
    const path = `${zone}/users/${robot.uuid}`;
    requireStatus(await admin.rest('PATCH', path, { active: false, changeVersion: 1 }), 200);
    expectProblem(await door.rest('GET', '/token'), { status: 401, code: 'UNAUTHENTICATED' });
    requireStatus(await admin.rest('PATCH', path, { active: true, changeVersion: 2 }), 200);
    requireStatus(await door.rest('GET', '/token'), 200);
    requireStatus(await admin.rest('DELETE', path), 204);
    await eventually(async () => expect((await door.rest('GET', '/token')).status).toBe(401), { deadlineMs: 2_000 });
  });

  it('returns the groups and roles of a token, and the permissions of every user', async () => {
    const robot = await createUser({ serviceAccount: true });
    const permissions = [{ action: 'GET', resource: `${zone}/users` }];
    const role = requireStatus(
      await admin.rest('POST', `${zone}/roles`, { name: uniqueName('Role'), permissions }),
      201,
    ).body;
    const group = { name: uniqueName('Group'), roleUuids: [role.uuid] };
    const made = requireStatus(await admin.rest('POST', `${zone}/groups`, group), 201).body;
    requireStatus(await admin.rest('POST', `${zone}/groups/${made.uuid}/users`, [robot.uuid]), 201);
    const door = await doorFor(robot);
    const token = requireStatus(await door.rest<{ zones: unknown[] }>('GET', '/token'), 200);
    const named = ({ uuid, name }: Resource) => ({ uuid, name });
    expect(token.body.zones).toMatchObject([{ groups: [named(made)], roles: [named(role)] }]);

    const own = requireStatus(await door.rest<Record<string, unknown>>('GET', '/permissions'), 200).body;
    expect(own).toMatchObject({ userUuid: robot.userUuid, zoneUserUuid: robot.uuid });
    expect(own['permissions']).toContainEqual({ ...permissions[0], source: { type: 'ROLE', ...named(role) } });
    expect(own['features']).toContainEqual({ feature: 'Users, Groups and Roles page', enabled: true });
    expect(own['features']).toContainEqual({ feature: 'Add user', enabled: false });
    for (const path of [`/permissions/${robot.userUuid}`, `/permissions/${robot.uuid}`]) {
      expect(requireStatus(await admin.rest('GET', path), 200).body).toEqual(own);
    }
    requireStatus(await door.rest('GET', `/permissions/${robot.userUuid}`), 200);
    expectProblem(await door.rest('GET', '/permissions/admin'), { status: 403, code: 'FORBIDDEN' });
    expectProblem(await admin.rest('GET', '/permissions/nobody'), { status: 404, code: 'NOT_FOUND' });

    const inZone = await admin.rest<{ permissions: object[] }>('GET', `${zone}/users/${robot.uuid}/permissions`);
    expect(requireStatus(inZone, 200).body.permissions).toHaveLength(1);
    const held = await admin.rest<{ resources: object[] }>('GET', `${zone}/users/${robot.uuid}/resource-permissions`);
    expect(requireStatus(held, 200).body.resources).toContainEqual({
      resource: '/zones/{zoneUuid}/users',
      actions: ['GET'],
    });
    expect(held.body.resources).toContainEqual({ resource: '/drs', actions: [] });
    const { body } = requireStatus(await door.rest<{ resources: { resource: string }[] }>('GET', '/resources'), 200);
    expect(body.resources).toContainEqual({ resource: '/zones/{zoneUuid}/users', actions: ['GET'] });
    expect(body.resources).toContainEqual({ resource: '/resources', actions: ['GET'] });
    expect(body.resources.map(({ resource }) => resource)).not.toContain('/drs');
    const { body: known } = await door.rest<{ endpoints: { permission: { resource: string } | null }[] }>(
      'GET',
      '/endpoints',
    );
    const all = new Set(known.endpoints.map(({ permission }) => permission?.resource));
    for (const { resource } of body.resources) expect(all).toContain(resource);
  });

  it('does the same over GraphQL', async () => {
    const username = uniqueName('graph');
    const create =
      'mutation ($z: Uuid!, $i: UserInput!) { createUser(zoneUuid: $z, input: $i) { user { uuid username } clientSecret } }';
    const made = await admin.graphql<{ createUser: unknown }>(create, { z: doors.root, i: { username } });
    expect(made.body.data).toMatchObject({ createUser: { user: { username }, clientSecret: null } });
    const list =
      '{ users(username: "' +
      username +
      '") { data { username roleUuids } page { page size totalElements totalPages } } groups { data { name } } roles(managed: true) { data { name } } permissions(size: 1) { data { action } } }';
    const { body } = await admin.graphql<Record<string, { data: unknown[] }>>(list);
    expect(body.errors).toBeUndefined();
    expect(body.data?.['users']).toEqual({
      data: [{ username, roleUuids: [] }],
      page: { page: 0, size: 50, totalElements: 1, totalPages: 1 },
    });
    expect(body.data?.['roles']?.data).toHaveLength(4);
    const refused = await doors.dgs.graphql('{ users { data { username } } }');
    expect(refused.body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
  });
});
