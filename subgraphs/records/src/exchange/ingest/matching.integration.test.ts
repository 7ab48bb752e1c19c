import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { Principal } from '@fds/auth';
import { stringifyJson, type JsonObject } from '@fds/json';
import type { MatchingAlgorithm } from '@fds/matching';
import { graphql } from 'graphql';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { eventually } from '@fds/testing';
import { findScans } from '../../testing/find-scans.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

let database: TestDatabase;
let seed: CatalogSeed;
let first: StartedRecords;
let second: StartedRecords;
let zoneUuid: string;
let domains = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  first = await startRecords(database);
  second = await startRecords(database);
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await database.drop();
});

const properties = {
  name: { type: 'string' },
  born: { type: 'string', format: 'date' },
  town: { type: 'string' },
};
const sameBirth = { property: 'born', comparator: 'EXACT' } as const;
const byRules: MatchingAlgorithm = {
  type: 'RULES',
  rules: [
    { all: [{ property: 'name', comparator: 'NORMALIZED' }, sameBirth] },
    { all: [{ property: 'name', comparator: 'FUZZY', maxEdits: 1 }, sameBirth] },
  ],
};
const byScores = (onReview: 'HOLD' | 'PRESUME_NEW' | 'PRESUME_MATCH'): MatchingAlgorithm => ({
  type: 'SCORED',
  rules: [{ all: [sameBirth] }],
  scores: [
    { property: 'name', comparator: 'NORMALIZED', weight: 1 },
    { property: 'name', comparator: 'FUZZY', maxEdits: 2, weight: 0.5 },
  ],
  thresholds: { match: 1, review: 0.5 },
  onReview,
});

interface World {
  readonly domainVersionUuid: string;
  readonly adaptors: readonly [BusAdaptor, BusAdaptor, BusAdaptor];
}

/** A domain with three adaptors; the second one is on another process. */
const createWorld = async (
  matchingAlgorithm: MatchingAlgorithm | undefined,
  domainType: 'FEDERATED' | 'SERVICE_DATA_STORE' = 'FEDERATED',
): Promise<World> => {
  domains += 1;
  const domain = `Person${domains}`;
  const { domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType,
    properties,
    drKeyProperties: ['name', 'born'],
    ...(matchingAlgorithm === undefined ? {} : { matchingAlgorithm }),
  });
  const connect = async (name: string, { bus }: StartedRecords): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name: `${name} of ${domain}`, zoneUuid, domains: [domain] });
    const adaptor = createBusAdaptor(bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  const adaptors = [await connect('a', first), await connect('b', second), await connect('c', first)] as const;
  return { domainVersionUuid, adaptors };
};

const born = '2000-01-01';
const report = (adaptor: BusAdaptor, json: JsonObject): void =>
  adaptor.send({ action: 'POST', json: { born, ...json } });

/** Links by record: `a=Ann b=ANN`, a line a record. */
const records = async ({ domainVersionUuid }: World): Promise<string[]> => {
  const { rows } = await database.pool.query<{ links: string | null }>(
    `SELECT (SELECT string_agg(left(a.name, 1) || '=' || (l.dr_key->>'name'), ' ' ORDER BY a.name)
             FROM record_link l JOIN adaptor a ON a.uuid = l.adaptor_uuid WHERE l.record_uuid = r.uuid) AS links
     FROM data_record r WHERE r.domain_version_uuid = $1 ORDER BY r.uuid`,
    [domainVersionUuid],
  );
  return rows.map(({ links }) => links ?? '-');
};

interface IssueRow {
  readonly uuid: string;
  readonly cause: string;
  readonly match_status: string;
  readonly exception: string;
  readonly status: string;
  readonly record_uuid: string | null;
  readonly event_uuid: string | null;
  readonly matches: readonly {
    readonly score: number | null;
    readonly dr_key: JsonObject;
    readonly comparisons: unknown;
  }[];
}

const issues = async ({ domainVersionUuid }: World): Promise<readonly IssueRow[]> => {
  const { rows } = await database.pool.query<IssueRow>(
    `SELECT i.*, (SELECT coalesce(jsonb_agg(m ORDER BY m.number), '[]') FROM issue_match m WHERE m.issue_uuid = i.uuid) AS matches
     FROM data_issue i WHERE i.domain_version_uuid = $1 ORDER BY i.uuid`,
    [domainVersionUuid],
  );
  return rows;
};

