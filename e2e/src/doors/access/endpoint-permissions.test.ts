import { beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import type { RawAnswer } from '../../harness/exchange.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { formRequest, type FormedRequest, type ListedEndpoint } from '../rest/form-request.js';
import { resolvePath } from '../rest/resolve-path.js';
import { stockDeployment } from '../rest/stock-deployment.js';
import { setUpDoors } from '../set-up-doors.js';

interface CreatedUser extends Resource {
  readonly userUuid: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Permission {
  readonly action: string;
  readonly resource: string;
}

/** Resources that every signed-in person may use, and registrations, which belong to each person. */
const heldByAll = new Set([
  '/token',
  '/permissions',
  '/resources',
  '/endpoints',
  '/graphql-schema',
  // each change of a plan needs its own permission
  '/plan',
  '/plan/{planUuid}/apply',
]);
const isHeldByAll = ({ resource }: Permission): boolean =>
  heldByAll.has(resource) || /^\/notifications(\/|$)/.test(resource);

/** Answers that differ by caller or time, and answers that show data of records, or adaptors, to callers who may read those. */
const differing = [
  /^\/permissions\//,
  /\/issues(\/|$)/,
  /\/(health|metrics|shutdown-code)$/,
  /\/(inbound|outbound)-acls\/[^/]+\/drs$/,
  /^\/explain\//,
  // each has another key
  /^\/backup$/,
];

/** Endpoints that the permission of another endpoint opens. */
const openedBy: Readonly<Record<string, string>> = {
  '/zones/{zoneUuid}/acls/rehearsal': '/zones/{zoneUuid}/acls/dry-run',
};

/** An order of methods in which each request still finds its resource. */
const order = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];
const rankOf = ({ method, path }: ListedEndpoint): number =>
  path.endsWith('/shutdown') || path.endsWith('/registration') ? order.length : order.indexOf(method);

describe('every endpoint of /endpoints', () => {
  const { doors, leftovers } = setUpDoors();
  /** Has every managed role of Root, so it has every permission. */
  let giver: Door;
  let probe: Door;
  let role: string;
  let endpoints: readonly ListedEndpoint[];
  let known: Readonly<Record<string, string>>;

  const signInAs = async ({ clientId, clientSecret }: CreatedUser): Promise<Door> => {
    const { service } = doors;
    return doorOf(service, await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret }));
  };

  beforeAll(async () => {
    const { admin, dgs, root } = doors;
    const users = `/zones/${root}/users`;
    const { body: roles } = await admin.rest<{ roles: Resource[] }>('GET', `/zones/${root}/roles?size=100`);
    const { body: both } = await admin.rest<{ users: (Resource & { username: string })[] }>('GET', users);
    const patching = { action: 'PATCH', resource: `${users}/*`, holderType: 'USER' };
    const dgsUuid = both.users.find(({ username }) => username === 'dgs')?.uuid;
    requireStatus(await admin.rest('POST', `/zones/${root}/permissions`, { ...patching, holderUuid: dgsUuid }), 201);
    const uuidsOf = (...names: string[]) =>
      roles.roles.filter(({ name }) => names.includes(name)).map(({ uuid }) => uuid);
    const administrators = uuidsOf('Root Admin', 'Zone Admin');
    const stewards = uuidsOf('Zone Data Steward', 'Data Governance Steward');
    const given = { username: 'giver', serviceAccount: true, roleUuids: administrators };
    const created = requireStatus(await admin.rest<CreatedUser>('POST', users, given), 201).body;
    const all = { changeVersion: 1, roleUuids: [...administrators, ...stewards] };
    requireStatus(await dgs.rest('PATCH', `${users}/${created.uuid}`, all), 200);
    giver = await signInAs(created);
    const probed = await giver.rest<CreatedUser>('POST', users, { username: 'probe', serviceAccount: true });
    probe = await signInAs(requireStatus(probed, 201).body);
    const { body: probeRole } = requireStatus(await giver.rest('POST', `/zones/${root}/roles`, { name: 'Probe' }), 201);
    role = `/zones/${root}/roles/${probeRole.uuid}`;
    requireStatus(await giver.rest('POST', `${role}/users`, [probed.body.uuid]), 201);
    const stock = await stockDeployment(doors, leftovers);
    known = { ...stock.known, zoneUserUuid: created.uuid };
    const { body } = await giver.rest<{ endpoints: ListedEndpoint[] }>('GET', '/endpoints');
    endpoints = body.endpoints
      .filter(({ permission }) => permission !== null && !isHeldByAll(permission))
      .sort((one, other) => rankOf(one) - rankOf(other));
  }, 120_000);

  /** Replaces the permissions of the probe. */
  const hold = async (permissions: readonly Permission[]): Promise<void> => {
    const { changeVersion } = requireStatus(await giver.rest('GET', role), 200).body;
    requireStatus(await giver.rest('PATCH', role, { changeVersion, permissions }), 200);
  };

  const send = (door: Door, { method, path, search, sent }: FormedRequest): Promise<RawAnswer> =>
    door.call(`/api${path}${search}`, { method, ...sent });

  it('requires the permission with its method and path', () => {
    expect(endpoints.length).toBeGreaterThan(140);
    for (const { method, path, permission } of endpoints)
      expect(permission).toEqual({ action: method, resource: openedBy[path] ?? path });
  });

  /**
   * Grants only add up. So if an endpoint is closed to the permissions of all other endpoints together, it is closed to
   * each of them alone.
   */
  it('refuses a caller who holds the permissions of all other endpoints', async () => {
    const deviations: string[] = [];
    const requests: FormedRequest[] = [];
    for (const endpoint of endpoints) {
      if (openedBy[endpoint.path] !== undefined) continue;
      const path = await resolvePath(endpoint.path, known, [giver]);
      if (path === undefined) deviations.push(`${endpoint.method} ${endpoint.path}: nothing is there to ask for`);
      else requests.push({ method: endpoint.method, path, search: '', sent: {} });
    }
    await hold(requests.map(({ method, path }) => ({ action: method, resource: path })));
    const { permissions } = requireStatus(await giver.rest<{ permissions: Resource[] }>('GET', role), 200).body;
    const granted = `/zones/${doors.root}/permissions`;
    for (const request of requests) {
      const { method: action, path: resource } = request;
      const own = permissions.find((each) => each['action'] === action && each['resource'] === resource);
      requireStatus(await giver.rest<unknown>('DELETE', `${granted}/${own?.uuid}`), 204);
      const { status, text } = await send(probe, request);
      if (status !== 403) deviations.push(`${action} ${resource}: ${status} ${text.slice(0, 300)}`);
      const again = { action, resource, holderType: 'ROLE', holderUuid: role.slice(role.lastIndexOf('/') + 1) };
      requireStatus(await giver.rest('POST', granted, again), 201);
    }
    expect(deviations).toEqual([]);
  }, 120_000);

  it('is open with exactly its permission, and returns the same answer as to other callers', async () => {
    const deviations: string[] = [];
    for (const endpoint of endpoints) {
      const name = `${endpoint.method} ${endpoint.path}`;
      const request = await formRequest(endpoint, { giver, known });
      if (request === undefined) {
        deviations.push(`${name}: nothing is there to ask for`);
        continue;
      }
      const opening = openedBy[endpoint.path];
      const resource = opening === undefined ? request.path : await resolvePath(opening, known, [giver]);
      await hold([{ action: request.method, resource: resource ?? request.path }]);
      const shown = endpoint.method === 'GET' ? await send(giver, request) : undefined;
      const answer = await send(probe, request);
      if (answer.status >= 300) deviations.push(`${name}: ${answer.status} ${answer.text.slice(0, 400)}`);
      else if (shown !== undefined && !differing.some((path) => path.test(request.path)) && shown.text !== answer.text)
        deviations.push(`${name}: ${answer.text.slice(0, 600)}\n  instead of ${shown.text.slice(0, 600)}`);
    }
    expect(deviations).toEqual([]);
  }, 180_000);

  it.each([
    ['zones', '/zones'],
    ['adaptorTypes', '/adaptor-types'],
    ['domains', '/domains'],
    ['domainVersions', '/domains/versions'],
  ])('shows the rows of a collection by GraphQL too: %s', async (field, resource) => {
    const query = `{ ${field} { data { uuid } page { totalElements } } }`;
    await hold([{ action: 'GET', resource }]);
    const shown = (await giver.graphql<Record<string, { data: unknown[] }>>(query)).body.data;
    expect(shown?.[field]?.data.length).toBeGreaterThan(0);
    expect((await probe.graphql(query)).body.data).toEqual(shown);
    await hold([]);
    expect((await probe.graphql(query)).body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});
