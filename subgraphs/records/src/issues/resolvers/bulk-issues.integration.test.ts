import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule, compileGrants, type Grant } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed, type SeededVersion } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

const domain = 'Bulk';
const everything: Grant = { action: 'ALL', resource: '/*' };

let database: TestDatabase;
let server: StartedRecords;
let north: string;
let south: string;
let version: SeededVersion;
let inNorth: BusAdaptor;
let inSouth: BusAdaptor;

const personWith = (grants: readonly Grant[], rules?: readonly Partial<AccessRule>[]): Principal => {
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
  return {
    kind: 'PERSON',
    uuid: randomUUID(),
    username: 'steward',
    zones: [],
    defaultZoneUuid: undefined,
    permits: compileGrants(grants).permits,
    ...(rules === undefined
      ? {}
      : { dataAccess: compileDataAccess([rules.map((rule) => ({ ...any, ...rule }))], new Map()) }),
  };
};
const steward = personWith([everything]);
/** Sees the property `name` of records and nothing else of them. */
const clerk = (): Principal => personWith([everything], [{ properties: ['name'] }, { effect: 'DENY' }]);

const run = async (text: string, variables: Record<string, unknown> = {}, principal = steward) => {
  const contextValue = { principal, requestId: 'test' };
  const answer = await graphql({
    schema: server.subgraph.schema,
    source: text,
    variableValues: variables,
    contextValue,
  });
  const codes = (answer.errors ?? []).map(({ extensions }) => extensions['code']);
  const pointers = (answer.errors ?? []).map(({ extensions }) =>
    ((extensions['errors'] ?? []) as readonly { readonly pointer: string }[]).map(({ pointer }) => pointer),
  );
  return { data: (answer.data ?? {}) as Record<string, never>, codes, pointers };
};

interface Group {
  readonly issueCount: bigint;
  readonly cause: string | null;
  readonly code: string | null;
  readonly property: string | null;
  readonly adaptor: { readonly name: string } | null;
}
interface Counts {
  readonly issueCount: bigint;
  readonly openCount: bigint;
  readonly groupCount: number;
  readonly groups: readonly Group[];
}

const count = async (filter: string, principal = steward): Promise<Counts> => {
  const { data, codes } = await run(
    `{ dataIssueCounts(${filter}) { issueCount openCount groupCount groups { issueCount cause code property adaptor { name } } } }`,
    {},
    principal,
  );
  expect(codes).toEqual([]);
  return data['dataIssueCounts'] as unknown as Counts;
};

const countsOf = ({ groups }: Counts): unknown[] =>
  groups.map(({ issueCount, cause, code, property }) => [Number(issueCount), cause, code, property]);

const total = async (args: string, principal = steward): Promise<number> => {
  const { data, codes } = await run(`{ dataIssues(${args}) { page { totalElements } } }`, {}, principal);
  expect(codes).toEqual([]);
  return (data['dataIssues'] as unknown as { page: { totalElements: number } }).page.totalElements;
};

interface Settlement {
  readonly matchedCount: bigint;
  readonly closedCount: number;
  readonly openCount: number;
  readonly failedCount: number;
  readonly remainingCount: bigint;
  readonly next: string | null;
  readonly results: readonly {
    readonly outcome: string;
    readonly code: string | null;
    readonly detail: string | null;
  }[];
}

const settle = async (input: Record<string, unknown>, principal = steward, zoneUuid = north): Promise<Settlement> => {
  const { data, codes } = await run(
    `mutation ($zoneUuid: Uuid!, $input: DataIssueSettlementInput!) {
       settleDataIssues(zoneUuid: $zoneUuid, input: $input) {
         matchedCount closedCount openCount failedCount remainingCount next results { outcome code detail }
       }
     }`,
    { zoneUuid, input },
    principal,
  );
  expect(codes).toEqual([]);
  return data['settleDataIssues'] as unknown as Settlement;
};

