import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { logChange } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { parseJson, type JsonObject } from '@fds/json';
import { compileGrants, type Grant } from '@fds/access-rules';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { eventually } from '@fds/testing';
import { createCatalogSeed, type CatalogSeed, type SeededVersion } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

const personWith = (...grants: readonly Grant[]): Principal => ({
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'steward',
  zones: [],
  defaultZoneUuid: undefined,
  permits: compileGrants(grants).permits,
});
const everything: Grant = { action: 'ALL', resource: '/*' };
const steward = personWith(everything);

const domain = 'Issued';
const properties = { id: { type: 'integer' }, name: { type: 'string', required: true } };

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let zoneUuid: string;
let version: SeededVersion;
let source: BusAdaptor;
/** May not delete: its DELETE waits, though it is valid, and later events of the record wait behind it. */
let holder: BusAdaptor;
let destination: BusAdaptor;

interface Issue {
  readonly uuid: string;
  readonly status: string;
  readonly title: string;
  readonly changeVersion: number;
  readonly dataEvent: { readonly json?: { readonly id: number }; readonly drKey?: { readonly id: number } } | null;
  readonly waitingCount: number;
}

const run = async (text: string, variables: Record<string, unknown> = {}, principal = steward) => {
  const contextValue = { principal, requestId: 'test' };
  const variableValues = { zoneUuid, ...variables };
  const answer = await graphql({ schema: server.subgraph.schema, source: text, variableValues, contextValue });
  return { data: answer.data ?? {}, errors: (answer.errors ?? []).map(({ extensions }) => extensions) };
};

const members = 'uuid status title changeVersion dataEvent waitingCount';

const list = async (filter = '', principal = steward): Promise<Issue[]> => {
  const text = `query ($zoneUuid: Uuid!) { dataIssues(zoneUuid: $zoneUuid, sort: "uuid" ${filter}) { data { ${members} } page { totalElements } } }`;
  const { data, errors } = await run(text, {}, principal);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  const { data: issues, page } = data['dataIssues'] as { data: (Issue & { dataEvent: string | null })[]; page: object };
  expect(page).toEqual({ totalElements: issues.length });
  return issues.map((issue) => ({
    ...issue,
    dataEvent: issue.dataEvent === null ? null : (JSON.parse(issue.dataEvent) as Issue['dataEvent']),
  }));
};

/** Issues of events of the record with this id, in the order in which they came. */
const ofRecord = async (id: number): Promise<Issue[]> =>
  (await list()).filter(({ dataEvent }) => (dataEvent?.json ?? dataEvent?.drKey)?.id === id);

const patch = (issueUuid: string, input: Record<string, unknown>) =>
  run(
    `mutation ($zoneUuid: Uuid!, $issueUuid: Uuid!, $input: DataIssueInput!) {
       patchDataIssue(zoneUuid: $zoneUuid, issueUuid: $issueUuid, input: $input) { ${members} issuePriority description }
     }`,
    { issueUuid, input },
  );

const statuses = async (id: number): Promise<string[]> =>
  (await ofRecord(id)).map(({ status, title, waitingCount }) => `${status} ${title}, ${waitingCount} wait`);

const notValid = 'The record is not valid';

const namesAtDestination = (id: number): unknown[] =>
  destination.applied.flatMap(({ event }) => {
    const record = JSON.parse(event.jsonData) as { id: number; name: string };
    return record.id === id ? record.name : [];
  });

const mayNot = 'The adaptor has no capability for the action and the domain version';

/** Reports a deletion that has to wait, and changes of the record that wait behind it. */
const report = async (id: number, names: readonly string[]): Promise<Issue[]> => {
  holder.send({ action: 'DELETE', drKey: { id } });
  for (const name of names) holder.send({ action: 'PUT', json: { id, name } });
  await eventually(async () => expect(await statuses(id)).toEqual([`OPEN ${mayNot}, ${names.length} wait`]));
  return ofRecord(id);
};

/** Reports a record that is not valid. */
const reportInvalid = async (id: number): Promise<Issue[]> => {
  source.send({ action: 'PUT', json: { id } });
  await eventually(async () => expect(await statuses(id)).toEqual([`OPEN ${notValid}, 0 wait`]));
  return ofRecord(id);
};

