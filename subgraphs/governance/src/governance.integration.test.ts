import { createSealer, hashSecret, type Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { compileEndpoints, compileGrants, type Grant } from '@fds/access-rules';
import { unguardedFields } from '@fds/graphql';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { v7 as newUuid } from 'uuid';
import { createGovernanceSubgraph } from './create-governance-subgraph.js';
import { removeZoneAcls } from './store/acls/remove-zone-acls.js';

const [zoneUuid, otherZoneUuid, adaptorUuid, versionUuid] = [newUuid(), newUuid(), newUuid(), newUuid()];
const personUuid = newUuid();

const principalWith = (grants: readonly Grant[]): Principal => ({
  kind: 'PERSON',
  uuid: personUuid,
  username: 'steward',
  zones: [
    {
      zoneUuid,
      zoneName: 'north',
      zoneUserUuid: newUuid(),
      default: true,
      knowsPerson: true,
      roles: [{ uuid: newUuid(), name: 'Zone Data Steward' }],
      groups: [],
    },
  ],
  defaultZoneUuid: zoneUuid,
  permits: (action, path) => compileGrants(grants).permits(action, path),
});

const steward = principalWith([
  { action: 'ALL', resource: `/zones/${zoneUuid}/inbound-acls/*` },
  { action: 'ALL', resource: `/zones/${zoneUuid}/outbound-acls/*` },
]);
const reader = principalWith([{ action: 'GET', resource: `/zones/${zoneUuid}/inbound-acls` }]);

let database: TestDatabase;
let subgraph: ReturnType<typeof createGovernanceSubgraph>;

beforeAll(async () => {
  database = await openTestDatabase();
  const { prisma } = database;
  await prisma.person.create({ data: { uuid: personUuid, username: 'steward', ssoId: 'sso-1' } });
  await prisma.zone.createMany({
    data: [
      { uuid: zoneUuid, name: 'north' },
      { uuid: otherZoneUuid, name: 'south' },
    ],
  });
  const type = await prisma.adaptorType.create({ data: { uuid: newUuid(), name: 'default' } });
  await prisma.adaptor.create({ data: { uuid: adaptorUuid, name: 'crm', zoneUuid, adaptorTypeUuid: type.uuid } });
  const domain = { uuid: newUuid(), name: 'Customer', nameKey: 'customer', domainType: 'FEDERATED', zoneUuid };
  await prisma.domain.create({
    data: { ...domain, versions: { create: { uuid: versionUuid, versionNumber: 1, modelSchema: '{}' } } },
  });
  subgraph = createGovernanceSubgraph({
    database,
    now: () => new Date(),
    newUuid,
    forgetHolders: () => undefined,
    forgetPerson: [],
    endpoints: compileEndpoints([]),
    hasProvider: false,
    sealer: createSealer(Buffer.alloc(32)),
    carryOut: () => Promise.reject(new TypeError('no test of this file plans')),
    planMinutes: 60,
    hashSecret,
  });
});

afterAll(async () => {
  await subgraph?.close();
  await database?.drop();
});

interface Answer {
  readonly data: Readonly<Record<string, unknown>> | null | undefined;
  readonly codes: unknown[];
  readonly causes: { readonly pointer: string; readonly code: string }[];
}

const run = async (source: string, variables: object = {}, principal = steward): Promise<Answer> => {
  const { data, errors = [] } = await graphql({
    schema: subgraph.schema,
    source,
    variableValues: { zoneUuid, ...variables },
    contextValue: { principal, requestId: 'test' },
  });
  return {
    data,
    codes: errors.map((error) => error.extensions['code'] ?? error.message),
    causes: errors.flatMap((error) => (error.extensions['errors'] as Answer['causes'] | undefined) ?? []),
  };
};

const create = (word: 'Inbound' | 'Outbound', inputs: object[], placement: object = {}, principal = steward) =>
  run(
    `mutation ($zoneUuid: Uuid!, $inputs: [ZoneAclInput!]!, $append: Boolean, $position: Int) {
      created: create${word}Acls(zoneUuid: $zoneUuid, inputs: $inputs, append: $append, position: $position) {
        uuid zoneUuid position name sourceZoneUuid sourceAdaptorUuid destinationZoneUuid destinationAdaptorUuid
        domainVersionUuid properties get post put delete active changeVersion
      }
    }`,
    { inputs, ...placement },
    principal,
  );

const createdBy = async (answer: Promise<Answer>): Promise<{ uuid: string; position: number }[]> => {
  const { data, codes } = await answer;
  expect(codes).toEqual([]);
  return (data?.['created'] ?? []) as { uuid: string; position: number }[];
};

const namesOf = async (word: 'inbound' | 'outbound'): Promise<string[]> => {
  const { data } = await run(
    `query ($zoneUuid: Uuid!) { list: ${word}Acls(zoneUuid: $zoneUuid, size: 1000) { data { name position } } }`,
  );
  const list = data?.['list'] as { data: { name: string; position: number }[] } | undefined;
  const rows = list?.data ?? [];
  expect(rows.map((row) => row.position)).toEqual(rows.map((_, index) => index));
  return rows.map((row) => row.name);
};

const named = (...names: string[]) => names.map((name) => ({ name, post: 'DENY' }));

describe('a chain', () => {
  it('takes new entries at the front in the given order, at the end, or in between', async () => {
    await createdBy(create('Inbound', named('c', 'd')));
    await createdBy(create('Inbound', named('a', 'b')));
    await createdBy(create('Inbound', named('z'), { append: true }));
    await createdBy(create('Inbound', named('x', 'y'), { position: 4 }));
    expect(await namesOf('inbound')).toEqual(['a', 'b', 'c', 'd', 'x', 'y', 'z']);
    expect(await namesOf('outbound')).toEqual([]);
  });

  it('has no gaps and no duplicate positions when entries are added at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => create('Outbound', named(`p${index}`, `q${index}`))));
    const names = await namesOf('outbound');
    expect(names).toHaveLength(16);
    for (const [index, name] of names.entries()) {
      if (name.startsWith('p')) expect(names[index + 1]).toBe(name.replace('p', 'q'));
    }
  });

  it('has no gap after an entry is deleted', async () => {
    const [entry] = await createdBy(create('Inbound', named('doomed'), { position: 2 }));
    const remove =
      'mutation ($zoneUuid: Uuid!, $uuid: Uuid!) { deleteInboundAcl(zoneUuid: $zoneUuid, inboundAclUuid: $uuid) }';
    expect(await run(remove, { uuid: entry?.uuid })).toMatchObject({ data: { deleteInboundAcl: true }, codes: [] });
    expect(await namesOf('inbound')).toEqual(['a', 'b', 'c', 'd', 'x', 'y', 'z']);
    expect((await run(remove, { uuid: entry?.uuid })).codes).toEqual(['NOT_FOUND']);
  });

  it('is read in pages', async () => {
    const page = (number: number) =>
      run(
        `query ($zoneUuid: Uuid!, $page: Int) {
          inboundAcls(zoneUuid: $zoneUuid, page: $page, size: 3) {
            data { name } page { page size totalElements totalPages }
          }
        }`,
        { page: number },
      );
    expect((await page(2)).data).toEqual({
      inboundAcls: { data: [{ name: 'z' }], page: { page: 2, size: 3, totalElements: 7, totalPages: 3 } },
    });
    expect((await page(3)).data).toMatchObject({ inboundAcls: { data: [] } });
    expect((await page(-1)).codes).toEqual(['INVALID_PARAMETER']);
  });

  it('logs every change with the entry', async () => {
    const [entry] = await createdBy(create('Outbound', [{ name: 'logged', get: 'ALLOW' }]));
    const rows = await database.prisma.changeLogEntry.findMany({ where: { resourceUuid: entry?.uuid } });
    expect(rows).toMatchObject([
      {
        action: 'POST',
        resourceType: 'OutboundAcl',
        resource: `/zones/${zoneUuid}/outbound-acls/${entry?.uuid}`,
        zoneUuid,
        actorUuid: personUuid,
      },
    ]);
    expect(JSON.parse(rows[0]?.data ?? '')).toMatchObject({ uuid: entry?.uuid, name: 'logged', get: 'ALLOW' });
  });
});

