import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { expectProblem } from '../expect-problem.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody } from '../unique-name.js';

interface CreatedUser extends Resource {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * A grant, the requests that it allows, and requests that it does not allow. `{z}` is the zone Root, `{n}` a uuid of no
 * resource.
 */
type Row = readonly [grant: string, allows: readonly string[], refuses: readonly string[]];

const rows: readonly Row[] = [
  [
    'GET /zones/{z}/users',
    ['GET /zones/{z}/users', 'GET /zones/{z}/users?size=1'],
    [
      'POST /zones/{z}/users',
      'GET /zones/{z}/users/{n}',
      'GET /zones/{z}/roles',
      'GET /zones/{n}/users',
      'DELETE /zones/{z}/users/{n}',
    ],
  ],
  [
    'GET /api/zones/{z}/users',
    ['GET /zones/{z}/users'],
    ['GET /zones/{z}/users/{n}', 'GET /zones/{n}/users', 'GET /zones/{z}'],
  ],
  [
    'POST /zones/{z}/users',
    ['POST /zones/{z}/users'],
    ['GET /zones/{z}/users', 'PUT /zones/{z}/users/{n}', 'POST /zones/{z}/groups', 'POST /zones'],
  ],
  [
    'ALL /zones/{z}/users',
    ['GET /zones/{z}/users', 'POST /zones/{z}/users'],
    ['GET /zones/{z}/users/{n}', 'PATCH /zones/{z}/users/{n}'],
  ],
  [
    'GET /zones/?/users',
    ['GET /zones/{z}/users', 'GET /zones/{n}/users'],
    ['GET /zones/{z}/users/{n}', 'GET /zones/{z}/groups', 'POST /zones/{z}/users'],
  ],
  [
    'ALL /zones/{z}/users/?',
    [
      'GET /zones/{z}/users/{n}',
      'PUT /zones/{z}/users/{n}',
      'PATCH /zones/{z}/users/{n}',
      'DELETE /zones/{z}/users/{n}',
    ],
    ['GET /zones/{z}/users', 'GET /zones/{z}/users/{n}/permissions', 'GET /zones/{n}/users/{n}'],
  ],
  [
    'GET /zones/?/users/?',
    ['GET /zones/{z}/users/{n}', 'GET /zones/{n}/users/{n}'],
    ['GET /zones/{z}/users', 'DELETE /zones/{z}/users/{n}'],
  ],
  [
    'ALL /zones/{z}/users/*',
    [
      'GET /zones/{z}/users',
      'POST /zones/{z}/users',
      'GET /zones/{z}/users/{n}',
      'DELETE /zones/{z}/users/{n}',
      'GET /zones/{z}/users/{n}/permissions',
      'GET /zones/{z}/users/{n}/resource-permissions',
    ],
    ['GET /zones/{z}', 'GET /zones/{z}/groups', 'GET /zones/{n}/users'],
  ],
  [
    'GET /zones/{z}/roles/*/users',
    ['GET /zones/{z}/roles/{n}/users'],
    ['GET /zones/{z}/roles', 'GET /zones/{z}/groups/{n}/users', 'POST /zones/{z}/roles/{n}/users'],
  ],
  [
    'GET /zones/{z}/groups/*/users',
    ['GET /zones/{z}/groups/{n}/users'],
    ['GET /zones/{z}/groups', 'GET /zones/{z}/groups/{n}', 'GET /zones/{z}/roles/{n}/users'],
  ],
  [
    'GET /zones/{z}/groups/?/users',
    ['GET /zones/{z}/groups/{n}/users'],
    ['GET /zones/{z}/groups/{n}', 'POST /zones/{z}/groups/{n}/users', 'GET /zones/{z}/roles/{n}/users'],
  ],
  [
    'DELETE /zones/{z}/groups/?/users/?',
    ['DELETE /zones/{z}/groups/{n}/users/{n}'],
    ['DELETE /zones/{z}/groups/{n}', 'DELETE /zones/{z}/roles/{n}/users/{n}'],
  ],
  [
    'PATCH /zones/{z}/adaptors/?',
    ['PATCH /zones/{z}/adaptors/{n}'],
    ['PUT /zones/{z}/adaptors/{n}', 'GET /zones/{z}/adaptors/{n}', 'PATCH /zones/{n}/adaptors/{n}'],
  ],
  [
    'GET /zones/{z}/adaptors/*',
    ['GET /zones/{z}/adaptors', 'GET /zones/{z}/adaptors/{n}', 'GET /zones/{z}/adaptors/{n}/registration'],
    [
      'POST /zones/{z}/adaptors',
      'DELETE /zones/{z}/adaptors/{n}',
      'POST /zones/{z}/adaptors/{n}/registration',
      'GET /zones/{z}/capable-adaptors/{n}',
    ],
  ],
  [
    'GET /zones/{z}/adaptors/*/registration',
    ['GET /zones/{z}/adaptors/{n}/registration'],
    ['GET /zones/{z}/adaptors', 'GET /zones/{z}/adaptors/{n}', 'POST /zones/{z}/adaptors/{n}/registration'],
  ],
  [
    'GET /zones/{z}/adaptors/{n}',
    ['GET /zones/{z}/adaptors/{n}'],
    ['GET /zones/{z}/adaptors/{z}', 'GET /zones/{z}/adaptors/{n}/registration', 'PATCH /zones/{z}/adaptors/{n}'],
  ],
  [
    'PUT /zones/{z}/settings/*',
    [
      'PUT /zones/{z}/settings/domain-version-adaptor-preferences',
      'PUT /zones/{z}/settings/domain-version-adaptor-preferences/{n}',
    ],
    [
      'GET /zones/{z}/settings/domain-version-adaptor-preferences',
      'POST /zones/{z}/settings/domain-version-adaptor-preferences',
    ],
  ],
  [
    'GET /domains/*',
    [
      'GET /domains',
      'GET /domains/{n}',
      'GET /domains/{n}/versions',
      'GET /domains/{n}/versions/{n}',
      'GET /domains/versions/{n}/properties',
    ],
    ['POST /domains', 'PUT /domains/{n}', 'PATCH /domains/versions/{n}', 'GET /drs?filters=name:x'],
  ],
  [
    'POST /domains/?/versions',
    ['POST /domains/{n}/versions'],
    ['POST /domains', 'GET /domains/{n}/versions', 'PUT /domains/{n}/versions/{n}'],
  ],
  [
    'PUT /domains/versions/?',
    ['PUT /domains/versions/{n}'],
    ['PATCH /domains/versions/{n}', 'GET /domains/versions/{n}', 'PUT /domains/{n}'],
  ],
  [
    'GET /domains/*/properties/?',
    ['GET /domains/versions/{n}/properties/{n}', 'GET /domains/{n}/versions/{n}/properties/{n}'],
    ['GET /domains/versions/{n}/properties', 'PATCH /domains/versions/{n}/properties/{n}'],
  ],
  [
    'ALL /adaptor-types',
    ['GET /adaptor-types', 'POST /adaptor-types'],
    ['GET /adaptor-types/{n}', 'DELETE /adaptor-types/{n}'],
  ],
  [
    'DELETE /adaptor-types/*',
    ['DELETE /adaptor-types/{n}'],
    ['GET /adaptor-types/{n}', 'PUT /adaptor-types/{n}', 'POST /adaptor-types'],
  ],
  ['GET /drs/?', ['GET /drs/{n}'], ['DELETE /drs/{n}', 'POST /drs', 'GET /drs/{n}/data-events']],
  ['ALL /drs/*', ['GET /drs/{n}', 'POST /drs', 'DELETE /drs/{n}', 'POST /drs/bulk'], ['GET /domains', 'POST /domains']],
  [
    'GET /zones/{z}/inbound-acls',
    ['GET /zones/{z}/inbound-acls'],
    ['GET /zones/{z}/outbound-acls', 'POST /zones/{z}/inbound-acls', 'GET /zones/{z}/inbound-acls/{n}'],
  ],
  [
    'ALL /zones/{z}/permissions/*',
    ['GET /zones/{z}/permissions', 'GET /zones/{z}/permissions/{n}', 'DELETE /zones/{z}/permissions/{n}'],
    ['GET /permissions/{n}', 'GET /zones/{z}/roles', 'GET /zones/{n}/permissions'],
  ],
  [
    'GET /permissions/?',
    ['GET /permissions/{n}'],
    ['GET /zones/{z}/users/{n}/permissions', 'GET /zones/{z}/permissions'],
  ],
];

const pairs = rows.flatMap(([grant, allows, refuses]) => [
  ...allows.map((request) => [grant, request, 'allowed'] as const),
  ...refuses.map((request) => [grant, request, 'refused'] as const),
]);

describe('a permission at the doors', () => {
  const { doors } = setUpDoors();
  /** Has every managed role of Root, so it may grant each of these permissions. */
  let giver: Door;
  let probe: Door;
  let probeUuid: string;

  const signInAs = async ({ clientId, clientSecret }: CreatedUser): Promise<Door> => {
    const { service } = doors;
    return doorOf(service, await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret }));
  };
  const fill = (text: string): string => text.replaceAll('{z}', doors.root).replaceAll('{n}', nobody);
  const split = (text: string): [word: string, path: string] => {
    const at = text.indexOf(' ');
    return [text.slice(0, at), fill(text.slice(at + 1))];
  };

