import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { UpDataEvent } from '@fds/adaptor-protocol';
import type { Principal } from '@fds/auth';
import { compileDataAccess, compileGrants } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

interface Issue {
  readonly uuid: string;
  readonly status: string;
  readonly title: string;
  readonly description: string | null;
  readonly waitingCount: number;
  readonly changeVersion: number;
}

interface Waiting {
  readonly data: readonly {
    readonly uuid: string;
    readonly transactionUuid: string | null;
    readonly action: string | null;
    readonly dataEvent: string | null;
  }[];
  readonly page: { readonly totalElements: number };
}

const domains = { FEDERATED: 'Shared', SERVICE_DATA_STORE: 'Stored' } as const;
const domain = domains.FEDERATED;
const properties = {
  id: { type: 'integer' },
  name: { type: 'string', required: true },
  note: { type: 'string' },
};

let database: TestDatabase;
let server: StartedRecords;
let zoneUuid: string;
let source: BusAdaptor;
/** May not delete: its DELETE waits, though it is valid, and later events of the record wait behind it. */
let holder: BusAdaptor;
let destination: BusAdaptor;

const personWith = (resource: string, rules: Partial<Principal> = {}): Principal => ({
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'steward',
  zones: [],
  defaultZoneUuid: undefined,
  permits: compileGrants([{ action: 'ALL', resource }]).permits,
  ...rules,
});
const steward = personWith('/*');

const run = async (text: string, variables: object = {}, principal = steward): Promise<Record<string, unknown>> => {
  const answer = await graphql({
    schema: server.subgraph.schema,
    source: text,
    variableValues: { zoneUuid, ...variables },
    contextValue: { principal, requestId: 'test' },
  });
  if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
  return answer.data ?? {};
};

const members = 'uuid status title description waitingCount changeVersion dataEvent';

/** Issues about the record, oldest first. */
const issuesOf = async (id: number): Promise<readonly Issue[]> => {
  const { dataIssues } = await run(
    `query ($zoneUuid: Uuid!) { dataIssues(zoneUuid: $zoneUuid, sort: "uuid", size: 1000) { data { ${members} } } }`,
  );
  const { data } = dataIssues as { data: readonly (Issue & { dataEvent: string })[] };
  return data.filter(({ dataEvent }) => new RegExp(`"id":${id}\\b`).test(dataEvent));
};

const openIssue = (id: number, waitingCount: number): Promise<Issue> =>
  eventually(async () => {
    const open = (await issuesOf(id)).filter(({ status }) => status === 'OPEN');
    expect(open.map((issue) => issue.waitingCount)).toEqual([waitingCount]);
    return open[0] as Issue;
  });

const waiting = async (issueUuid: string, paging = '', principal = steward): Promise<Waiting> => {
  const { dataIssueWaiting } = await run(
    `query ($zoneUuid: Uuid!, $issueUuid: Uuid!) {
       dataIssueWaiting(zoneUuid: $zoneUuid, issueUuid: $issueUuid ${paging}) {
         data { uuid transactionUuid action dataEvent } page { totalElements }
       }
     }`,
    { issueUuid },
    principal,
  );
  return dataIssueWaiting as Waiting;
};

const namesOf = ({ data }: Waiting): unknown[] =>
  data.map(({ dataEvent }) => (JSON.parse(dataEvent ?? '{}') as { json: { name?: string } }).json.name);

const close = ({ uuid: issueUuid, changeVersion }: Issue, more: object = {}) =>
  run(
    `mutation ($zoneUuid: Uuid!, $issueUuid: Uuid!, $input: DataIssueInput!) {
       patchDataIssue(zoneUuid: $zoneUuid, issueUuid: $issueUuid, input: $input) { ${members} }
     }`,
    { issueUuid, input: { status: 'CLOSED', changeVersion, ...more } },
  );

const hold = (id: number): void => holder.send({ action: 'DELETE', drKey: { id } });