const statuses = async ({ domainVersionUuid }: World): Promise<string[]> => {
  const { rows } = await database.pool.query<{ line: string }>(
    `SELECT action || ' ' || match_status AS line FROM data_event WHERE domain_version_uuid = $1 ORDER BY uuid`,
    [domainVersionUuid],
  );
  return rows.map(({ line }) => line);
};

describe('rules', () => {
  it('find the one record, by the keys of links too, within a batch and across processes', async () => {
    const world = await createWorld(byRules);
    const [a, b, c] = world.adaptors;
    report(a, { name: 'Zoë Smith', town: 'Bern' });
    await eventually(async () => expect(await records(world)).toEqual(['a=Zoë Smith']));
    report(b, { name: 'ZOE SMYTH', town: 'Basel' });
    await eventually(async () => expect(await records(world)).toEqual(['a=Zoë Smith b=ZOE SMYTH']));
    // near to b's key only
    report(c, { name: 'zoe smythe', town: 'Chur' });
    await eventually(async () => expect(await records(world)).toEqual(['a=Zoë Smith b=ZOE SMYTH c=zoe smythe']));
    expect(await statuses(world)).toEqual(['POST PRESUMED_NEW', 'PUT RESOLVED', 'PUT RESOLVED']);
    expect(await issues(world)).toEqual([]);
  });

  it('see what the batch has made before', async () => {
    const world = await createWorld(byRules);
    const [a] = world.adaptors;
    for (const name of ['Ann Lee', 'Bob Roe', 'ANN LEE', 'Ann Leo']) report(a, { name });
    await eventually(async () => expect(await records(world)).toEqual(['a=Ann Leo', 'a=Bob Roe']));
    await eventually(() => expect(a.acknowledged).toBe(4));
  });

  it('make one record of simultaneous reports at two processes', async () => {
    const world = await createWorld(byRules);
    const [a, b] = world.adaptors;
    const names = Array.from({ length: 24 }, (_, index) => `Person ${String.fromCharCode(65 + index)}x`.repeat(2));
    for (const name of names) {
      report(a, { name });
      report(b, { name: name.toUpperCase() });
    }
    await eventually(() => expect([a.acknowledged, b.acknowledged]).toEqual([names.length, names.length]));
    const found = await records(world);
    expect(found).toHaveLength(names.length);
    expect(found.every((links) => links.includes('a=') && links.includes('b='))).toBe(true);
    expect(await issues(world)).toEqual([]);
  });

  it('leave open which of several is meant: the event waits with candidates, and nothing else does', async () => {
    const world = await createWorld(byRules);
    const [a, b] = world.adaptors;
    report(a, { name: 'Maria Hug' });
    report(a, { name: 'Marib Hux' });
    await eventually(async () => expect(await records(world)).toHaveLength(2));
    report(b, { name: 'Maria Hux', town: 'Bern' });
    report(b, { name: 'Maria Hux', town: 'Basel' });
    report(b, { name: 'Other' });
    await eventually(async () => expect(await records(world)).toEqual(['a=Maria Hug', 'a=Marib Hux', 'b=Other']));
    const [ambiguous, behind, ...more] = await issues(world);
    expect(more).toEqual([]);
    expect(ambiguous).toMatchObject({
      cause: 'AMBIGUOUS',
      exception: 'MATCHING',
      match_status: 'AMBIGUOUS',
      status: 'OPEN',
    });
    expect(behind).toMatchObject({ cause: 'HELD', matches: [] });
    expect(ambiguous?.matches.map(({ dr_key }) => dr_key['name'])).toEqual(['Maria Hug', 'Marib Hux']);
    expect(ambiguous?.matches[0]).toMatchObject({
      score: null,
      comparisons: [
        {
          property: 'name',
          comparator: 'FUZZY',
          maxEdits: 1,
          source: 'Maria Hux',
          destination: 'Maria Hug',
          holds: true,
        },
        { property: 'born', comparator: 'EXACT', source: born, destination: born, holds: true },
      ],
    });
  });

  it('never come before a key that is equal, and do not find records to delete', async () => {
    const world = await createWorld(byRules);
    const [a, b] = world.adaptors;
    report(a, { name: 'Eva Ott' });
    await eventually(async () => expect(await records(world)).toHaveLength(1));
    b.send({ action: 'DELETE', drKey: { name: 'EVA OTT', born } });
    report(b, { name: 'Eva Ott' });
    await eventually(async () => expect(await records(world)).toEqual(['a=Eva Ott b=Eva Ott']));
  });
});