const changeModel = async (change: Record<string, unknown>): Promise<void> => {
  const { domainVersionUuid, domainUuid } = version;
  await database.prisma.$transaction(async (tx) => {
    await tx.domainVersion.update({
      where: { uuid: domainVersionUuid },
      data: { modelSchema: JSON.stringify({ properties: change }), changeVersion: { increment: 1 } },
    });
    await logChange(tx, {
      action: 'PUT',
      resourceType: 'DomainVersion',
      resource: `/domains/${domainUuid}/versions/${domainVersionUuid}`,
      resourceUuid: domainVersionUuid,
    });
  });
};

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  version = await seed.addVersion({ domainName: domain, domainType: 'FEDERATED', properties, drKeyProperties: ['id'] });
  const from = await seed.addAdaptor({ name: 'from', zoneUuid, domains: [domain] });
  const to = await seed.addAdaptor({ name: 'to', zoneUuid, domains: [domain] });
  server = await startRecords(database);
  source = createBusAdaptor(server.bus, from, { domain, version: 1 });
  destination = createBusAdaptor(server.bus, to, { domain, version: 1 });
  const held = await seed.addAdaptor({ name: 'held', zoneUuid, domains: [domain], actions: ['GET', 'POST', 'PUT'] });
  holder = createBusAdaptor(server.bus, held, { domain, version: 1 });
  await source.connect();
  await holder.connect();
  await destination.connect();
});
afterAll(async () => {
  await server?.close();
  await database.drop();
});

describe('an issue', () => {
  it('that is closed drops its event, and not the later ones', async () => {
    const [first] = await report(1, ['b', 'c']);
    const { data, errors } = await patch(first?.uuid ?? '', { status: 'CLOSED', changeVersion: 1 });
    expect(errors).toEqual([]);
    expect(data['patchDataIssue']).toMatchObject({ status: 'CLOSED', changeVersion: 2 });
    await eventually(() => expect(namesAtDestination(1)).toEqual(['b', 'c']));
    expect(await statuses(1)).toEqual([`CLOSED ${mayNot}, 0 wait`]);
  });

  it('that is deleted drops its event likewise', async () => {
    const [first] = await report(2, ['b']);
    const text = `mutation ($zoneUuid: Uuid!, $issueUuid: Uuid!, $changeVersion: Long) {
      deleteDataIssue(zoneUuid: $zoneUuid, issueUuid: $issueUuid, changeVersion: $changeVersion)
    }`;
    const stale = await run(text, { issueUuid: first?.uuid, changeVersion: 7 });
    expect(stale.errors).toMatchObject([{ code: 'STALE_CHANGE_VERSION' }]);
    expect((await run(text, { issueUuid: first?.uuid, changeVersion: 1 })).data).toEqual({ deleteDataIssue: true });
    await eventually(() => expect(namesAtDestination(2)).toEqual(['b']));
    expect(await ofRecord(2)).toHaveLength(0);
  });

  it('stays open if its event is tried again and fails again', async () => {
    const [first] = await report(3, ['b']);
    const { data, errors } = await patch(first?.uuid ?? '', {
      status: 'CLOSED',
      retry: true,
      description: 'tried',
      issuePriority: 'HIGH',
      changeVersion: 1,
    });
    expect(errors).toEqual([]);
    expect(data['patchDataIssue']).toMatchObject({
      status: 'OPEN',
      changeVersion: 2,
      description: 'tried',
      issuePriority: 'HIGH',
    });
    expect(await statuses(3)).toEqual([`OPEN ${mayNot}, 1 wait`]);
    const again = await patch(first?.uuid ?? '', { status: 'CLOSED', retry: true, changeVersion: 1 });
    expect(again.errors).toMatchObject([{ code: 'STALE_CHANGE_VERSION', currentChangeVersion: 2 }]);
  });

  it('continues by itself when the model has changed, those behind it after it', async () => {
    await reportInvalid(4);
    // not valid either: they do not replace the first one
    for (const note of ['b', 'c']) source.send({ action: 'PUT', json: { id: 4, note } });
    await eventually(async () => expect(await statuses(4)).toEqual([`OPEN ${notValid}, 2 wait`]));
    await changeModel({ ...properties, name: { type: 'string' }, note: { type: 'string' } });
    await eventually(async () => expect(await statuses(4)).toEqual([`CLOSED ${notValid}, 0 wait`]));
    const notes = () =>
      destination.applied.flatMap(({ event }) => {
        const record = JSON.parse(event.jsonData) as { id: number; note?: string };
        return record.id === 4 ? [record.note] : [];
      });
    await eventually(() => expect(notes()).toEqual([undefined, 'b', 'c']));
    await changeModel(properties);
  });

  it('is changed as its rules say, with every fault at once', async () => {
    const [issue] = await reportInvalid(5);
    const { errors } = await patch(issue?.uuid ?? '', {
      title: ' ',
      description: 'x'.repeat(4001),
      retry: true,
      matchStatus: 'RESOLVED',
      drUuid: randomUUID(),
    });
    const [fault] = errors as { errors: { pointer: string; code: string }[] }[];
    expect(fault?.errors.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/changeVersion CHANGE_VERSION_REQUIRED',
      '/description OUT_OF_RANGE',
      '/matchStatus NOT_ALLOWED',
      '/retry NOT_ALLOWED',
      '/title OUT_OF_RANGE',
    ]);
    await patch(issue?.uuid ?? '', { status: 'CLOSED', changeVersion: 1 });
    const reopened = await patch(issue?.uuid ?? '', { status: 'OPEN', changeVersion: 2 });
    expect(reopened.errors).toMatchObject([{ code: 'VALIDATION_FAILED', errors: [{ pointer: '/status' }] }]);
  });

  it('is logged with the user who changed it', async () => {
    const [issue] = await reportInvalid(6);
    await patch(issue?.uuid ?? '', { title: 'Look at this', changeVersion: 1 });
    await patch(issue?.uuid ?? '', { status: 'CLOSED', retry: true, description: 'tried', changeVersion: 2 });
    const entries = await database.prisma.changeLogEntry.findMany({
      where: { resourceUuid: issue?.uuid ?? '' },
      orderBy: { position: 'asc' },
    });
    expect(entries.map(({ action, actorUuid }) => [action, actorUuid])).toEqual([
      ['POST', source.uuid],
      ['PATCH', steward.uuid],
      ['PATCH', steward.uuid],
    ]);
    const logged = entries.map(({ data }) => parseJson(data ?? '') as JsonObject);
    expect(logged.map(({ title, description, changeVersion }) => [title, description, changeVersion])).toEqual([
      ['The record is not valid', null, 1],
      ['Look at this', null, 2],
      ['The record is not valid', 'tried', 3],
    ]);
    expect(logged[1]).toMatchObject({ adaptor: { uuid: source.uuid }, domainVersion: { versionNumber: 1 } });
    expect(logged.flatMap(Object.keys)).not.toContain('dataEvent');
  });
});