const put = (id: number, json: Record<string, string | number>, of: string = domain, by = source): void =>
  by.send({ action: 'PUT', domain: of, json: { id, ...json } });

/** A message with a key that can be read and an action that no contract has. */
const sendUnreadable = (id: number, of: string = domain): void =>
  source.send({ action: 'UPSERT' as UpDataEvent['action'], domain: of, json: { id, name: 'unreadable' } });

const namesAtDestination = (id: number): unknown[] =>
  destination.applied.flatMap(({ event }) => {
    const record = JSON.parse(event.jsonData) as { id: number; name?: string };
    return record.id === id ? [record.name] : [];
  });

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  for (const [domainType, domainName] of Object.entries(domains)) {
    await seed.addVersion({
      domainName,
      domainType: domainType as keyof typeof domains,
      properties,
      drKeyProperties: ['id'],
    });
  }
  const names = Object.values(domains);
  const from = await seed.addAdaptor({ name: 'from', zoneUuid, domains: names });
  const to = await seed.addAdaptor({ name: 'to', zoneUuid, domains: names });
  server = await startRecords(database);
  source = createBusAdaptor(server.bus, from, { domain, version: 1 });
  destination = createBusAdaptor(server.bus, to, { domain, version: 1 });
  const held = await seed.addAdaptor({ name: 'held', zoneUuid, domains: names, actions: ['GET', 'POST', 'PUT'] });
  holder = createBusAdaptor(server.bus, held, { domain, version: 1 });
  await source.connect();
  await holder.connect();
  await destination.connect();
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