describe('scores', () => {
  it('park the events in question', async () => {
    const world = await createWorld(byScores('HOLD'));
    const [a, b] = world.adaptors;
    report(a, { name: 'Ann Moor' });
    await eventually(async () => expect(await records(world)).toHaveLength(1));
    report(b, { name: 'Ann Mohr' });
    report(b, { name: 'ann, moor' });
    await eventually(async () => expect(await records(world)).toEqual(['a=Ann Moor b=ann, moor']));
    expect(await issues(world)).toMatchObject([{ cause: 'AMBIGUOUS', event_uuid: null, matches: [{ score: 0.5 }] }]);
  });

  it.each([
    ['PRESUME_NEW', 'PRESUMED_NEW', ['a=Ann Moor', 'b=Ann Mohr'], 'POST PRESUMED_NEW'],
    ['PRESUME_MATCH', 'PRESUMED_MATCH', ['a=Ann Moor b=Ann Mohr'], 'PUT PRESUMED_MATCH'],
  ] as const)('with %s let it continue, and report it', async (onReview, matchStatus, expected, event) => {
    const world = await createWorld(byScores(onReview));
    const [a, b] = world.adaptors;
    report(a, { name: 'Ann Moor' });
    await eventually(async () => expect(await records(world)).toHaveLength(1));
    report(b, { name: 'Ann Mohr', town: 'Bern' });
    report(b, { name: 'Ann Mohr', town: 'Basel' });
    await eventually(() => expect(b.acknowledged).toBe(2));
    expect(await records(world)).toEqual(expected);
    expect((await statuses(world))[1]).toBe(event);
    const [issue, ...more] = await issues(world);
    expect(more).toEqual([]);
    const { rows } = await database.pool.query<{ uuid: string }>('SELECT uuid FROM data_event WHERE uuid = $1', [
      issue?.event_uuid,
    ]);
    expect(rows).toHaveLength(1);
    expect(issue).toMatchObject({
      cause: 'PRESUMED',
      match_status: matchStatus,
      status: 'OPEN',
      matches: [{ score: 0.5 }],
    });
  });
});

describe('an algorithm that changes', () => {
  it('finds the records that exist, from every source and of every age', async () => {
    const world = await createWorld(undefined);
    const [a, b] = world.adaptors;
    report(a, { name: 'Ann Lee' });
    report(a, { name: 'ANN LEE' });
    await eventually(async () => expect(await records(world)).toHaveLength(2));
    await seed.changeMatching(world.domainVersionUuid, byRules);
    report(b, { name: 'Ann Leo' });
    await eventually(async () => expect(await issues(world)).toMatchObject([{ cause: 'AMBIGUOUS' }]));
    await seed.changeMatching(world.domainVersionUuid, undefined);
    // no record is similar now: the event that waited continues by itself
    await eventually(async () => expect(await issues(world)).toMatchObject([{ status: 'CLOSED' }]));
    report(b, { name: 'Bob Ray' });
    await eventually(async () => expect(await records(world)).toHaveLength(4));
    await eventually(async () => {
      const { rows } = await database.pool.query('SELECT FROM match_token WHERE domain_version_uuid = $1', [
        world.domainVersionUuid,
      ]);
      expect(rows).toEqual([]);
    });
    await seed.changeMatching(world.domainVersionUuid, byRules);
    report(a, { name: 'BOB RAY' });
    await eventually(async () => expect(await records(world)).toContain('a=BOB RAY b=Bob Ray'));
  });
});

const steward: Principal = {
  kind: 'PERSON',
  uuid: '019a5d2e-0000-7000-8000-00000000aaaa',
  username: 'steward',
  zones: [],
  defaultZoneUuid: undefined,
  permits: () => true,
};