  beforeAll(async () => {
    const { admin, dgs, root } = doors;
    const users = `/zones/${root}/users`;
    const { body: roles } = await admin.rest<{ roles: Resource[] }>('GET', `/zones/${root}/roles?size=100`);
    const roleUuid = (name: string): string | undefined => roles.roles.find((role) => role.name === name)?.uuid;
    const { body: both } = await admin.rest<{ users: (Resource & { username: string })[] }>('GET', users);
    const dgsUuid = both.users.find(({ username }) => username === 'dgs')?.uuid;
    requireStatus(
      await admin.rest('POST', `/zones/${root}/permissions`, {
        action: 'PATCH',
        resource: `${users}/*`,
        holderType: 'USER',
        holderUuid: dgsUuid,
      }),
      201,
    );
    const roleUuids = ['Root Admin', 'Zone Admin'].map(roleUuid);
    const created = requireStatus(
      await admin.rest<CreatedUser>('POST', users, { username: 'giver', serviceAccount: true, roleUuids }),
      201,
    );
    const all = [...roleUuids, ...['Zone Data Steward', 'Data Governance Steward'].map(roleUuid)];
    requireStatus(await dgs.rest('PATCH', `${users}/${created.body.uuid}`, { changeVersion: 1, roleUuids: all }), 200);
    giver = await signInAs(created.body);
    const probed = await giver.rest<CreatedUser>('POST', users, { username: 'probe', serviceAccount: true });
    probe = await signInAs(requireStatus(probed, 201).body);
    probeUuid = probed.body.uuid;
  }, 120_000);

