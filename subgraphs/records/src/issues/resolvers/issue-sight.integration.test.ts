import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule, compileGrants } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

const any: AccessRule = {
  effect: 'ALLOW',
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
};

/** A person with all permissions, restricted by the rules if there are any. */
const somebody = (...rules: readonly Partial<AccessRule>[]): Principal => {
  const { permits } = compileGrants([{ action: 'ALL', resource: '/*' }]);
  const person = { kind: 'PERSON', uuid: randomUUID(), username: 'x', zones: [], defaultZoneUuid: undefined } as const;
  if (rules.length === 0) return { ...person, permits };
  const zoneOf = new Map([
    [inEast ?? '', east],
    [inWest ?? '', west],
  ]);
  return { ...person, permits, dataAccess: compileDataAccess([rules.map((rule) => ({ ...any, ...rule }))], zoneOf) };
};

const domain = 'Sighted';

interface Match {
  readonly drUuid: string;
  readonly score: number | null;
  readonly drKey: string;
  readonly comparisons: string;
}

let database: TestDatabase;
let server: StartedRecords;
let west: string;
let east: string;
let issueUuid: string;
let candidate: string;
let [inEast, inWest]: string[] = [];
let [a, b]: BusAdaptor[] = [];

const run = async (principal: Principal, text: string, variables: object = {}) => {
  const answer = await graphql({
    schema: server.subgraph.schema,
    source: text,
    variableValues: { z: west, i: issueUuid, ...variables },
    contextValue: { principal, requestId: 'test' },
  });
  return {
    data: answer.data ?? {},
    codes: (answer.errors ?? []).map(({ extensions }) => extensions['code']),
    errors: (answer.errors ?? []).map(({ extensions }) => extensions),
  };
};

const list = async (principal: Principal): Promise<{ readonly data: readonly { uuid: string; dataEvent: string }[] }> =>
  (
    await run(
      principal,
      'query ($z: Uuid!) { dataIssues(zoneUuid: $z) { data { uuid dataEvent } page { totalElements } } }',
    )
  ).data['dataIssues'] as never;

const matches = async (principal: Principal, minScore = ''): Promise<object> =>
  (
    await run(
      principal,
      `query ($z: Uuid!, $i: Uuid!) {
         dataIssueMatches(zoneUuid: $z, issueUuid: $i ${minScore}) {
           data { drUuid adaptorUuid score drKey comparisons } page { totalElements }
         }
       }`,
    )
  ).data['dataIssueMatches'] as object;

const patch = `mutation ($z: Uuid!, $i: Uuid!, $input: DataIssueInput!) {
  patchDataIssue(zoneUuid: $z, issueUuid: $i, input: $input) { status }
}`;

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  [west, east] = [await seed.addZone('West'), await seed.addZone('East')];
  await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { name: { type: 'string' }, born: { type: 'string', format: 'date' } },
    drKeyProperties: ['name', 'born'],
    matchingAlgorithm: {
      type: 'SCORED',
      rules: [{ all: [{ property: 'born', comparator: 'EXACT' }] }],
      scores: [
        { property: 'name', comparator: 'NORMALIZED', weight: 1 },
        { property: 'name', comparator: 'FUZZY', maxEdits: 2, weight: 0.5 },
      ],
      thresholds: { match: 1, review: 0.5 },
      onReview: 'HOLD',
    },
  });
  inEast = await seed.addAdaptor({ name: 'east', zoneUuid: east, domains: [domain] });
  inWest = await seed.addAdaptor({ name: 'west', zoneUuid: west, domains: [domain] });
  server = await startRecords(database);
  [a, b] = [inEast, inWest].map((uuid) => createBusAdaptor(server.bus, uuid, { domain, version: 1 }));
  await a?.connect();
  await b?.connect();
  a?.send({ action: 'POST', json: { name: 'Ann Moor', born: '2000-01-01' } });
  await eventually(async () => expect(await database.prisma.dataRecord.count()).toBe(1));
  b?.send({ action: 'POST', json: { name: 'Ann Mohr', born: '2000-01-01' } });
  issueUuid = await eventually(async () => {
    const { data } = await list(somebody());
    expect(data).toHaveLength(1);
    return data[0]?.uuid ?? '';
  });
  ({ uuid: candidate } = await database.prisma.dataRecord.findFirstOrThrow({ select: { uuid: true } }));
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

it('is fully visible to a caller without rules', async () => {
  expect(await matches(somebody(), ', minScore: 0.4')).toMatchObject({
    data: [{ drUuid: candidate, score: 0.5 }],
    page: { totalElements: 1 },
  });
});

it('shows the steward of a zone what its adaptors sent, and no record of another zone', async () => {
  const steward = somebody({ zoneUuid: west });
  const { data } = await list(steward);
  expect(JSON.parse(data[0]?.dataEvent ?? '')).toMatchObject({ json: { name: 'Ann Mohr', born: '2000-01-01' } });
  expect(await matches(steward)).toEqual({ data: [], page: { totalElements: 0 } });
  const input = { status: 'CLOSED', matchStatus: 'RESOLVED', drUuid: candidate, changeVersion: 1 };
  const { errors } = await run(steward, patch, { input });
  expect(errors).toMatchObject([{ code: 'UNKNOWN_REFERENCE', errors: [{ pointer: '/drUuid' }] }]);
});