/** The effect that a report of an adaptor would have. */
const dryRun = async ({ domainVersionUuid }: World, adaptor: BusAdaptor, json: JsonObject) => {
  const { data, errors } = await graphql({
    schema: first.subgraph.schema,
    source: `query ($zoneUuid: Uuid!, $input: AclDryRunInput!) {
      result: aclDryRun(zoneUuid: $zoneUuid, input: $input) { drUuid matchStatus messages { destinationAdaptorUuid } }
    }`,
    variableValues: {
      zoneUuid,
      input: {
        action: 'POST',
        sourceAdaptorUuid: adaptor.uuid,
        domainVersionUuid,
        jsonData: stringifyJson({ born, ...json }),
      },
    },
    contextValue: { principal: steward, requestId: 'test' },
  });
  expect(errors).toBeUndefined();
  return data?.['result'];
};

describe('an event that waits', () => {
  it('continues with any record that a steward names, followed by the events behind it', async () => {
    const world = await createWorld(byRules);
    const [a, b] = world.adaptors;
    for (const name of ['Maria Hug', 'Marib Hux', 'Completely Else']) report(a, { name });
    await eventually(async () => expect(await records(world)).toHaveLength(3));
    report(b, { name: 'Maria Hux', town: 'Bern' });
    report(b, { name: 'Maria Hux', town: 'Basel' });
    await eventually(async () => expect(await issues(world)).toHaveLength(2));
    const [issue] = await issues(world);
    const { rows } = await database.pool.query<{ uuid: string }>(
      `SELECT uuid FROM data_record WHERE domain_version_uuid = $1 AND dr_key->>'name' = 'Completely Else'`,
      [world.domainVersionUuid],
    );
    const { errors } = await graphql({
      schema: first.subgraph.schema,
      source: `mutation ($zoneUuid: Uuid!, $issueUuid: Uuid!, $input: DataIssueInput!) {
        patchDataIssue(zoneUuid: $zoneUuid, issueUuid: $issueUuid, input: $input) { status }
      }`,
      variableValues: {
        zoneUuid,
        issueUuid: issue?.uuid,
        input: { status: 'CLOSED', matchStatus: 'RESOLVED', drUuid: rows[0]?.uuid, changeVersion: 1 },
      },
      contextValue: { principal: steward, requestId: 'test' },
    });
    expect(errors).toBeUndefined();
    await eventually(async () => {
      // the event that only waited behind it is not an issue
      expect((await issues(world)).map(({ status }) => status)).toEqual(['CLOSED']);
      expect(await records(world)).toEqual(['a=Maria Hug', 'a=Marib Hux', 'a=Completely Else b=Maria Hux']);
    });
  });
});

describe('a dry run', () => {
  it.each(['HOLD', 'PRESUME_NEW', 'PRESUME_MATCH'] as const)(
    'shows the effect of %s on an event, and changes nothing',
    async (onReview) => {
      const world = await createWorld(byScores(onReview));
      const [a, b] = world.adaptors;
      // no caller has asked for candidates yet
      expect(await dryRun(world, b, { name: 'Ann Mohr' })).toMatchObject({ matchStatus: 'PRESUMED_NEW', drUuid: null });
      report(a, { name: 'Ann Moor', town: 'Bern' });
      await eventually(async () => expect(await records(world)).toHaveLength(1));
      const { rows } = await database.pool.query<{ uuid: string }>(
        'SELECT uuid FROM data_record WHERE domain_version_uuid = $1',
        [world.domainVersionUuid],
      );
      const [drUuid, status] = {
        HOLD: [null, 'AMBIGUOUS'],
        PRESUME_NEW: [null, 'PRESUMED_NEW'],
        PRESUME_MATCH: [rows[0]?.uuid, 'PRESUMED_MATCH'],
      }[onReview];
      const inQuestion = await dryRun(world, b, { name: 'Ann Mohr', town: 'Basel' });
      expect(inQuestion).toMatchObject({ drUuid, matchStatus: status });
      expect(await dryRun(world, b, { name: 'ANN MOOR', town: 'Basel' })).toMatchObject({
        drUuid: rows[0]?.uuid,
        matchStatus: 'RESOLVED',
      });
      expect(await records(world)).toEqual(['a=Ann Moor']);
      expect(await issues(world)).toEqual([]);
    },
  );
});

it('finds every row by an index in the statements of batches', async () => {
  expect(await findScans(database)).toEqual([]);
});