const outcomes = ({ results }: Settlement): string[] => results.map(({ outcome, code }) => code ?? outcome);

const settleText =
  'mutation ($z: Uuid!, $input: DataIssueSettlementInput!) { settleDataIssues(zoneUuid: $z, input: $input) { preview } }';

const setModel = async (properties: Record<string, unknown>): Promise<void> => {
  await database.prisma.domainVersion.update({
    where: { uuid: version.domainVersionUuid },
    data: { modelSchema: JSON.stringify({ properties }), changeVersion: { increment: 1 } },
  });
};

const properties = { id: { type: 'integer' }, name: { type: 'string' }, grade: { type: 'integer', maximum: 9 } };

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  [north, south] = [await seed.addZone('North'), await seed.addZone('South')];
  version = await seed.addVersion({ domainName: domain, domainType: 'FEDERATED', properties, drKeyProperties: ['id'] });
  const [first, second] = [
    await seed.addAdaptor({ name: 'north', zoneUuid: north, domains: [domain] }),
    await seed.addAdaptor({ name: 'south', zoneUuid: south, domains: [domain] }),
  ];
  server = await startRecords(database);
  inNorth = createBusAdaptor(server.bus, first, { domain, version: 1 });
  inSouth = createBusAdaptor(server.bus, second, { domain, version: 1 });
  await inNorth.connect();
  await inSouth.connect();
  // 70 events of a misspelt mapping, 3 of a wrong value, one of both
  for (let id = 1; id <= 70; id += 1) inNorth.send({ action: 'POST', json: { id, nmae: 'x' } });
  for (let id = 71; id <= 73; id += 1) inNorth.send({ action: 'POST', json: { id, grade: 99 } });
  inNorth.send({ action: 'POST', json: { id: 74, grade: 99, nmae: 'x' } });
  inNorth.send({ action: 'PATCH' as never, json: { id: 75 } });
  inSouth.send({ action: 'POST', json: { id: 1001, nmae: 'x' } });
  await eventually(async () => expect(await database.prisma.dataIssue.count()).toBe(76));
});
afterAll(async () => {
  await server?.close();
  await database.drop();
});

describe('issues of all zones', () => {
  it('are those of the zones whose issues the caller may read', async () => {
    const inBoth = await total('size: 1');
    expect(inBoth).toBe(76);
    const all: Grant = { action: 'GET', resource: '/issues' };
    const ofSouth = personWith([all, { action: 'GET', resource: `/zones/${south}/issues` }]);
    expect(await total('size: 1', ofSouth)).toBe(1);
    expect(await total('size: 1', personWith([all]))).toBe(0);
    const { codes } = await run('{ dataIssues { page { totalElements } } }', {}, personWith([]));
    expect(codes).toEqual(['FORBIDDEN']);
  });

  it('are found by cause, code and property', async () => {
    expect(await total('code: "UNKNOWN_PROPERTY"')).toBe(72);
    expect(await total('property: "nmae"')).toBe(72);
    expect(await total('property: "grade"')).toBe(4);
    expect(await total('property: "grade", code: "UNKNOWN_PROPERTY"')).toBe(0);
    expect(await total('cause: [UNREADABLE]')).toBe(1);
  });
});