describe('events that wait behind an issue', () => {
  it('are counted and listed by it in their order, and are not issues', async () => {
    hold(1);
    for (const name of ['b', 'c', 'd']) put(1, { name }, domain, holder);
    const issue = await openIssue(1, 3);
    expect(await issuesOf(1)).toHaveLength(1);
    expect(namesOf(await waiting(issue.uuid))).toEqual(['b', 'c', 'd']);
    expect(namesOf(await waiting(issue.uuid, ', page: 1, size: 2'))).toEqual(['d']);
    expect(await waiting(issue.uuid, ', page: 5')).toMatchObject({ data: [], page: { totalElements: 3 } });
    const [event] = (await waiting(issue.uuid)).data;
    const dataEvent = JSON.parse(event?.dataEvent ?? '') as UpDataEvent;
    expect(event).toMatchObject({ transactionUuid: dataEvent.transactionUuid, action: 'PUT' });
    // not one of them is an issue by its uuid, or in the change log
    await expect(waiting(event?.uuid ?? '')).rejects.toThrow('no such issue');
    expect(await database.prisma.changeLogEntry.count({ where: { resourceUuid: event?.uuid ?? '' } })).toBe(0);
  });

  it('follow in order when the issue is closed, and leave nothing behind', async () => {
    await close(await openIssue(1, 3));
    await eventually(() => expect(namesAtDestination(1)).toEqual(['b', 'c', 'd']));
    expect((await issuesOf(1)).map(({ status, waitingCount }) => [status, waitingCount])).toEqual([['CLOSED', 0]]);
    expect(await database.prisma.dataIssue.count({ where: { cause: 'HELD' } })).toBe(0);
  });

  it('stop at the next one that cannot continue: it becomes an issue, with version 1 and an entry in the change log', async () => {
    hold(2);
    put(2, { name: 'b' }, domain, holder);
    hold(2);
    put(2, { name: 'd' }, domain, holder);
    await close(await openIssue(2, 3));
    const next = await openIssue(2, 1);
    expect(next.title).toContain('no capability');
    expect(next.changeVersion).toBe(1);
    await eventually(() => expect(namesAtDestination(2)).toEqual(['b']));
    expect(namesOf(await waiting(next.uuid))).toEqual(['d']);
    const entries = await database.prisma.changeLogEntry.findMany({ where: { resourceUuid: next.uuid } });
    expect(entries.map(({ action }) => action)).toEqual(['POST']);
    await close(next);
    await eventually(() => expect(namesAtDestination(2)).toEqual(['b', 'd']));
  });

  /** The issue of the deletion that followed: it names the record by its uuid. */
  const followed = (drUuid: string): Promise<void> =>
    eventually(async () => {
      const { rows } = await database.pool.query<{ cause: string; status: string }>(
        'SELECT cause, status FROM data_issue WHERE adaptor_uuid = $1 AND data_event LIKE $2',
        [holder.uuid, `%${drUuid}%`],
      );
      expect(rows).toEqual([{ cause: 'FAULTY', status: 'OPEN' }]);
    });

  it('may name the record by its uuid alone', async () => {
    put(4, { name: 'a' }, domain, holder);
    await eventually(() => expect(namesAtDestination(4)).toEqual(['a']));
    hold(4);
    await openIssue(4, 0);
    const { uuid: drUuid } = await database.prisma.recordLink
      .findFirstOrThrow({ where: { adaptorUuid: holder.uuid, drKey: { equals: { id: 4 } } } })
      .then(({ recordUuid }) => ({ uuid: recordUuid }));
    holder.send({ action: 'DELETE', drUuid });
    const issue = await openIssue(4, 1);
    expect((await waiting(issue.uuid)).data).toMatchObject([{ action: 'DELETE' }]);
    await close(issue);
    await followed(drUuid);
  });

  it('may name by its uuid alone a record that their adaptor has not linked', async () => {
    put(5, { name: 'a' });
    const drUuid = await eventually(() => {
      const message = holder.applied.find(({ event }) => event.jsonData.includes('"id":5'));
      return message?.event.drUuid ?? Promise.reject(new Error('not applied'));
    });
    hold(5);
    await openIssue(5, 0);
    holder.send({ action: 'DELETE', drUuid });
    const issue = await openIssue(5, 1);
    expect((await waiting(issue.uuid)).data).toMatchObject([{ action: 'DELETE' }]);
    await close(issue);
    await followed(drUuid);
  });

  it('are masked as the issue is', async () => {
    hold(3);
    put(3, { name: 'hidden', note: 'shown' }, domain, holder);
    const issue = await openIssue(3, 1);
    const rule = {
      effect: 'DENY',
      actions: null,
      zoneUuid: null,
      adaptorUuid: null,
      domainUuid: null,
      domainVersionUuid: null,
      properties: ['name'],
      drUuids: null,
    } as const;
    const reader = personWith('/*', { dataAccess: compileDataAccess([[rule]], new Map()) });
    const [masked] = (await waiting(issue.uuid, '', reader)).data;
    expect(JSON.parse(masked?.dataEvent ?? '')).toMatchObject({ json: { id: 3, note: 'shown' } });
    expect(masked?.dataEvent).not.toContain('hidden');
    const clerk = personWith('/zones/*');
    expect(await waiting(issue.uuid, '', clerk)).toMatchObject({
      data: [{ transactionUuid: null, action: null, dataEvent: null }],
      page: { totalElements: 1 },
    });
    await expect(waiting(issue.uuid, '', personWith(`/zones/${zoneUuid}/issues/?`))).rejects.toThrow();
  });
});

