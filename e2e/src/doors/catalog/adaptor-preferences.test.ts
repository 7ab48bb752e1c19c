import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { askGraphql } from '../ask-graphql.js';
import { expectProblem } from '../expect-problem.js';
import type { Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';
import { nobody, uniqueName } from '../unique-name.js';

type Preference = Resource & Readonly<Record<'adaptorUuid' | 'domainVersionUuid' | 'preferenceType', string>>;

interface Preferences {
  readonly zoneDomainVersionAdaptorPreferences: readonly Preference[];
  readonly _links: object;
  readonly _page: { readonly totalElements: number };
}

interface Capable {
  readonly capableAdaptors: readonly {
    readonly adaptor: Resource;
    readonly action: string;
    readonly permitted: boolean;
  }[];
  readonly _page: { readonly totalElements: number };
}

describe('adaptor preferences and capable adaptors', () => {
  const { doors } = shareDoors();
  let domainVersionUuid: string;
  let one: CreatedAdaptor;
  let two: CreatedAdaptor;
  let path: string;

  beforeAll(async () => {
    const { dgs, root } = doors;
    path = `/zones/${root}/settings/domain-version-adaptor-preferences`;
    const name = 'preferred';
    const properties = { id: { type: 'string' }, city: { type: 'string' } };
    ({ domainVersionUuid } = await createVersion(dgs, {
      name,
      domainType: 'FEDERATED',
      properties,
      drKeyProperties: ['id'],
    }));
    one = await createAdaptor(dgs, root, { name: 'one', capabilities: allActions(name), metadata: { secret: 's' } });
    two = await createAdaptor(dgs, root, { name: 'two', capabilities: allActions(name).slice(3) });
  }, 120_000);
  beforeEach(async () => {
    requireStatus(await doors.dgs.rest('PUT', path, []), 200);
  });

  const list = async (query = ''): Promise<Preferences> =>
    requireStatus(await doors.dgs.rest<Preferences>('GET', `${path}${query}`), 200).body;
  const tiers = async (query = ''): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(
      (await list(query)).zoneDomainVersionAdaptorPreferences.map((it) => [it.adaptorUuid, it.preferenceType]),
    );
  const preferenceOf = ({ uuid }: CreatedAdaptor, preferenceType: string) => ({
    domainVersionUuid,
    adaptorUuid: uuid,
    preferenceType,
  });

  it.each([['PLATINUM'], [null], [undefined], ['BRONZE']])(
    'reports the type %s and unknown uuids at once',
    async (type) => {
      const preference = { domainVersionUuid: nobody, adaptorUuid: nobody, preferenceType: type };
      const members = ['/domainVersionUuid', '/adaptorUuid', '/preferenceType'];
      const refused = { status: 400, code: 'VALIDATION_FAILED' };
      expectProblem(await doors.dgs.rest('POST', path, preference), { ...refused, pointers: members });
      const pointers = members.map((member) => `/1${member}`);
      expectProblem(await doors.dgs.rest('PUT', path, [preferenceOf(one, 'GOLD'), preference]), {
        ...refused,
        pointers,
      });
      expect(await tiers()).toEqual({});
    },
  );

  it('posts, lists, finds and deletes a preference', async () => {
    const { dgs, service, root } = doors;
    const answer = requireStatus(await dgs.rest<Preference>('POST', path, preferenceOf(one, 'GOLD')), 201);
    expect(answer.body).toMatchObject({
      ...preferenceOf(one, 'GOLD'),
      zoneUuid: root,
      changeVersion: 1,
      dateCreated: expect.any(Number),
    });
    expect(answer.headers['location']).toBe(`${service.baseUrl}/api${path}/${answer.body.uuid}`);
    for (const query of [
      '',
      `/${answer.body.uuid}`,
      `/${one.uuid}`,
      '?filters=preference-type:GOLD&sort=-dateCreated',
    ]) {
      const found = await list(query);
      expect([found.zoneDomainVersionAdaptorPreferences, found._page.totalElements]).toEqual([[answer.body], 1]);
    }
    const other = await dgs.rest<Preferences>(
      'GET',
      `/zones/${root}/adaptors/settings/domain-version-adaptor-preferences`,
    );
    expect(requireStatus(other, 200).body.zoneDomainVersionAdaptorPreferences).toEqual([answer.body]);
    expect(await tiers(`/${two.uuid}`)).toEqual({});
    expect(await tiers(`?filters=adaptor:${two.uuid}`)).toEqual({});
    expectProblem(await dgs.rest('POST', path, preferenceOf(one, 'SILVER')), { status: 409, code: 'CONFLICT' });
    requireStatus(await dgs.rest('DELETE', `${path}/${answer.body.uuid}`), 204);
    expectProblem(await dgs.rest('DELETE', `${path}/${answer.body.uuid}`), { status: 404, code: 'NOT_FOUND' });
    expect(await tiers()).toEqual({});
  });

  it('replaces the collection by a list, bare or wrapped, and accepts the list that it returned', async () => {
    const { dgs } = doors;
    const put = async (body: unknown): Promise<Preferences> =>
      requireStatus(await dgs.rest<Preferences>('PUT', path, body), 200).body;
    const bare = await put([preferenceOf(one, 'GOLD'), preferenceOf(two, 'SILVER')]);
    expect(bare.zoneDomainVersionAdaptorPreferences).toHaveLength(2);
    expect(await tiers()).toEqual({ [one.uuid]: 'GOLD', [two.uuid]: 'SILVER' });
    await put({ zoneDomainVersionAdaptorPreferences: [preferenceOf(two, 'GOLD')] });
    expect(await tiers()).toEqual({ [two.uuid]: 'GOLD' });
    const before = await list();
    await put(before);
    expect(await list()).toEqual(before);
    expectProblem(await dgs.rest('PUT', path, { preferences: [] }), {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['/preferences', '/zoneDomainVersionAdaptorPreferences'],
    });
  });

  it('sets an adaptor to gold, silver and bronze', async () => {
    const { dgs } = doors;
    for (const preferenceType of ['GOLD', 'SILVER']) {
      const answer = await dgs.rest('PUT', `${path}/${one.uuid}`, { domainVersionUuid, preferenceType });
      expect(requireStatus(answer, 200).body).toMatchObject(preferenceOf(one, preferenceType));
      expect(await tiers()).toEqual({ [one.uuid]: preferenceType });
    }
    const bronze = await dgs.rest('PUT', `${path}/${one.uuid}`, { domainVersionUuid, preferenceType: 'BRONZE' });
    expect(requireStatus(bronze, 200).body).toMatchObject({ ...preferenceOf(one, 'BRONZE'), uuid: null });
    expect(await tiers()).toEqual({});
  });

  it('reports values that are unknown, missing or not a type', async () => {
    const { dgs, root } = doors;
    for (const [json, pointer] of [
      [preferenceOf(one, 'BRONZE'), '/preferenceType'],
      [preferenceOf(one, 'COPPER'), '/preferenceType'],
      [{ ...preferenceOf(one, 'GOLD'), adaptorUuid: 'x' }, '/adaptorUuid'],
    ] as const) {
      const problem = { status: 400, code: 'VALIDATION_FAILED', pointers: [pointer] };
      expectProblem(await dgs.rest('POST', path, json), problem);
    }
    expectProblem(await dgs.rest('POST', path, {}), {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['/preferenceType', '/adaptorUuid', '/domainVersionUuid'],
    });
    const unknown = { domainVersionUuid: nobody, adaptorUuid: nobody, preferenceType: 'GOLD' };
    const wanted = { status: 400, code: 'UNKNOWN_REFERENCE' };
    expectProblem(await dgs.rest('POST', path, unknown), {
      ...wanted,
      pointers: ['/domainVersionUuid', '/adaptorUuid'],
    });
    expectProblem(await dgs.rest('PUT', path, [preferenceOf(one, 'GOLD'), { ...unknown, domainVersionUuid }]), {
      ...wanted,
      pointers: ['/1/adaptorUuid'],
    });
    const wrapped = {
      zoneDomainVersionAdaptorPreferences: [preferenceOf(one, 'BRONZE'), { ...unknown, domainVersionUuid: 'x' }],
    };
    expectProblem(await dgs.rest('PUT', path, wrapped), {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: [
        '/zoneDomainVersionAdaptorPreferences/0/preferenceType',
        '/zoneDomainVersionAdaptorPreferences/1/domainVersionUuid',
      ],
    });
    expectProblem(await dgs.rest('PUT', `${path}/${nobody}`, { domainVersionUuid, preferenceType: 'GOLD' }), {
      status: 404,
      code: 'NOT_FOUND',
    });
    expectProblem(await dgs.rest('GET', `${path}/${nobody}`), { status: 404, code: 'NOT_FOUND' });
    expectProblem(await doors.admin.rest('GET', path.replace(root, nobody)), { status: 404, code: 'NOT_FOUND' });
    expect(await tiers()).toEqual({});
  });

  it('does the same by GraphQL', async () => {
    const { dgs, root } = doors;
    const variables = { z: root, a: one.uuid, v: domainVersionUuid };
    const created = await askGraphql<{ createAdaptorPreference: { uuid: string } }>(
      dgs,
      `mutation ($z: Uuid!, $a: Uuid!, $v: Uuid!) { createAdaptorPreference(zoneUuid: $z,
        input: { domainVersionUuid: $v, adaptorUuid: $a, preferenceType: SILVER }) { uuid } }`,
      variables,
    );
    const { uuid } = created.createAdaptorPreference;
    const listed = await askGraphql(
      dgs,
      `query ($z: Uuid!, $a: Uuid!, $v: Uuid!) {
        adaptorPreferences(zoneUuid: $z, adaptorUuid: $a, domainVersionUuid: $v) { data { uuid preferenceType } page { totalElements } }
        capableAdaptors(zoneUuid: $z, domainVersionUuid: $v, action: PUT) { data { adaptor { name } permitted } }
      }`,
      variables,
    );
    expect(listed).toEqual({
      adaptorPreferences: { data: [{ uuid, preferenceType: 'SILVER' }], page: { totalElements: 1 } },
      capableAdaptors: { data: [{ adaptor: { name: 'one' }, permitted: true }] },
    });
    await askGraphql(
      dgs,
      'mutation ($z: Uuid!, $u: Uuid!) { deleteAdaptorPreference(zoneUuid: $z, adaptorOrPreferenceUuid: $u) }',
      {
        z: root,
        u: uuid,
      },
    );
    expect(await tiers()).toEqual({});
  });

  it('lists the adaptors with a capability for an action, and whether governance permits the action', async () => {
    const { admin, dgs, root } = doors;
    const zone = requireStatus(await admin.rest('POST', '/zones', { name: uniqueName('Zone') }), 201).body;
    const capable = async (query = '', zoneUuid = root): Promise<readonly (readonly unknown[])[]> => {
      const url = `/zones/${zoneUuid}/capable-adaptors/${domainVersionUuid}${query}`;
      const { capableAdaptors } = requireStatus(await dgs.rest<Capable>('GET', url), 200).body;
      return capableAdaptors.map(({ adaptor, action, permitted }) => [adaptor.name, action, permitted]);
    };
    expect(await capable('?filters=action:GET')).toEqual([
      ['one', 'GET', true],
      ['two', 'GET', true],
    ]);
    expect(await capable('?filters=action:DELETE')).toEqual([['one', 'DELETE', true]]);
    expect((await capable()).map(([name, action]) => `${String(name)} ${String(action)}`)).toEqual([
      'one DELETE',
      'one GET',
      'one POST',
      'one PUT',
      'two GET',
    ]);
    expect(await capable('?sort=-action&size=1')).toEqual([['one', 'PUT', true]]);
    const acl = { destinationZoneUuid: zone.uuid, sourceAdaptorUuid: two.uuid, get: 'DENY' };
    requireStatus(await dgs.rest('POST', `/zones/${root}/outbound-acls`, acl), 201);
    expect(await capable('?filters=action:GET', zone.uuid)).toEqual([
      ['one', 'GET', true],
      ['two', 'GET', false],
    ]);
    const { text } = await dgs.rest('GET', `/zones/${root}/capable-adaptors/${domainVersionUuid}`);
    expect(text).not.toContain('secret');
    const url = `/zones/${root}/capable-adaptors`;
    expectProblem(await dgs.rest('GET', `${url}/${nobody}`), { status: 404, code: 'NOT_FOUND' });
    expectProblem(await dgs.rest('GET', `${url}/${domainVersionUuid}?filters=action:READ`), {
      status: 400,
      code: 'INVALID_PARAMETER',
    });
    expectProblem(await doors.anyone.rest('GET', `${url}/${domainVersionUuid}`), {
      status: 401,
      code: 'UNAUTHENTICATED',
    });
  });
});