describe('counts', () => {
  it('group issues by cause, the largest group first', async () => {
    const counts = await count(`zoneUuid: "${north}"`);
    expect([Number(counts.issueCount), Number(counts.openCount)]).toEqual([75, 75]);
    expect(countsOf(counts).slice(0, 2)).toEqual([
      [71, 'FAULTY', 'UNKNOWN_PROPERTY', 'nmae'],
      [4, 'FAULTY', 'OUT_OF_RANGE', 'grade'],
    ]);
    expect(counts.groups[0]?.adaptor).toEqual({ name: 'north' });
    expect(countsOf(await count(`zoneUuid: "${north}", size: 1`))).toHaveLength(1);
  });

  it('group by the requested members only, each issue once', async () => {
    const counts = await count('by: [CAUSE]');
    expect(countsOf(counts)).toEqual([
      [75, 'FAULTY', null, null],
      [1, 'UNREADABLE', null, null],
    ]);
    expect(counts.groupCount).toBe(2);
  });

  it('show a caller only the errors that the caller may see', async () => {
    expect(countsOf(await count(`zoneUuid: "${north}", cause: [FAULTY]`, clerk()))).toEqual([
      [74, 'FAULTY', null, null],
    ]);
    expect(await total('property: "grade"', clerk())).toBe(0);
    expect(await total('code: "OUT_OF_RANGE"', clerk())).toBe(0);
    expect(
      countsOf(
        await count(
          'by: [PROPERTY]',
          personWith([
            { action: 'GET', resource: '/issues/*' },
            { action: 'GET', resource: '/zones/*' },
          ]),
        ),
      ),
    ).toEqual([
      [75, null, null, null],
      [1, null, null, 'action'],
    ]);
  });

  it('refuse a size that is out of range', async () => {
    expect((await run('{ dataIssueCounts(size: 1001) { groupCount } }')).codes).toEqual(['INVALID_PARAMETER']);
  });
});