describe('an entry', () => {
  it('is returned as it was given, with the zone of the chain on its own side', async () => {
    const input = {
      name: 'full',
      destinationZoneUuid: otherZoneUuid,
      sourceAdaptorUuid: adaptorUuid,
      domainVersionUuid: versionUuid,
      properties: ['email', 'phone', 'email'],
      get: 'ALLOW',
      put: 'DENY',
      active: false,
    };
    const [entry] = await createdBy(create('Outbound', [input]));
    const all = {
      ...input,
      properties: ['email', 'phone'],
      zoneUuid,
      sourceZoneUuid: zoneUuid,
      post: null,
      delete: null,
    };
    expect(entry).toMatchObject({ ...all, destinationAdaptorUuid: null, position: 0, changeVersion: 1 });
    const { data } = await run(
      'query ($zoneUuid: Uuid!, $uuid: Uuid!) { outboundAcl(zoneUuid: $zoneUuid, outboundAclUuid: $uuid) { name properties } }',
      { uuid: entry?.uuid },
    );
    expect(data).toEqual({ outboundAcl: { name: 'full', properties: ['email', 'phone'] } });
  });

  it('is refused with all causes when it names resources that do not exist', async () => {
    const nowhere = newUuid();
    const { codes, causes } = await create('Inbound', [
      { sourceZoneUuid: otherZoneUuid },
      { sourceZoneUuid: nowhere, sourceAdaptorUuid: nowhere, domainVersionUuid: nowhere },
    ]);
    expect(codes).toEqual(['UNKNOWN_REFERENCE']);
    expect(causes.map((cause) => cause.pointer).sort()).toEqual([
      '/1/domainVersionUuid',
      '/1/sourceAdaptorUuid',
      '/1/sourceZoneUuid',
    ]);
    expect(await namesOf('inbound')).toHaveLength(7);
  });

  it.each([
    ['another zone on its own side', { destinationZoneUuid: otherZoneUuid }, {}, 'VALIDATION_FAILED', 'FOREIGN_ZONE'],
    ['a name of 129 characters', { name: 'n'.repeat(129) }, {}, 'VALIDATION_FAILED', 'TOO_LONG'],
    ['a blank property', { properties: [''] }, {}, 'VALIDATION_FAILED', 'BLANK'],
    ['a position behind the end', {}, { position: 99 }, 'INVALID_PARAMETER', 'OUT_OF_RANGE'],
    ['a negative position', {}, { position: -1 }, 'INVALID_PARAMETER', 'OUT_OF_RANGE'],
    ['append and position', {}, { position: 1, append: true }, 'INVALID_PARAMETER', 'CONTRADICTION'],
  ])('is refused with %s', async (_name, input, placement, code, cause) => {
    const answer = await create('Inbound', [input], placement);
    expect({ codes: answer.codes, causes: answer.causes.map((each) => each.code) }).toEqual({
      codes: [code],
      causes: [cause],
    });
  });
});

