import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { exchange, type RawAnswer } from '../../harness/exchange.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

interface Listing {
  readonly drs: readonly Resource[];
  readonly _page: { readonly totalElements: number };
}

interface CreatedUser extends Resource {
  readonly userUuid: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

type Row = Readonly<Record<string, string>>;

const idOf = (row: Resource): string => (row['drKey'] as { readonly id: string }).id;

describe('the data of a zone', () => {
  const { doors, leftovers } = setUpDoors();
  /** Data stewards of West, of East, and of both. */
  let west: Door;
  let east: Door;
  let both: Door;
  const zones = new Map<string, string>();
  const adaptors = new Map<string, string>();
  const records = new Map<string, string>();

  const newPerson = async (username: string): Promise<CreatedUser> =>
    requireStatus(
      await doors.admin.rest<CreatedUser>('POST', `/zones/${doors.root}/users`, { username, serviceAccount: true }),
      201,
    ).body;

  const doorFor = async ({ clientId, clientSecret }: CreatedUser): Promise<Door> => {
    const { service } = doors;
    const { baseUrl } = service;
    return doorOf(service, await getToken({ baseUrl, username: clientId, password: clientSecret }));
  };

  const startSource = async (door: Door, zone: string, rows: readonly Row[]): Promise<void> => {
    const adaptor = await createAdaptor(door, zones.get(zone) ?? '', {
      name: zone,
      capabilities: allActions('people'),
    });
    adaptors.set(zone, adaptor.uuid);
    const running = await startSourceAdaptor(leftovers, doors.service, adaptor, {
      assemble: ({ records: asked }) =>
        Promise.resolve({
          records: (asked ?? []).map(({ drUuid, drKey }) => ({
            drUuid,
            drKey,
            data: { ...(drKey as Row | undefined), note: `of ${zone}` },
          })),
        }),
    });
    for (const json of rows) await running.publish({ action: 'POST', domain: 'people', version: 1, json });
  };

  const listed = async (door: Door, query: string): Promise<Listing> =>
    requireStatus(await door.rest<Listing>('GET', `/drs?filters=${query}`), 200).body;

  const assemble = (door: Door, zone: string): Promise<RawAnswer> =>
    exchange(`${doors.service.assemblyUrl}/request`, {
      method: 'POST',
      token: door.token ?? '',
      json: { domain: 'people', zoneUuid: zones.get(zone), sort: 'id' },
    });

  beforeAll(async () => {
    const { admin, dgs } = doors;
    const [ofWest, ofEast, ofBoth] = [await newPerson('west'), await newPerson('east'), await newPerson('both')];
    for (const [name, steward] of [
      ['West', ofWest],
      ['East', ofEast],
    ] as const) {
      const dataStewardUserUuids = [steward.userUuid, ofBoth.userUuid];
      const zone = requireStatus(await admin.rest('POST', '/zones', { name, dataStewardUserUuids }), 201).body;
      zones.set(name, zone.uuid);
    }
    west = await doorFor(ofWest);
    east = await doorFor(ofEast);
    both = await doorFor(ofBoth);
    await createVersion(dgs, {
      name: 'people',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, note: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    // an adaptor that is created later does not receive the earlier records
    await startSource(east, 'East', [{ id: 'shared' }, { id: 'eastern' }]);
    await eventually(async () => expect((await listed(dgs, 'name:people')).drs).toHaveLength(2));
    await startSource(west, 'West', [{ id: 'shared' }, { id: 'western' }]);
    await eventually(async () => {
      const { drs } = await listed(dgs, 'name:people');
      expect(drs.map(idOf).filter((id) => id === 'shared')).toHaveLength(2);
      expect(drs.map(idOf)).toContain('western');
      for (const row of drs) records.set(idOf(row), row.uuid);
    });
  }, 180_000);

  it('is the data that adaptors of the zone have, in lists, counts, searches and requests', async () => {
    const seen = await listed(west, 'name:people&sort=id');
    expect(seen.drs.map((row) => [idOf(row), row['adaptorUuid']])).toEqual([
      ['shared', adaptors.get('West')],
      ['western', adaptors.get('West')],
    ]);
    expect(seen._page.totalElements).toBe(2);
    expect((await listed(west, 'name:people&query=eastern')).drs).toEqual([]);
    expect((await listed(west, `name:people,adaptor:${adaptors.get('East')}`)).drs).toEqual([]);
    expect((await west.rest('GET', `/drs/${records.get('eastern')}`)).status).toBe(404);
    expect((await west.rest('GET', `/drs/${records.get('eastern')}/data-events`)).status).toBe(404);
    expect((await west.rest('GET', `/drs/${records.get('shared')}`)).status).toBe(200);
    const { body } = await west.graphql(
      `{ dr_people_1(zoneUuid: "${zones.get('West')}") { data { id note } page { totalElements } } }`,
    );
    expect(body.data).toEqual({
      dr_people_1: {
        data: [
          { id: 'shared', note: 'of West' },
          { id: 'western', note: 'of West' },
        ],
        page: { totalElements: 2 },
      },
    });
    expect((await assemble(west, 'West')).body).toMatchObject({
      assembledDataRecords: [{ data: { note: 'of West' } }, { data: { note: 'of West' } }],
      _page: { totalElements: 2 },
    });
  });

  it('covers all zones of a data steward, for a request in any zone', async () => {
    const seen = await listed(both, 'name:people,exclude-adaptors:true&sort=id');
    expect(seen.drs.map(idOf)).toEqual(['eastern', 'shared', 'western']);
    for (const zone of ['West', 'East']) {
      expect((await assemble(both, zone)).body).toMatchObject({ _page: { totalElements: 3 } });
    }
    // the data steward of Root manages the data of the deployment, including zones with their own stewards
    expect((await listed(doors.dgs, 'name:people,exclude-adaptors:true')).drs).toHaveLength(3);
  });

  it('includes data of the server for domains that the zone owns, to read and to write', async () => {
    const zoneUuid = zones.get('West');
    const domain = requireStatus(await west.rest('POST', '/domains', { name: 'offices', zoneUuid }), 201).body;
    const model = { modelSchema: { properties: { id: { type: 'string' } } }, drKeyProperties: ['id'] };
    requireStatus(await west.rest('POST', `/domains/${domain.uuid}/versions`, model), 201);
    const record = { name: 'offices', json: { id: 'Bergen' } };
    const { uuid } = requireStatus(await west.rest('POST', '/drs', record), 201).body;
    expect((await listed(west, 'name:offices'))._page.totalElements).toBe(1);
    expect((await listed(east, 'name:offices'))._page.totalElements).toBe(0);
    const another = { name: 'offices', json: { id: 'Molde' } };
    const statuses = [
      await east.rest('GET', `/drs/${uuid}`),
      await east.rest('PATCH', `/drs/${uuid}`, { id: 'Oslo' }),
      await east.rest('DELETE', `/drs/${uuid}`),
      await east.rest('POST', '/drs', another),
      await east.rest('POST', '/drs', { name: 'people', json: { id: 'new' } }),
      await west.rest('PATCH', `/drs/${uuid}`, { id: 'Oslo' }),
      await both.rest('POST', '/drs', another),
      await west.rest('DELETE', `/drs/${uuid}`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 403, 403, 200, 201, 204]);
  });

  it('is a data access rule of the role, and a caller with more data can add rules', async () => {
    const { admin, dgs, root } = doors;
    const { roles } = requireStatus(
      await admin.rest<{ readonly roles: readonly Resource[] }>(
        'GET',
        `/zones/${zones.get('West')}/roles?filters=name:Zone%20Data%20Steward`,
      ),
      200,
    ).body;
    const rules = `/zones/${zones.get('West')}/roles/${roles[0]?.uuid}/data-access-rules`;
    const { dataAccessRules } = requireStatus(
      await admin.rest<{ readonly dataAccessRules: readonly Resource[] }>('GET', rules),
      200,
    ).body;
    expect(dataAccessRules).toEqual([
      expect.objectContaining({ effect: 'ALLOW', zoneUuid: zones.get('West'), position: 0, drUuids: null }),
    ]);
    const drUuids = [records.get('eastern')];
    const lending = { effect: 'ALLOW', actions: ['GET'], drUuids };
    expect((await admin.rest('POST', rules, lending)).status).toBe(403);
    const { zoneUserUuid } = (await dgs.rest<{ zoneUserUuid: string }>('GET', '/permissions')).body;
    const holder = { holderType: 'USER', holderUuid: zoneUserUuid };
    const writesRules = { action: 'ALL', resource: `/zones/${zones.get('West')}/roles/*`, ...holder };
    requireStatus(await admin.rest('POST', `/zones/${root}/permissions`, writesRules), 201);
    const lent = requireStatus(await dgs.rest('POST', rules, lending), 201);
    expect((await listed(west, 'name:people,exclude-adaptors:true'))._page.totalElements).toBe(3);
    requireStatus(await admin.rest('DELETE', `${rules}/${lent.body.uuid}`), 204);
    expect((await listed(west, 'name:people,exclude-adaptors:true'))._page.totalElements).toBe(2);
  });

  it('moves with a domain to another zone only if the caller has the data and may change the domain', async () => {
    const { dgs, root } = doors;
    const [westUuid, eastUuid] = [zones.get('West'), zones.get('East')];
    const domain = requireStatus(await west.rest('POST', '/domains', { name: 'plants', zoneUuid: westUuid }), 201).body;
    const path = `/domains/${domain.uuid}`;
    const model = { modelSchema: { properties: { id: { type: 'string' } } }, drKeyProperties: ['id'] };
    requireStatus(await west.rest('POST', `${path}/versions`, model), 201);
    requireStatus(await west.rest('POST', '/drs', { name: 'plants', json: { id: 'fern' } }), 201);
    const counts = async () =>
      Promise.all([west, east].map(async (door) => (await listed(door, 'name:plants'))._page.totalElements));
    const moved = (changeVersion: number) => ({ name: 'plants', zoneUuid: eastUuid, changeVersion });

    const clerk = await newPerson('clerk');
    const grant = { action: 'ALL', resource: `${path}/*`, holderType: 'USER', holderUuid: clerk.uuid };
    requireStatus(await doors.admin.rest('POST', `/zones/${root}/permissions`, grant), 201);
    const byClerk = await (await doorFor(clerk)).rest<{ errors: unknown }>('PUT', path, moved(1));
    expect([byClerk.status, byClerk.body.errors]).toEqual([
      403,
      [expect.objectContaining({ pointer: '/zoneUuid', code: 'NOT_HELD' })],
    ]);
    expect(await counts()).toEqual([1, 0]);

    expect((await west.rest('PUT', path, moved(1))).status).toBe(403);
    expect(await counts()).toEqual([1, 0]);
    requireStatus(await both.rest('PUT', path, moved(1)), 200);
    expect(await counts()).toEqual([0, 1]);
    expect((await west.rest('PATCH', path, { changeVersion: 2, description: 'ours' })).status).toBe(403);
    expect((await east.rest('PATCH', path, { changeVersion: 2, description: 'ours' })).status).toBe(200);
    // the steward of the deployment has the data in every zone
    requireStatus(await dgs.rest('PUT', path, { name: 'plants', zoneUuid: westUuid, changeVersion: 3 }), 200);
    expect(await counts()).toEqual([1, 0]);
  });

  it('includes new domains only if the caller may create domains', async () => {
    const { dgs } = doors;
    const eastUuid = zones.get('East');
    const refused = await west.rest<{ errors: unknown }>('POST', '/domains', { name: 'foreign', zoneUuid: eastUuid });
    expect([refused.status, refused.body.errors]).toEqual([
      403,
      [expect.objectContaining({ pointer: '/zoneUuid', code: 'NOT_HELD' })],
    ]);
    for (const [door, name] of [
      [east, 'own'],
      [both, 'shared'],
      [dgs, 'governed'],
    ] as const) {
      const { body } = requireStatus(await door.rest('POST', '/domains', { name, zoneUuid: eastUuid }), 201);
      expect(body['zoneUuid']).toBe(eastUuid);
    }
  });

  it('stays the same when a person gets a role in another zone, and when that zone is deleted', async () => {
    const { admin, dgs, root } = doors;
    const fence = requireStatus(await admin.rest('POST', '/zones', { name: 'Fence' }), 201).body;
    const person = await newPerson('fenced');
    const inFence = requireStatus(
      await admin.rest('POST', `/zones/${fence.uuid}/users`, { userUuid: person.userUuid }),
      201,
    ).body;
    const grantBy = async (door: Door, action: string, resource: string): Promise<void> => {
      const json = { action, resource, holderType: 'USER', holderUuid: person.uuid };
      requireStatus(await door.rest('POST', `/zones/${root}/permissions`, json), 201);
    };
    // only a caller with data may grant it, and only an administrator may grant permissions, so admin first lends dgs
    // the permission to grant
    const { zoneUserUuid } = (await dgs.rest<{ zoneUserUuid: string }>('GET', '/permissions')).body;
    const lent = {
      action: 'POST',
      resource: `/zones/${root}/permissions`,
      holderType: 'USER',
      holderUuid: zoneUserUuid,
    };
    requireStatus(await admin.rest('POST', `/zones/${root}/permissions`, lent), 201);
    await grantBy(dgs, 'ALL', '/drs/*');
    await grantBy(admin, 'DELETE', `/zones/${fence.uuid}`);
    const fenced = await doorFor(person);
    const readAll = async (): Promise<Listing['drs']> => (await listed(fenced, 'name:people&sort=id')).drs;
    const before = await readAll();
    expect(before.length).toBeGreaterThan(0);
    const roles = `/zones/${fence.uuid}/roles`;
    const role = requireStatus(await admin.rest('POST', roles, { name: 'Held back' }), 201).body;
    const rule = { effect: 'DENY', properties: ['id'] };
    requireStatus(await admin.rest('POST', `${roles}/${role.uuid}/data-access-rules`, rule), 201);
    requireStatus(await admin.rest('POST', `${roles}/${role.uuid}/users`, [inFence.uuid]), 201);
    expect(await readAll()).toEqual(before);
    requireStatus(await fenced.rest('DELETE', `/zones/${fence.uuid}`), 204);
    expect(await readAll()).toEqual(before);
  });
});