describe('settling many issues', () => {
  it('changes nothing in a preview', async () => {
    const preview = await settle({ preview: true, filter: { property: 'nmae' }, limit: 10 });
    expect([Number(preview.matchedCount), preview.closedCount, Number(preview.remainingCount)]).toEqual([71, 0, 61]);
    expect(new Set(outcomes(preview))).toEqual(new Set(['MATCHED']));
    expect(await total('status: [OPEN]')).toBe(76);
  });

  it('does not change issues that the caller may not PATCH', async () => {
    const one = await database.prisma.dataIssue.findFirstOrThrow({
      where: { zoneUuid: north },
      orderBy: { uuid: 'asc' },
    });
    const some = personWith([
      { action: 'POST', resource: `/zones/${north}/issues/settle` },
      { action: 'PATCH', resource: `/zones/${north}/issues/${one.uuid}` },
      { action: 'GET', resource: '/drs' },
    ]);
    const settled = await settle({ filter: { property: 'nmae' }, limit: 3 }, some);
    expect(outcomes(settled)).toEqual(['CLOSED', 'FORBIDDEN', 'FORBIDDEN']);
    expect([settled.closedCount, settled.failedCount, Number(settled.remainingCount)]).toEqual([1, 2, 68]);
    const { codes } = await run(
      settleText,
      { z: north, input: { all: true } },
      personWith([{ action: 'GET', resource: '/*' }]),
    );
    expect(codes).toEqual(['FORBIDDEN']);
  });

  it('reports a message that cannot be retried', async () => {
    const settled = await settle({ filter: { cause: ['UNREADABLE'] }, retry: true });
    expect(outcomes(settled)).toEqual(['CONFLICT']);
    expect(await total('cause: [UNREADABLE], status: [OPEN]')).toBe(1);
  });

  it('processes events again, and reports those that fail again', async () => {
    const first = await settle({ filter: { adaptor: inNorth.uuid, property: 'nmae' }, retry: true, limit: 65 });
    expect([first.closedCount, first.openCount, first.failedCount]).toEqual([0, 65, 0]);
    expect(first.results[0]).toEqual({
      outcome: 'OPEN',
      code: 'UNKNOWN_PROPERTY',
      detail: expect.stringContaining('nmae'),
    });
    expect(Number(first.remainingCount)).toBe(5);
    const second = await settle({ filter: { property: 'nmae' }, retry: true, after: first.next });
    expect([Number(second.matchedCount), second.openCount, second.next]).toEqual([5, 5, null]);
  });

  it('says why an event failed again only as far as the caller may see it', async () => {
    const retried = await settle({ filter: { adaptor: inNorth.uuid, cause: ['FAULTY'] }, retry: true }, clerk());
    expect(retried.openCount).toBeGreaterThan(0);
    expect(new Set(outcomes(retried))).toEqual(new Set(['FAULTY']));
    expect(JSON.stringify(retried.results)).not.toContain('nmae');
  });

  it('closes issues whose cause has been removed', async () => {
    await setModel({ ...properties, nmae: { type: 'string' } });
    const retried = await settle({ filter: { property: 'nmae' }, retry: true });
    expect(retried.closedCount).toBeGreaterThan(0);
    // the others follow when the server notices the new model; the last one has a wrong value too
    await eventually(async () => expect(await total(`zoneUuid: "${north}", cause: [FAULTY], status: [OPEN]`)).toBe(4));
    await eventually(async () => expect(await database.prisma.dataRecord.count()).toBe(70));
  });

  it('drops events, and those behind them follow', async () => {
    // in discovery mode: it does not replace the event that it waits behind
    inNorth.send({ action: 'PUT', discovery: true, json: { id: 71, grade: 1 } });
    await eventually(async () => expect(await database.prisma.dataIssue.count({ where: { cause: 'HELD' } })).toBe(1));
    const dropper = personWith([everything]);
    const settled = await settle({ filter: { code: 'OUT_OF_RANGE' } }, dropper);
    expect([settled.closedCount, Number(settled.remainingCount)]).toEqual([4, 0]);
    await eventually(async () => expect(await database.prisma.dataRecord.count()).toBe(71));
    const logged = await database.prisma.changeLogEntry.count({
      where: { resourceType: 'DataIssue', action: 'PATCH', actorUuid: dropper.uuid, zoneUuid: north },
    });
    expect(logged).toBe(4);
    // settled issues do not match again
    expect(Number((await settle({ filter: { code: 'OUT_OF_RANGE' } })).matchedCount)).toBe(0);
  });

  it('takes named issues of the zone only', async () => {
    inSouth.send({ action: 'POST', json: { id: 1002, grade: 99 } });
    const issues = await eventually(async () => {
      const found = await database.prisma.dataIssue.findMany({ where: { status: 'OPEN' } });
      expect(found).toHaveLength(2);
      return found;
    });
    const issueUuids = [...issues.map(({ uuid }) => uuid), randomUUID()];
    const settled = await settle({ issueUuids });
    expect(outcomes(settled)).toEqual(['CLOSED']);
    expect(await total(`zoneUuid: "${south}", status: [OPEN]`)).toBe(1);
  });

  it.each([{ limit: 0 }, { limit: 1001 }, { issueUuids: Array.from({ length: 1001 }, () => randomUUID()) }])(
    'refuses a value out of range: %#',
    async (input) => {
      const { codes } = await run(settleText, { z: north, input });
      expect(codes).toEqual(['VALIDATION_FAILED']);
    },
  );

  it.each([
    ['/filter', {}],
    ['/filter', { filter: {}, retry: true }],
    ['/filter', { filter: { type: 'GENERAL', code: null, cause: [] }, all: false }],
    ['/all', { all: true, issueUuids: [] }],
    ['/all', { all: true, filter: { code: 'OUT_OF_RANGE' } }],
  ])('refuses a body that does not select issues, with the pointer %s: %j', async (pointer, input) => {
    const before = await database.prisma.dataIssue.count({ where: { status: 'OPEN' } });
    expect((await run(settleText, { z: south, input })).pointers).toEqual([[pointer]]);
    expect(await database.prisma.dataIssue.count({ where: { status: 'OPEN' } })).toBe(before);
  });

  it('takes every open issue of a zone when all of them are named', async () => {
    const named = await settle({ preview: true }, steward, south);
    expect(Number(named.matchedCount)).toBe(1);
    expect(outcomes(await settle({ all: true }, steward, south))).toEqual(['CLOSED']);
  });
});