it('is hidden from the steward of another zone, with any permitted paths', async () => {
  const stranger = somebody({ zoneUuid: east });
  expect(await list(stranger)).toEqual({ data: [], page: { totalElements: 0 } });
  const one = 'zoneUuid: $z, issueUuid: $i';
  for (const text of [
    `query ($z: Uuid!, $i: Uuid!) { dataIssue(${one}) { uuid } }`,
    `query ($z: Uuid!, $i: Uuid!) { dataIssueMatches(${one}) { page { totalElements } } }`,
    `mutation ($z: Uuid!, $i: Uuid!) { deleteDataIssue(${one}, changeVersion: 1) }`,
  ])
    expect((await run(stranger, text)).codes).toEqual(['NOT_FOUND']);
  const input = { status: 'CLOSED', changeVersion: 1 };
  expect((await run(stranger, patch, { input })).codes).toEqual(['NOT_FOUND']);
});

it('shows no part of a masked property: no value, no comparison, no score made of it', async () => {
  const reader = somebody({ effect: 'DENY', properties: ['name'] });
  const { data } = await list(reader);
  expect(data[0]?.dataEvent).not.toMatch(/Ann|Moh?r/);
  expect(JSON.parse(data[0]?.dataEvent ?? '')).toMatchObject({ json: { born: '2000-01-01' } });
  const seen = (await matches(reader)) as { readonly data: readonly Match[] };
  expect(seen.data).toMatchObject([{ drUuid: candidate, score: null }]);
  expect(JSON.parse(seen.data[0]?.drKey ?? '')).toEqual({ born: '2000-01-01' });
  expect(seen.data[0]?.comparisons).not.toMatch(/name|Ann/);
  expect(await matches(reader, ', minScore: 0.4')).toEqual({ data: [], page: { totalElements: 0 } });
  expect(await matches(reader, ', maxScore: 1')).toEqual({ data: [], page: { totalElements: 0 } });
});

it('lacks the candidates that a rule hides', async () => {
  expect(await matches(somebody({ effect: 'DENY', drUuids: [candidate] }))).toEqual({
    data: [],
    page: { totalElements: 0 },
  });
});

it('shows no content to a caller whose rules name records, because its record is not known', async () => {
  for (const rules of [
    [{ effect: 'DENY', drUuids: [candidate] }],
    [{ effect: 'DENY', drUuids: [randomUUID()], adaptorUuid: inWest }],
    [{ drUuids: [candidate] }, { effect: 'DENY', properties: ['name'] }, {}],
  ] as const) {
    const { data } = await list(somebody(...rules));
    expect(data).toMatchObject([{ uuid: issueUuid, dataEvent: null }]);
  }
  expect((await list(somebody({ effect: 'DENY', properties: ['born'] }))).data[0]?.dataEvent).toContain('Ann Mohr');
});

it('has a title that does not tell how many records the event matches', async () => {
  const titles = await run(somebody(), 'query ($z: Uuid!) { dataIssues(zoneUuid: $z) { data { title } } }');
  expect(titles.data).toEqual({
    dataIssues: { data: [{ title: 'The event waits for a person to choose its record' }] },
  });
});

describe('a candidate whose key adaptors hold', () => {
  const none = { data: [], page: { totalElements: 0 } };
  const deny = (adaptorUuid = ''): Partial<AccessRule> => ({ effect: 'DENY', adaptorUuid });

  it('is found by an adaptor', async () => {
    const shown = { data: [{ drUuid: candidate, adaptorUuid: inEast, score: 0.5 }] };
    expect(await matches(somebody(), `, adaptor: "${inEast}"`)).toMatchObject(shown);
    expect(await matches(somebody(), `, adaptor: "${inWest}"`)).toEqual(none);
  });

  it('is hidden from callers who may know none of them', async () => {
    const reader = somebody(deny(inEast));
    expect(await matches(reader)).toEqual(none);
  });

  it('is there by the one that may', async () => {
    b?.link({ action: 'LINK', domain, version: 1, drUuid: candidate, drKey: { name: 'Ann Moor', born: '2000-01-01' } });
    const reader = somebody(deny(inEast));
    await eventually(async () =>
      expect(await matches(reader)).toMatchObject({ data: [{ drUuid: candidate, adaptorUuid: inWest, score: 0.5 }] }),
    );
    expect(await matches(somebody())).toMatchObject({ data: [{ adaptorUuid: inEast }] });
  });
});

describe('settling with a record, without permission to read records', () => {
  const clerk: Principal = { ...somebody(), permits: compileGrants([{ action: 'ALL', resource: '/zones/*' }]).permits };
  const settle = (drUuid: string) =>
    run(clerk, patch, { input: { status: 'CLOSED', matchStatus: 'RESOLVED', drUuid, changeVersion: 1 } });

  it('answers the same for a record that exists and for one that does not', async () => {
    a?.send({ action: 'POST', json: { name: 'Zed', born: '1950-01-01' } });
    const hidden = await eventually(() =>
      database.prisma.dataRecord.findFirstOrThrow({ where: { uuid: { not: candidate } }, select: { uuid: true } }),
    );
    const ofHidden = await settle(hidden.uuid);
    expect(ofHidden.errors).toMatchObject([{ code: 'UNKNOWN_REFERENCE', errors: [{ pointer: '/drUuid' }] }]);
    expect(ofHidden).toEqual(await settle(randomUUID()));
  });

  it('takes a candidate that the issue shows', async () => {
    expect(await matches(clerk)).toMatchObject({ data: [{ drUuid: candidate, drKey: null }] });
    expect(await settle(candidate)).toMatchObject({ errors: [], data: { patchDataIssue: { status: 'CLOSED' } } });
  });
});