describe('an event that cannot be read', () => {
  const isSuperseded = async (id: number): Promise<void> =>
    eventually(async () => {
      const [issue] = await issuesOf(id);
      expect(issue).toMatchObject({ status: 'CLOSED', title: 'The message is not a data event' });
      expect(issue?.description).toMatch(
        /^A later complete event of the record replaced this one \(transaction .+\)\.$/,
      );
    });

  it('is replaced by a later complete event', async () => {
    sendUnreadable(11);
    await openIssue(11, 0);
    put(11, { name: 'complete' });
    await eventually(() => expect(namesAtDestination(11)).toEqual(['complete']));
    await isSuperseded(11);
  });

  it('is replaced within a batch too, and by a deletion', async () => {
    sendUnreadable(12);
    put(12, { name: 'complete' });
    sendUnreadable(12);
    source.send({ action: 'DELETE', drKey: { id: 12 } });
    await eventually(async () =>
      expect((await issuesOf(12)).map(({ status }) => status)).toEqual(['CLOSED', 'CLOSED']),
    );
    await eventually(() => expect(destination.applied.at(-1)?.event.action).toBe('DELETE'));
  });

  it('delays a part of a record, which is processed before the complete event', async () => {
    const stored = domains.SERVICE_DATA_STORE;
    put(13, { name: 'first', note: 'first' }, stored);
    await eventually(() => expect(namesAtDestination(13)).toEqual(['first']));
    sendUnreadable(13, stored);
    put(13, { note: 'part' }, stored);
    await openIssue(13, 1);
    put(13, { name: 'complete' }, stored);
    await isSuperseded(13);
    // the part is not lost: the complete event does not name the property that the part changed
    await eventually(async () => {
      const { rows } = await database.pool.query<{ json: unknown }>(
        `SELECT json FROM data_record WHERE dr_key = '{"id":13}' AND json IS NOT NULL`,
      );
      expect(rows).toEqual([{ json: { id: 13, name: 'complete', note: 'part' } }]);
    });
    expect(await database.prisma.dataIssue.count({ where: { cause: 'HELD' } })).toBe(1);
  });

  it('waits behind another issue, and is replaced when its turn comes', async () => {
    hold(14);
    holder.send({ action: 'UPSERT' as UpDataEvent['action'], json: { id: 14, name: 'unreadable' } });
    put(14, { name: 'complete' }, domain, holder);
    const issue = await openIssue(14, 2);
    await close(issue);
    await eventually(() => expect(namesAtDestination(14)).toEqual(['complete']));
    expect((await issuesOf(14)).map(({ status }) => status)).toEqual(['CLOSED', 'CLOSED']);
  });

  it('is replaced by a deletion that names the record by its uuid alone', async () => {
    put(16, { name: 'a' });
    await eventually(() => expect(namesAtDestination(16)).toEqual(['a']));
    const { recordUuid: drUuid } = await database.prisma.recordLink.findFirstOrThrow({
      where: { adaptorUuid: source.uuid, drKey: { equals: { id: 16 } } },
    });
    sendUnreadable(16);
    await openIssue(16, 0);
    source.send({ action: 'DELETE', drUuid });
    await isSuperseded(16);
    await eventually(() => expect(destination.applied.at(-1)?.event).toMatchObject({ action: 'DELETE', drUuid }));
  });

  it('does not continue by a retry', async () => {
    sendUnreadable(15);
    await expect(close(await openIssue(15, 0), { retry: true })).rejects.toThrow('cannot be processed again');
  });
});