  it('is tested with more than a hundred pairs of grant and request', () => {
    expect(pairs.length).toBeGreaterThan(100);
    expect(new Set(pairs.map(([grant, request]) => `${grant} ${request}`)).size).toBe(pairs.length);
  });

  describe.each(rows)('%s', (grant, allows, refuses) => {
    let permission: Resource;
    beforeAll(async () => {
      const [action, resource] = split(grant);
      const body = { action, resource, holderType: 'USER', holderUuid: probeUuid };
      permission = requireStatus(await giver.rest('POST', `/zones/${doors.root}/permissions`, body), 201).body;
    });
    afterAll(async () => {
      const path = `/zones/${doors.root}/permissions/${permission.uuid}`;
      requireStatus(await giver.rest('DELETE', path), 204);
      // after the grant is removed, the very next request is refused
      const [method, asked] = split(allows[0] ?? '');
      expectProblem(await probe.rest<unknown>(method, asked, method === 'GET' ? undefined : {}), {
        status: 403,
        code: 'FORBIDDEN',
      });
    });

    const send = (request: string) => {
      const [method, path] = split(request);
      return probe.rest<unknown>(method, path, method === 'GET' || method === 'DELETE' ? undefined : {});
    };

    it.each(allows)('allows %s', async (request) => {
      const { status, text } = await send(request);
      // the request may be wrong in other ways, but the permission is not missing
      expect({ isPermitted: ![401, 403, 405, 429].includes(status) && status < 500, text }).toMatchObject({
        isPermitted: true,
      });
    });

    it.each(refuses)('does not allow %s', async (request) => {
      expectProblem(await send(request), { status: 403, code: 'FORBIDDEN' });
    });
  });
});