describe('the list', () => {
  it('is narrowed down and sorted', async () => {
    expect((await list(', status: [OPEN], exceptions: [PARSING]')).every(({ status }) => status === 'OPEN')).toBe(true);
    expect(await list(', matchStatus: [AMBIGUOUS, PRESUMED_NEW]')).toEqual([]);
    expect(await list(`, adaptor: "${destination.uuid}"`)).toEqual([]);
    expect((await list(', type: GENERAL')).length).toBe((await list(', type: DATA_EVENT_EXCEPTION')).length);
    const fields = [
      '-status',
      'issuePriority',
      '-adaptor.name',
      'domainVersion.domain.name',
      'domainVersion.versionNumber',
    ];
    const sorted = await run(
      `query ($zoneUuid: Uuid!, $sort: String) {
         dataIssues(zoneUuid: $zoneUuid, sort: $sort) { data { status issuePriority adaptor { name } domainVersion { versionNumber domain { name } } } }
       }`,
      { sort: fields.join() },
    );
    const { data } = sorted.data['dataIssues'] as { data: Issue[] };
    expect(data[0]).toMatchObject({
      status: 'OPEN',
      adaptor: { name: 'from' },
      domainVersion: { versionNumber: 1, domain: { name: domain } },
    });
    expect(data.map(({ status }) => status)).toEqual(
      data
        .map(({ status }) => status)
        .toSorted()
        .toReversed(),
    );
  });

  it('is of its place', async () => {
    const text = `query ($zoneUuid: Uuid!, $adaptorUuid: Uuid, $domainUuid: Uuid, $domainVersionUuid: Uuid) {
      dataIssues(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, domainUuid: $domainUuid, domainVersionUuid: $domainVersionUuid) { page { totalElements } }
    }`;
    const count = (await list(`, adaptor: "${source.uuid}"`)).length;
    expect((await run(text, { adaptorUuid: source.uuid, ...version })).data).toEqual({
      dataIssues: { page: { totalElements: count } },
    });
    expect((await run(text, { adaptorUuid: destination.uuid })).data).toEqual({
      dataIssues: { page: { totalElements: 0 } },
    });
    for (const place of [
      { adaptorUuid: randomUUID() },
      { zoneUuid: randomUUID() },
      { adaptorUuid: source.uuid, domainUuid: randomUUID(), domainVersionUuid: version.domainVersionUuid },
    ]) {
      expect((await run(text, place)).errors).toMatchObject([{ code: 'NOT_FOUND' }]);
    }
  });

  it('shows who may not read data records that something is wrong, and no data', async () => {
    const clerk = personWith({ action: 'ALL', resource: '/zones/*' });
    const issues = await list('', clerk);
    expect(issues).toHaveLength((await list()).length);
    expect(issues.every(({ dataEvent }) => dataEvent === null)).toBe(true);
  });

  it('is open to callers who may see it at an adaptor, there only', async () => {
    const atSource = personWith({ action: 'GET', resource: `/zones/${zoneUuid}/adaptors/${source.uuid}/issues` });
    const text = `query ($zoneUuid: Uuid!, $adaptorUuid: Uuid) { dataIssues(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid) { page { page } } }`;
    expect((await run(text, { adaptorUuid: source.uuid }, atSource)).errors).toEqual([]);
    expect((await run(text, {}, atSource)).errors).toMatchObject([{ code: 'FORBIDDEN' }]);
  });
});

