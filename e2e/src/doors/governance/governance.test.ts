import { beforeAll, describe, expect, it } from '@jest/globals';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { askGraphql } from '../ask-graphql.js';
import type { RawAnswer } from '../../harness/exchange.js';
import { expectProblem } from '../expect-problem.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

const unknownUuid = '00000000-0000-7000-8000-000000000001';

interface Saved extends Resource {
  readonly position: number;
  readonly warnings: readonly { readonly code: string; readonly maskedBy: readonly string[] }[];
}

type Listed = Readonly<Record<string, readonly Saved[]>>;

describe('governance at the doors', () => {
  const { doors } = setUpDoors();
  let domainVersionUuid: string;
  let other: string;

  beforeAll(async () => {
    ({ domainVersionUuid } = await createVersion(doors.dgs, {
      name: 'governed',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' }, city: { type: 'string' } },
      drKeyProperties: ['id'],
    }));
    other = requireStatus(
      await doors.admin.rest('POST', '/zones', { name: 'governed-other', parentZoneUuid: doors.root }),
      201,
    ).body.uuid;
  }, 120_000);

  const chains = () => [
    { path: `/zones/${doors.root}/outbound-acls`, collection: 'outboundAcls' },
    { path: `/zones/${doors.root}/inbound-acls`, collection: 'inboundAcls' },
    { path: '/operational-acls/entries', collection: 'operationalAcls' },
  ];

  const namesOf = async ({ path, collection }: { path: string; collection: string }): Promise<string[]> => {
    const { body } = requireStatus(await doors.dgs.rest<Listed>('GET', `${path}?size=1000`), 200);
    const entries = body[collection] ?? [];
    expect(entries.map(({ position }) => position)).toEqual(entries.map((_, index) => index));
    return entries.map(({ name }) => name);
  };

  it('keeps entries in order when they are added, moved and removed in any way', async () => {
    const { dgs } = doors;
    for (const chain of chains()) {
      const add = async (names: readonly string[], query = ''): Promise<readonly Saved[]> => {
        const entries = names.map((name) => ({ name, post: 'DENY', sourceZoneUuid: null, domainVersionUuid }));
        const { body } = requireStatus(await dgs.rest<Listed>('POST', `${chain.path}${query}`, entries), 201);
        return body[chain.collection] ?? [];
      };
      const [c] = await add(['c', 'd']);
      expect((await add(['a', 'b'])).map(({ name, position }) => [name, position])).toEqual([
        ['a', 0],
        ['b', 1],
      ]);
      await add(['z'], '?append=true');
      await add(['x'], '?position=2');
      expect(await namesOf(chain)).toEqual(['a', 'b', 'x', 'c', 'd', 'z']);
      expectProblem(await dgs.rest('POST', `${chain.path}?append=true&position=1`, { name: 'no', post: 'DENY' }), {
        status: 400,
        code: 'INVALID_PARAMETER',
        pointers: ['position'],
      });

      const path = `${chain.path}/${c?.uuid}`;
      const moved = requireStatus(await dgs.rest<Saved>('PATCH', path, { changeVersion: 1, position: 0 }), 200).body;
      expect(moved).toMatchObject({ name: 'c', position: 0, changeVersion: 2, domainVersionUuid, post: 'DENY' });
      expect(await namesOf(chain)).toEqual(['c', 'a', 'b', 'x', 'd', 'z']);
      const { warnings: _warnings, ...read } = moved;
      expect(requireStatus(await dgs.rest<Saved>('GET', path), 200).body).toEqual(read);
      requireStatus(await dgs.rest('PATCH', path, { changeVersion: 2, position: 5, name: null }), 200);
      expect(await namesOf(chain)).toEqual(['a', 'b', 'x', 'd', 'z', 'c']);
      expectProblem(await dgs.rest('PATCH', path, { changeVersion: 3, position: 6 }), {
        status: 400,
        code: 'VALIDATION_FAILED',
        pointers: ['/position'],
      });
      // in a PUT, null means any value, or no decision
      const replaced = requireStatus(
        await dgs.rest<Saved>('PUT', path, { changeVersion: 3, name: 'c', domainVersionUuid: null, post: null }),
        200,
      ).body;
      expect(replaced).toMatchObject({ position: 5, domainVersionUuid: null, post: null, active: true });
      expect(replaced.warnings).toMatchObject([{ code: 'NO_ACTION', maskedBy: [] }]);
      expectProblem(await dgs.rest('PUT', path, { changeVersion: 3, post: 'DENY' }), {
        status: 409,
        code: 'STALE_CHANGE_VERSION',
      });
      requireStatus(await dgs.rest('DELETE', path), 204);
      expectProblem(await dgs.rest('GET', path), { status: 404, code: 'NOT_FOUND' });
      expect(await namesOf(chain)).toEqual(['a', 'b', 'x', 'd', 'z']);

      const filtered = await dgs.rest<Listed>('GET', `${chain.path}?filters=name:x,active:true&sort=-name`);
      expect(filtered.body[chain.collection]?.map(({ name }) => name)).toEqual(['x']);
      const sorted = await dgs.rest<Listed>('GET', `${chain.path}?sort=-name`);
      expect(sorted.body[chain.collection]?.map(({ name }) => name)).toEqual(['z', 'x', 'd', 'b', 'a']);
      for (const { uuid } of sorted.body[chain.collection] ?? []) {
        requireStatus(await dgs.rest('DELETE', `${chain.path}/${uuid}`), 204);
      }
    }
  });

  it('reports every cause of a refusal with its place', async () => {
    const { dgs, root } = doors;
    const entry = { name: 'n'.repeat(129), sourceAdaptorUuid: unknownUuid, properties: ['id', ' '], post: 'DENY' };
    const inputs = [{ post: 'ALLOW' }, { ...entry, sourceZoneUuid: other, domainVersionUuid: unknownUuid }];
    expectProblem(await dgs.rest('POST', `/zones/${root}/outbound-acls`, inputs), {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['/1/name', '/1/sourceZoneUuid', '/1/sourceAdaptorUuid', '/1/domainVersionUuid', '/1/properties/1'],
    });
    expectProblem(await dgs.rest('POST', '/operational-acls/entries', { sourceZoneUuid: unknownUuid, post: 'DENY' }), {
      status: 400,
      code: 'UNKNOWN_REFERENCE',
    });
    expect(await namesOf({ path: `/zones/${root}/outbound-acls`, collection: 'outboundAcls' })).toEqual([]);
  });

  it('warns of entries that are masked by others, and warns before they are saved', async () => {
    const { dgs, root } = doors;
    const operational = '/operational-acls/entries';
    const first = requireStatus(await dgs.rest<Saved>('POST', operational, { post: 'DENY' }), 201).body;
    expect(first.warnings).toEqual([]);
    const asked = { post: 'ALLOW', domainVersionUuid };
    const masked = await dgs.rest('POST', '/operational-acls/check?append=true', asked);
    expect(masked).toMatchObject({
      status: 200,
      body: { masked: true, position: 1, maskedBy: [{ uuid: first.uuid }] },
    });
    const front = await dgs.rest('POST', '/operational-acls/check', asked);
    expect(front).toMatchObject({ status: 200, body: { masked: false, position: 0, maskedBy: [] } });
    const saved = requireStatus(await dgs.rest<Saved>('POST', `${operational}?append=true`, asked), 201).body;
    expect(saved.warnings).toMatchObject([{ code: 'MASKED', maskedBy: [first.uuid] }]);
    for (const { uuid } of [first, saved]) requireStatus(await dgs.rest('DELETE', `${operational}/${uuid}`), 204);

    const chain = `/zones/${root}/inbound-acls`;
    const some = requireStatus(await dgs.rest<Saved>('POST', chain, { put: 'DENY', properties: ['id'] }), 201).body;
    const rest = requireStatus(
      await dgs.rest<Saved>('POST', `${chain}?append=true`, { put: 'ALLOW', properties: ['id', 'city'] }),
      201,
    ).body;
    expect(rest.warnings).toEqual([]);
    const patched = await dgs.rest<Saved>('PATCH', `${chain}/${rest.uuid}`, { changeVersion: 1, properties: ['ID'] });
    expect(patched.body.warnings).toMatchObject([{ code: 'MASKED', maskedBy: [some.uuid] }]);
    for (const { uuid } of [some, rest]) requireStatus(await dgs.rest('DELETE', `${chain}/${uuid}`), 204);
  });

  it('warns of properties that the domain version does not have', async () => {
    const { dgs, root } = doors;
    const chain = `/zones/${root}/inbound-acls`;
    const entry = { put: 'DENY', domainVersionUuid, properties: ['street'] };
    const saved = requireStatus(await dgs.rest<Saved>('POST', chain, entry), 201).body;
    expect(saved.warnings).toMatchObject([{ code: 'NEVER_MATCHES', maskedBy: [] }]);
    const change = { changeVersion: 1, properties: ['street', 'CITY'] };
    const patched = requireStatus(await dgs.rest<Saved>('PATCH', `${chain}/${saved.uuid}`, change), 200).body;
    expect(patched.warnings).toEqual([]);
    requireStatus(await dgs.rest('DELETE', `${chain}/${saved.uuid}`), 204);
  });

  it.each(['outbound', 'inbound'] as const)(
    'refuses misspelt properties of %s entries with strict=true',
    async (direction) => {
      const { dgs, root } = doors;
      const chain = `/zones/${root}/${direction}-acls`;
      const entry = { put: 'DENY', domainVersionUuid, properties: ['citty', 'CITY', 'nothing like it'] };
      const known = { put: 'DENY', domainVersionUuid, properties: ['ID'] };
      const detailsOf = (answer: RawAnswer) => {
        const { errors } = expectProblem(answer, { status: 400, code: 'VALIDATION_FAILED' });
        return errors?.map(({ pointer, code, detail }) => [pointer, code, detail.includes('"city"')]);
      };
      const misspelt = (place: string) => [
        [`${place}/properties/0`, 'UNKNOWN_PROPERTY', true],
        [`${place}/properties/2`, 'UNKNOWN_PROPERTY', false],
      ];
      expect(detailsOf(await dgs.rest('POST', `${chain}?strict=true`, entry))).toEqual(misspelt(''));
      expect(detailsOf(await dgs.rest('POST', `${chain}?strict=true`, [known, entry]))).toEqual(misspelt('/1'));
      const everywhere = { ...entry, domainVersionUuid: null };
      expect(detailsOf(await dgs.rest('POST', `${chain}?strict=true`, [everywhere]))).toHaveLength(2);
      const right = { put: 'DENY', domainVersionUuid, properties: ['city'] };
      const { uuid } = requireStatus(await dgs.rest('POST', `${chain}?strict=true&append=true`, right), 201).body;
      for (const method of ['PUT', 'PATCH']) {
        const change = { ...entry, changeVersion: 1 };
        expect(detailsOf(await dgs.rest(method, `${chain}/${uuid}?strict=true`, change))).toEqual(misspelt(''));
      }
      requireStatus(
        await dgs.rest('PATCH', `${chain}/${uuid}?strict=false`, { properties: ['citty'], changeVersion: 1 }),
        200,
      );
      const replaced = { ...right, properties: ['ID'], changeVersion: 2 };
      requireStatus(await dgs.rest('PUT', `${chain}/${uuid}?strict=true`, replaced), 200);
      requireStatus(await dgs.rest('DELETE', `${chain}/${uuid}`), 204);
      const operational = await dgs.rest('POST', '/operational-acls/entries?strict=true', {
        post: 'ALLOW',
        active: false,
      });
      requireStatus(operational, 201);
      for (const [method, changeVersion] of [
        ['PUT', 1],
        ['PATCH', 2],
      ] as const) {
        const path = `/operational-acls/entries/${operational.body.uuid}?strict=true`;
        requireStatus(await dgs.rest(method, path, { post: 'ALLOW', active: false, changeVersion }), 200);
      }
      requireStatus(await dgs.rest('DELETE', `/operational-acls/entries/${operational.body.uuid}`), 204);
    },
  );

  it.each(['outbound', 'inbound'] as const)('restricts entries to records, %s', async (direction) => {
    const { dgs, admin, root } = doors;
    const [first, second] = [`${direction}-one`, `${direction}-two`];
    const create = async (id: string): Promise<string> =>
      requireStatus(await dgs.rest('POST', '/drs', { domainVersionUuid, json: { id, city: 'Oslo' } }), 201).body.uuid;
    const [one, two] = [await create(first), await create(second)];
    const chain = `/zones/${root}/${direction}-acls`;
    const acl = requireStatus(await dgs.rest<Saved>('POST', chain, { post: 'DENY' }), 201).body;
    const drs = `${chain}/${acl.uuid}/drs`;
    requireStatus(await dgs.rest('POST', drs, [one]), 201);
    requireStatus(await dgs.rest('POST', drs, { drUuids: [one, two] }), 201);
    expectProblem(await dgs.rest('POST', drs, [one, unknownUuid]), {
      status: 400,
      code: 'UNKNOWN_REFERENCE',
      pointers: ['/1'],
    });
    interface Records {
      readonly drs: readonly Readonly<Record<string, unknown>>[];
      readonly _page: { readonly totalElements: unknown };
    }
    const listed = await dgs.rest<Records>('GET', drs);
    expect(listed.body.drs).toMatchObject([
      { uuid: one, drKey: { id: first } },
      { uuid: two, drKey: { id: second } },
    ]);
    const found = await dgs.rest<Records>('GET', `${drs}?query=${encodeURIComponent('id:*two')}`);
    expect(found.body.drs).toMatchObject([{ uuid: two }]);
    expect((await dgs.rest<Records>('GET', `${drs}?filters=adaptor-uuid:${unknownUuid}`)).body.drs).toEqual([]);
    if ((await admin.rest('GET', `/drs/${one}`)).status === 403) {
      expect((await admin.rest<Records>('GET', drs)).body.drs).toEqual([{ uuid: one }, { uuid: two }]);
      expect((await admin.rest('GET', `${drs}?query=id:one`)).status).toBe(403);
    }
    const attached = await dgs.rest<Listed>('GET', `${chain}?filters=dr-uuid:${two}`);
    expect(attached.body[`${direction}Acls`]?.map(({ uuid }) => uuid)).toEqual([acl.uuid]);
    requireStatus(await dgs.rest('DELETE', `${drs}/${one}`), 204);
    expectProblem(await dgs.rest('DELETE', `${drs}/${one}`), { status: 404, code: 'NOT_FOUND' });
    expect((await dgs.rest<Records>('GET', drs)).body).toMatchObject({
      drs: [{ uuid: two }],
      _page: { totalElements: 1 },
    });
    requireStatus(await dgs.rest('DELETE', `${chain}/${acl.uuid}`), 204);
  });

  it('is the same in GraphQL', async () => {
    const { dgs, root } = doors;
    const { created } = await askGraphql<{ created: readonly Saved[] }>(
      dgs,
      `mutation ($zoneUuid: Uuid!) {
        created: createInboundAcls(zoneUuid: $zoneUuid, inputs: [{ name: "g", get: DENY }]) {
          uuid name position warnings { code maskedBy }
        }
      }`,
      { zoneUuid: root },
    );
    const [acl] = created;
    const { patched, read } = await askGraphql<Readonly<Record<string, Saved>>>(
      dgs,
      `mutation ($zoneUuid: Uuid!, $uuid: Uuid!) {
        patched: patchInboundAcl(zoneUuid: $zoneUuid, inboundAclUuid: $uuid, input: { changeVersion: 1, put: ALLOW }) {
          get put changeVersion
        }
        read: replaceInboundAcl(zoneUuid: $zoneUuid, inboundAclUuid: $uuid, input: { changeVersion: 2, delete: DENY }) {
          name get put delete
        }
      }`,
      { zoneUuid: root, uuid: acl?.uuid },
    );
    expect([patched, read]).toMatchObject([
      { get: 'DENY', put: 'ALLOW' },
      { name: null, get: null, put: null, delete: 'DENY' },
    ]);
    const lists = await askGraphql(
      dgs,
      `query ($zoneUuid: Uuid!, $uuid: Uuid!) {
        inboundAcls(zoneUuid: $zoneUuid, active: true) { data { uuid warnings { code } } page { totalElements } }
        outboundAcls(zoneUuid: $zoneUuid) { data { uuid } }
        operationalAcls(active: true) { data { uuid } }
        operationalAclCheck(input: { post: DENY }) { masked position maskedBy { uuid } }
        inboundAclRecords(zoneUuid: $zoneUuid, inboundAclUuid: $uuid) { data { uuid record { drKey } } }
        zoneAclMetrics(zoneUuid: $zoneUuid) { inbound { acls { aclUuid position allowed denied lastMatched } } }
        operationalAclMetrics { acls { aclUuid } defaultPolicy { aclUuid position denied } }
      }`,
      { zoneUuid: root, uuid: acl?.uuid },
    );
    expect(lists).toMatchObject({
      inboundAcls: { data: [{ uuid: acl?.uuid, warnings: null }], page: { totalElements: 1 } },
      outboundAcls: { data: [] },
      operationalAcls: { data: [] },
      operationalAclCheck: { masked: false, position: 0, maskedBy: [] },
      inboundAclRecords: { data: [] },
      zoneAclMetrics: {
        inbound: { acls: [{ aclUuid: acl?.uuid, position: 0, allowed: 0, denied: 0, lastMatched: null }] },
      },
      operationalAclMetrics: { acls: [], defaultPolicy: { aclUuid: null, position: null, denied: 0 } },
    });
    await askGraphql(
      dgs,
      `mutation ($zoneUuid: Uuid!, $uuid: Uuid!) { deleteInboundAcl(zoneUuid: $zoneUuid, inboundAclUuid: $uuid) }`,
      { zoneUuid: root, uuid: acl?.uuid },
    );
  });
});