describe('30 000 events behind an issue', () => {
  const many = 30_000;
  let issue: Issue;

  beforeAll(async () => {
    hold(20);
    hold(20);
    issue = await openIssue(20, 1);
    // as so many of the source would be stored: copies of the one that waits, in the order of time
    await database.pool.query(
      `INSERT INTO data_issue (uuid, title, exception, zone_uuid, adaptor_uuid, domain_version_uuid, key_digest, cause,
                               data_event, errors, issue_priority)
       SELECT (substr(uuid::text, 1, 14) || '7fff-bfff-' || lpad(to_hex(n), 12, '0'))::uuid, title, exception, zone_uuid, adaptor_uuid,
              domain_version_uuid, key_digest, cause, jsonb_set(data_event::jsonb, '{json,name}', to_jsonb(n::text))::text,
              errors, issue_priority
       FROM (SELECT * FROM data_issue WHERE cause = 'HELD' AND uuid > $1 ORDER BY uuid DESC LIMIT 1) one,
            generate_series(1, $2::int) n`,
      [issue.uuid, many],
    );
    await database.pool.query('ANALYZE data_issue');
  }, 120_000);

  it('are counted and paged without reading them all', async () => {
    const found = await eventually(async () => {
      const [one] = await issuesOf(20);
      expect(one?.waitingCount).toBeGreaterThanOrEqual(many);
      return one as Issue;
    });
    const startMs = performance.now();
    const first = await waiting(found.uuid, ', size: 10');
    const firstMs = performance.now() - startMs;
    expect(first.data).toHaveLength(10);
    const last = await waiting(found.uuid, `, page: ${Math.ceil(found.waitingCount / 10) - 1}, size: 10`);
    const lastMs = performance.now() - startMs - firstMs;
    expect(last.data.length).toBeGreaterThan(0);
    expect(lastMs).toBeLessThan(Math.max(10 * firstMs, 500));
    // the list of issues reads none of them
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT uuid FROM data_issue i WHERE i.cause IS DISTINCT FROM 'HELD' AND i.zone_uuid = '${zoneUuid}'
       ORDER BY i.uuid DESC LIMIT 50`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/listed_idx/);
  });

  it('are tried a page at a time: those behind one that cannot continue are not read', async () => {
    const { rows: before } = await database.pool.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM data_issue WHERE cause = 'HELD' AND status = 'OPEN'`,
    );
    const startMs = performance.now();
    await close(issue);
    const next = await eventually(async () => {
      const open = (await issuesOf(20)).filter(({ status }) => status === 'OPEN');
      expect(open).toHaveLength(1);
      expect(open[0]?.uuid).not.toBe(issue.uuid);
      return open[0] as Issue;
    });
    await eventually(async () => {
      const { rows } = await database.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM data_issue WHERE cause = 'HELD' AND status = 'OPEN'`,
      );
      expect(rows[0]?.waiting).toBe((before[0]?.waiting ?? 0) - 1);
    });
    expect(next.waitingCount).toBeGreaterThanOrEqual(many - 1);
    // a pass over all of them takes longer by far
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });
});

describe('pages of large events', () => {
  /** Copies of an issue, each with an event of 250 000 characters. */
  const copy = (issueUuid: string, count: number, cause: string): Promise<unknown> =>
    database.pool.query(
      `INSERT INTO data_issue
       SELECT copy.*
       FROM data_issue i, generate_series(1, $2) n, jsonb_populate_record(i, jsonb_build_object(
              'uuid', 'ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n + CASE $3 WHEN 'HELD' THEN 0 ELSE 4096 END), 12, '0'),
              'cause', $3::text, 'data_event', jsonb_build_object('json', jsonb_build_object('id', 900, 'note', repeat('x', 250000)))::text
            )) copy
       WHERE i.uuid = $1`,
      [issueUuid, count, cause],
    );

  it('are refused with the advice to ask for a smaller one', async () => {
    sendUnreadable(900);
    const { uuid } = await openIssue(900, 0);
    await copy(uuid, 160, 'HELD');
    const listed = (size: number) =>
      run(
        `query ($zoneUuid: Uuid!) { dataIssues(zoneUuid: $zoneUuid, size: ${size}) { data { uuid dataEvent } } }`,
      ) as Promise<{ dataIssues: { data: unknown[] } }>;
    const refusal = /ask for a smaller page.*QUERY_TOO_COMPLEX/;
    try {
      await expect(waiting(uuid, ', size: 1000')).rejects.toThrow(refusal);
      expect((await waiting(uuid, ', size: 50')).data).toHaveLength(50);
      await copy(uuid, 160, 'UNREADABLE');
      await expect(listed(1000)).rejects.toThrow(refusal);
      expect((await listed(50)).dataIssues.data).toHaveLength(50);
    } finally {
      await database.pool.query("DELETE FROM data_issue WHERE uuid >= 'ffffffff-ffff-7fff-8fff-000000000000'");
    }
  });
});