describe('a match that is settled', () => {
  const born = { property: 'born', comparator: 'EXACT' } as const;
  const scores = (onReview: 'HOLD' | 'PRESUME_NEW') => ({
    type: 'SCORED' as const,
    rules: [{ all: [born] }],
    scores: [
      { property: 'name', comparator: 'NORMALIZED' as const, weight: 1 },
      { property: 'name', comparator: 'FUZZY' as const, maxEdits: 2, weight: 0.5 },
    ],
    thresholds: { match: 1, review: 0.5 },
    onReview,
  });

  const links = async (domainVersionUuid: string): Promise<number[]> => {
    const { rows } = await database.pool.query<{ count: number }>(
      `SELECT (SELECT count(*)::int FROM record_link l WHERE l.record_uuid = r.uuid) AS count
       FROM data_record r WHERE r.domain_version_uuid = $1 ORDER BY r.uuid`,
      [domainVersionUuid],
    );
    return rows.map(({ count }) => count);
  };

  it.each([
    ['HOLD', 'the candidate', [2]],
    ['HOLD', 'none', [1, 1]],
    ['PRESUME_NEW', 'the candidate', [2]],
  ] as const)('of %s with %s', async (onReview, decided, expected) => {
    const name = `Settled${onReview}${expected.length}`.replace('_', '');
    const { domainVersionUuid } = await seed.addVersion({
      domainName: name,
      domainType: 'FEDERATED',
      properties: { name: { type: 'string' }, born: { type: 'string', format: 'date' } },
      drKeyProperties: ['name', 'born'],
      matchingAlgorithm: scores(onReview),
    });
    const [a, b] = [
      createBusAdaptor(server.bus, await seed.addAdaptor({ name: `a ${name}`, zoneUuid, domains: [name] }), {
        domain: name,
        version: 1,
      }),
      createBusAdaptor(server.bus, await seed.addAdaptor({ name: `b ${name}`, zoneUuid, domains: [name] }), {
        domain: name,
        version: 1,
      }),
    ];
    await a.connect();
    await b.connect();
    a.send({ action: 'POST', json: { name: 'Ann Moor', born: '2000-01-01' } });
    await eventually(async () => expect(await links(domainVersionUuid)).toEqual([1]));
    b.send({ action: 'POST', json: { name: 'Ann Mohr', born: '2000-01-01' } });
    const [issue] = await eventually(async () => {
      const found = await list(`, adaptor: "${b.uuid}"`);
      expect(found).toHaveLength(1);
      return found;
    });
    const matches = await run(
      'query ($zoneUuid: Uuid!, $issueUuid: Uuid!) { dataIssueMatches(zoneUuid: $zoneUuid, issueUuid: $issueUuid, minScore: 0.4) { data { drUuid score } } }',
      { issueUuid: issue?.uuid },
    );
    const { data } = matches.data['dataIssueMatches'] as { data: { drUuid: string; score: number }[] };
    expect(data).toMatchObject([{ score: 0.5 }]);
    const settled = await patch(issue?.uuid ?? '', {
      status: 'CLOSED',
      matchStatus: 'RESOLVED',
      drUuid: decided === 'none' ? null : data[0]?.drUuid,
      changeVersion: 1,
    });
    expect(settled).toMatchObject({ errors: [], data: { patchDataIssue: { status: 'CLOSED' } } });
    await eventually(async () => expect(await links(domainVersionUuid)).toEqual(expected));
  });
});