describe('access', () => {
  it('is refused in the subgraph itself when the caller lacks the permission', async () => {
    expect((await create('Inbound', named('no'), {}, reader)).codes).toEqual(['FORBIDDEN']);
    const list = (word: string) =>
      run(`query ($zoneUuid: Uuid!) { ${word}Acls(zoneUuid: $zoneUuid) { page { size } } }`, {}, reader);
    expect((await list('inbound')).codes).toEqual([]);
    expect((await list('outbound')).codes).toEqual(['FORBIDDEN']);
  });

  it('is not found for an unknown zone', async () => {
    const everywhere = principalWith([{ action: 'ALL', resource: '/zones/*' }]);
    const answer = await create('Inbound', named('lost'), { zoneUuid: newUuid() }, everywhere);
    expect(answer.codes).toEqual(['NOT_FOUND']);
  });

  it('is checked on every root field', () => {
    expect(unguardedFields(subgraph.schema)).toEqual([]);
  });
});

describe('the caller', () => {
  it('can read their own identity', async () => {
    const { data } = await run(
      '{ caller { sub username ssoId adaptorUuid zones { zoneName default roles { name } } } }',
    );
    expect(data).toEqual({
      caller: {
        sub: personUuid,
        username: 'steward',
        ssoId: 'sso-1',
        adaptorUuid: null,
        zones: [{ zoneName: 'north', default: true, roles: [{ name: 'Zone Data Steward' }] }],
      },
    });
  });
});

describe('a deleted zone', () => {
  it('is deleted with its own chains, and no others', async () => {
    const { prisma } = database;
    const goneZoneUuid = newUuid();
    await prisma.zone.create({ data: { uuid: goneZoneUuid, name: 'gone' } });
    const everywhere = principalWith([{ action: 'ALL', resource: '/zones/*' }]);
    const entries = { zoneUuid: goneZoneUuid, inputs: [{ name: 'one' }, { name: 'two' }] };
    await createdBy(create('Inbound', entries.inputs, entries, everywhere));
    await createdBy(create('Outbound', entries.inputs, entries, everywhere));
    const others = await prisma.zoneAcl.count({ where: { zoneUuid } });
    await prisma.$transaction(async (tx) => {
      await tx.zone.delete({ where: { uuid: goneZoneUuid }, select: { uuid: true } });
      await removeZoneAcls(tx, goneZoneUuid, { actorUuid: personUuid });
    });
    expect(await prisma.zoneAcl.count({ where: { zoneUuid: goneZoneUuid } })).toBe(0);
    expect(await prisma.zoneAcl.count({ where: { zoneUuid } })).toBe(others);
    const logged = await prisma.changeLogEntry.findMany({ where: { zoneUuid: goneZoneUuid, action: 'DELETE' } });
    expect(logged.map(({ resourceType, actorUuid }) => `${resourceType} ${actorUuid}`).sort()).toEqual(
      ['InboundAcl', 'InboundAcl', 'OutboundAcl', 'OutboundAcl'].map((type) => `${type} ${personUuid}`),
    );
  });
});
