import { beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import type { RawAnswer } from '../../harness/exchange.js';
import { expectProblem } from '../expect-problem.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import type { ListedEndpoint } from '../rest/form-request.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody } from '../unique-name.js';

interface CreatedUser extends Resource {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Permission {
  readonly action: string;
  readonly resource: string;
}

describe('the grant of a pattern', () => {
  const { doors } = setUpDoors();
  let granter: Door;
  let probe: Door;
  let probeUuid: string;
  /** The role of the granter. */
  let role: string;
  let granting: Permission;
  let endpoints: readonly ListedEndpoint[];

  const signInAs = async ({ clientId, clientSecret }: CreatedUser): Promise<Door> => {
    const { service } = doors;
    return doorOf(service, await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret }));
  };

  beforeAll(async () => {
    const { admin, root } = doors;
    const create = async (username: string): Promise<CreatedUser> =>
      requireStatus(
        await admin.rest<CreatedUser>('POST', `/zones/${root}/users`, { username, serviceAccount: true }),
        201,
      ).body;
    const [first, second] = [await create('granter'), await create('probe')];
    granter = await signInAs(first);
    probe = await signInAs(second);
    probeUuid = second.uuid;
    const { body } = requireStatus(await admin.rest('POST', `/zones/${root}/roles`, { name: 'Granter' }), 201);
    role = `/zones/${root}/roles/${body.uuid}`;
    requireStatus(await admin.rest('POST', `${role}/users`, [first.uuid]), 201);
    granting = { action: 'POST', resource: `/zones/${root}/permissions` };
    endpoints = (await admin.rest<{ endpoints: ListedEndpoint[] }>('GET', '/endpoints')).body.endpoints;
  }, 120_000);

  /** Replaces all permissions of the granter except the one to create permissions. */
  const hold = async (...permissions: readonly Permission[]): Promise<void> => {
    const { changeVersion } = requireStatus(await doors.admin.rest('GET', role), 200).body;
    const all = { changeVersion, permissions: [granting, ...permissions] };
    requireStatus(await doors.admin.rest('PATCH', role, all), 200);
  };

  const grant = (door: Door, action: string, resource: string): Promise<RawAnswer<Resource>> =>
    door.rest('POST', `/zones/${doors.root}/permissions`, {
      action,
      resource,
      holderType: 'USER',
      holderUuid: probeUuid,
    });

  const takeBack = async ({ uuid }: Resource): Promise<void> => {
    requireStatus(await doors.admin.rest<unknown>('DELETE', `/zones/${doors.root}/permissions/${uuid}`), 204);
  };

  const refused = async (door: Door, action: string, resource: string): Promise<void> => {
    const answer = await grant(door, action, resource);
    expectProblem(answer, { status: 403, code: 'FORBIDDEN' });
    expect(answer.body['errors']).toEqual([expect.objectContaining({ pointer: '/resource', code: 'NOT_HELD' })]);
  };

  it('requires the permission for the groups of all zones, which is its only endpoint', async () => {
    const path = `/zones/${doors.root}/groups`;
    await hold({ action: 'GET', resource: '/zones/?/groups' });
    expectProblem(await probe.rest<unknown>('GET', path), { status: 403, code: 'FORBIDDEN' });
    const { body } = requireStatus(await grant(granter, 'GET', '/zones/*/groups'), 201);
    requireStatus(await probe.rest<unknown>('GET', path), 200);
    expectProblem(await probe.rest<unknown>('GET', `${path}/${nobody}`), { status: 403, code: 'FORBIDDEN' });
    await takeBack(body);
    await refused(granter, 'POST', '/zones/*/groups');
    await refused(granter, 'ALL', '/zones/*/groups');
    await hold({ action: 'GET', resource: path });
    await refused(granter, 'GET', '/zones/*/groups');
  });

  it('requires the permissions for all its endpoints; several narrower grants are sufficient', async () => {
    const { root } = doors;
    const groups = `/zones/${root}/groups`;
    const reached = endpoints.flatMap(({ method, path }) => {
      const resource = path.replace('{zoneUuid}', root).replaceAll(/\{\w+\}/g, '?');
      return `${resource}/`.startsWith(`${groups}/`) ? [{ action: method, resource }] : [];
    });
    expect(reached.length).toBeGreaterThan(8);
    for (const missing of reached) {
      await hold(...reached.filter((each) => each !== missing));
      await refused(granter, 'ALL', `${groups}/*`);
    }
    await hold(...reached);
    await takeBack(requireStatus(await grant(granter, 'ALL', `${groups}/*`), 201).body);
    await refused(granter, 'ALL', '/zones/?/groups/*');
    await refused(granter, 'GET', `/zones/${root}/*`);
  });

  it('requires a permission for the whole pattern if it matches no endpoint', async () => {
    await hold({ action: 'ALL', resource: '/zones/?/groups/*' });
    for (const [action, resource] of [
      ['GET', '/secrets/*'],
      ['PUT', '/zones/?/users'],
      ['PUT', '/drs/*'],
    ] as const)
      await refused(granter, action, resource);
    await takeBack(requireStatus(await grant(granter, 'GET', `/zones/?/groups/${nobody}/*/none`), 201).body);
  });

  it.each([
    ['ALL', '/drs/*'],
    ['GET', '/drs/?'],
    ['PUT', '/drs/?'],
    ['PATCH', '/?/?'],
    ['GET', '/*'],
    ['GET', `/*/${nobody}`],
  ])('is refused to Root Admin, who has no data: %s %s', async (action, resource) => {
    await refused(doors.admin, action, resource);
  });
});
