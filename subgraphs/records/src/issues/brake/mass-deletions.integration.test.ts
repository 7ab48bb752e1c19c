import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Assembler, AssemblyRequest } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { compileDataAccess, compileGrants } from '@fds/access-rules';
import { logChange } from '@fds/database';
import type { JsonObject } from '@fds/json';
import { eventually } from '@fds/testing';
import { graphql } from 'graphql';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { findScans } from '../../testing/find-scans.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';
import { startRecords } from '../../testing/start-records.js';

interface Issue {
  readonly uuid: string;
  readonly status: string;
  readonly description: string | null;
  readonly exception: string;
  readonly cause: string;
  readonly drUuid: string | null;
  readonly waitingCount: number;
  readonly changeVersion: number;
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

interface Waiting {
  readonly data: readonly {
    readonly uuid: string;
    readonly action: string | null;
    readonly dataEvent: string | null;
  }[];
  readonly page: { readonly totalElements: number };
}

/** Values of records by their uuids, as another system holds them; undefined: it does not answer. */
let answers: ((drUuid: string) => JsonObject | undefined) | undefined;
const asked: AssemblyRequest[] = [];
/** Stands for the engine of another part: it answers with the values that the other systems hold. */
const assembler: Assembler = {
  assemble: (request) => {
    asked.push(request);
    const [adaptorUuid = ''] = request.adaptors ?? [];
    const assembledDataRecords = (request.drUuids ?? []).flatMap((uuid) => {
      const data = answers?.(uuid);
      if (data === undefined) return [];
      const provenance = Object.fromEntries(
        Object.keys(data).map((name) => [name, { adaptorUuid, tier: 'BRONZE' as const }]),
      );
      return [{ uuid, data, status: 'FALLBACK' as const, drKey: {}, adaptors: [], provenance }];
    });
    return Promise.resolve({ assembledDataRecords } as unknown as Awaited<ReturnType<Assembler['assemble']>>);
  },
  assembleProgressively: () => {
    throw new TypeError('no progressive answer is needed here');
  },
};

const personWith = (rules: Partial<Principal> = {}): Principal => ({
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'steward',
  zones: [],
  defaultZoneUuid: undefined,
  permits: compileGrants([{ action: 'ALL', resource: '/*' }]).permits,
  ...rules,
});
const steward = personWith();

let world: RecordsWorld;
let domain: string;
let versionUuid: string;
let names = 0;
let source: BusAdaptor;
let other: BusAdaptor;

beforeAll(async () => {
  world = await openRecordsWorld({ assembler });
});
afterAll(() => world?.close());
beforeEach(() => {
  answers = undefined;
  asked.length = 0;
});

const run = async (text: string, variables: object = {}, principal = steward): Promise<Record<string, unknown>> => {
  const answer = await graphql({
    schema: world.server.subgraph.schema,
    source: text,
    variableValues: { zoneUuid: world.zoneUuid, ...variables },
    contextValue: { principal, requestId: 'test' },
  });
  if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
  return answer.data ?? {};
};

const members = `uuid status description exception drUuid waitingCount changeVersion errors { pointer code detail }`;

const massDeletions = async (adaptor = source, principal = steward): Promise<readonly Issue[]> => {
  const { dataIssues } = await run(
    `query ($zoneUuid: Uuid!, $adaptor: Uuid) {
       dataIssues(zoneUuid: $zoneUuid, adaptor: $adaptor, cause: [MASS_DELETION], sort: "uuid") { data { ${members} } }
     }`,
    { adaptor: adaptor.uuid },
    principal,
  );
  return (dataIssues as { data: readonly Issue[] }).data;
};

const openIssue = (waitingCount: number, adaptor = source): Promise<Issue> =>
  eventually(async () => {
    const open = (await massDeletions(adaptor)).filter(({ status }) => status === 'OPEN');
    expect(open.map((issue) => issue.waitingCount)).toEqual([waitingCount]);
    return open[0] as Issue;
  });

const settle = async ({ uuid: issueUuid, changeVersion }: Issue, more: object = {}): Promise<Issue> => {
  const { patchDataIssue } = await run(
    `mutation ($zoneUuid: Uuid!, $issueUuid: Uuid!, $input: DataIssueInput!) {
       patchDataIssue(zoneUuid: $zoneUuid, issueUuid: $issueUuid, input: $input) { ${members} }
     }`,
    { issueUuid, input: { status: 'CLOSED', changeVersion, ...more } },
  );
  return patchDataIssue as Issue;
};

const waiting = async (issueUuid: string, paging = '', principal = steward): Promise<Waiting> => {
  const { dataIssueWaiting } = await run(
    `query ($zoneUuid: Uuid!, $issueUuid: Uuid!) {
       dataIssueWaiting(zoneUuid: $zoneUuid, issueUuid: $issueUuid ${paging}) {
         data { uuid action dataEvent } page { totalElements }
       }
     }`,
    { issueUuid },
    principal,
  );
  return dataIssueWaiting as Waiting;
};

const actionsAt = (adaptor: BusAdaptor, action: string): number =>
  adaptor.applied.filter(({ event }) => event.action === action).length;

const linksOf = (adaptor: BusAdaptor): Promise<number> =>
  world.database.prisma.recordLink.count({ where: { adaptorUuid: adaptor.uuid } });

const limitTo = async (adaptor: BusAdaptor, limit: { percent: number; minimum: number; seconds: number } | null) => {
  await world.database.prisma.$transaction(async (tx) => {
    await tx.adaptor.update({
      where: { uuid: adaptor.uuid },
      data: {
        deletionPercent: limit?.percent ?? null,
        deletionMinimum: limit?.minimum ?? null,
        deletionSeconds: limit?.seconds ?? null,
        changeVersion: { increment: 1 },
      },
    });
    await logChange(tx, {
      action: 'PATCH',
      resourceType: 'Adaptor',
      resource: `/adaptors/${adaptor.uuid}`,
      resourceUuid: adaptor.uuid,
    });
  });
};

/** A version with records that a source and another adaptor hold. */
const hold = async (domainType: 'FEDERATED' | 'SERVICE_DATA_STORE', count: number): Promise<void> => {
  names += 1;
  domain = `Braked${names}`;
  const properties = { id: { type: 'integer' }, name: { type: 'string' } };
  const version = await world.seed.addVersion({ domainName: domain, domainType, properties, drKeyProperties: ['id'] });
  versionUuid = version.domainVersionUuid;
  source = await world.connect(`source ${names}`, domain);
  other = await world.connect(`other ${names}`, domain);
  for (let id = 1; id <= count; id += 1) source.send({ action: 'POST', json: { id, name: `n${id}` } });
  await eventually(() => expect(other.applied).toHaveLength(count));
  other.link(
    ...other.applied.map(({ event }) => ({ drUuid: event.drUuid, domain, version: 1, action: 'LINK' as const })),
  );
  await eventually(async () => expect([await linksOf(source), await linksOf(other)]).toEqual([count, count]));
};

const remove = (from: number, to: number): void => {
  for (let id = from; id <= to; id += 1) source.send({ action: 'DELETE', drKey: { id } });
};

const drUuidOf = (id: number): string =>
  other.applied.find(({ event }) => event.drKey === `[${id}]`)?.event.drUuid ?? '';

describe('302 deletions of 302 linked records', () => {
  let issue: Issue;
  beforeAll(() => hold('FEDERATED', 302), 60_000);

  it('pass up to the limit; the others are parked with one issue, which counts and lists them', async () => {
    remove(1, 302);
    issue = await openIssue(202);
    expect(issue).toMatchObject({ exception: 'ADAPTOR', drUuid: null });
    expect(issue.errors).toEqual([
      {
        pointer: '',
        code: 'MASS_DELETION',
        detail: '100 deletions passed within 60 seconds, of 302 linked records; the others wait for a decision',
      },
    ]);
    await eventually(() => expect(actionsAt(other, 'DELETE')).toBe(100));
    expect(source.acknowledged).toBe(604);
    const first = await waiting(issue.uuid, ', size: 2');
    expect(first.page.totalElements).toBe(202);
    expect(
      first.data.map(({ action, dataEvent }) => [action, (JSON.parse(dataEvent ?? '') as JsonObject)['drKey']]),
    ).toEqual([
      ['DELETE', { id: 101 }],
      ['DELETE', { id: 102 }],
    ]);
    const last = await waiting(issue.uuid, ', page: 2, size: 100');
    expect(last.data).toHaveLength(2);
    // it alone is an issue, and the adaptor gets no notices
    expect(
      await world.database.prisma.dataIssue.count({ where: { adaptorUuid: source.uuid, cause: { not: 'HELD' } } }),
    ).toBe(1);
    expect(source.refusals).toEqual([]);
  });

  it('are hidden from callers who may not see the records, and counted', async () => {
    const rule = {
      effect: 'DENY',
      actions: null,
      zoneUuid: null,
      adaptorUuid: null,
      domainUuid: null,
      domainVersionUuid: null,
      properties: null,
      drUuids: [drUuidOf(101)],
    } as const;
    const reader = personWith({ dataAccess: compileDataAccess([[rule]], new Map()) });
    const seen = await waiting(issue.uuid, ', size: 2', reader);
    expect(seen.page.totalElements).toBe(202);
    expect(seen.data.map(({ dataEvent }) => dataEvent === null)).toEqual([true, false]);
  });

  it('let other events of the adaptor and events of other adaptors pass', async () => {
    source.send({ action: 'POST', json: { id: 1000, name: 'new' } });
    other.send({ action: 'PUT', json: { id: 300, name: 'changed' } });
    await eventually(() => expect(other.applied.at(-1)?.event).toMatchObject({ action: 'POST', drKey: '[1000]' }));
    await eventually(() => expect(source.applied.at(-1)?.event).toMatchObject({ action: 'PUT', drKey: '[300]' }));
    expect((await openIssue(202)).uuid).toBe(issue.uuid);
  });

  it('are cancelled by a change of the record, also by one that is not valid or names it by uuid under another key', async () => {
    source.send({ action: 'PUT', json: { id: 302, name: 'back' } });
    await openIssue(201);
    await eventually(() => expect(other.applied.at(-1)?.event).toMatchObject({ action: 'PUT', drKey: '[302]' }));
    source.send({ action: 'PUT', json: { id: 301, name: 7 } });
    await openIssue(200);
    source.send({ action: 'PUT', drUuid: drUuidOf(299), json: { id: 2990, name: 'renamed' } });
    await openIssue(199);
    // a repeated deletion counts once
    remove(298, 298);
    await eventually(() => expect(source.acknowledged).toBe(609));
    await openIssue(199);
  });

  it('take further deletions while the issue is open, and survive a restart', async () => {
    remove(302, 302);
    await openIssue(200);
    const second = await startRecords(world.database, { assembler, leaseMs: 1_000 });
    try {
      await openIssue(200);
    } finally {
      await second.close();
    }
  });

  it('pass after the issue is closed with retry', async () => {
    const closed = await settle(await openIssue(200), { retry: true });
    expect(closed).toMatchObject({ status: 'CLOSED', waitingCount: 0 });
    await eventually(() => expect(actionsAt(other, 'DELETE')).toBe(300));
    await eventually(async () => expect(await world.database.prisma.massDeletion.count()).toBe(0));
    // the records that came back, and the new one
    expect(await linksOf(source)).toBe(3);
    expect(await world.database.prisma.dataIssue.count({ where: { brakeUuid: { not: null } } })).toBe(0);
    // another adaptor's change of the record that was deleted here does not bring it back
    expect(source.applied.at(-1)?.event.action).toBe('DELETE');
  });
});

describe('parked deletions that are dropped', () => {
  const limit = { percent: 0, minimum: 1, seconds: 60 };

  it('send data-store records to the adaptor again, from the store, and to no other adaptor', async () => {
    await hold('SERVICE_DATA_STORE', 4);
    await limitTo(source, limit);
    remove(1, 4);
    const issue = await openIssue(3);
    await eventually(() => expect(actionsAt(other, 'DELETE')).toBe(1));
    const before = other.applied.length;
    expect(await settle(issue)).toMatchObject({ status: 'CLOSED', waitingCount: 0 });
    await eventually(() => expect(source.applied).toHaveLength(3));
    expect(source.applied.map(({ event }) => [event.action, event.jsonData, event.transactionUuid])).toEqual(
      [2, 3, 4].map((id) => ['POST', JSON.stringify({ id, name: `n${id}` }), issue.uuid]),
    );
    expect(source.applied.map(({ event }) => event.changed)).toEqual([2, 3, 4].map(() => ['id', 'name']));
    expect(other.applied.length).toBe(before);
    expect(await linksOf(source)).toBe(3);
    // its report of the record is an echo
    source.send({ action: 'PUT', json: { id: 2, name: 'n2' } });
    await eventually(() => expect(source.acknowledged).toBe(9));
    expect(other.applied.length).toBe(before);
  });

  it('send federated records as the other holders have them', async () => {
    await hold('FEDERATED', 3);
    await limitTo(source, limit);
    remove(1, 3);
    const issue = await openIssue(2);
    answers = (drUuid) => ({ id: [1, 2, 3].find((id) => drUuidOf(id) === drUuid) ?? 0, name: 'live' });
    expect(await settle(issue)).toMatchObject({ status: 'CLOSED', waitingCount: 0 });
    expect(asked).toMatchObject([{ adaptors: [other.uuid], zoneUuid: world.zoneUuid, domain }]);
    await eventually(() => expect(source.applied).toHaveLength(2));
    expect(source.applied.map(({ event }) => [event.action, event.jsonData, event.sourceAdaptorUuid])).toEqual(
      [2, 3].map((id) => ['POST', JSON.stringify({ id, name: 'live' }), other.uuid]),
    );
  });

  it('leave the issue open where no other holder answers, and say so', async () => {
    await hold('FEDERATED', 4);
    await limitTo(source, limit);
    remove(1, 4);
    const issue = await openIssue(3);
    answers = (drUuid) => (drUuid === drUuidOf(3) ? { id: 3, name: 'live' } : undefined);
    const left = await settle(issue);
    const detail = 'No other adaptor answered for 2 records: the deletions of these records still wait.';
    expect(left).toMatchObject({ status: 'OPEN', waitingCount: 2, description: detail });
    expect(left.errors.map(({ code }) => code)).toEqual(['MASS_DELETION', 'NO_ANSWER']);
    expect(left.errors[1]?.detail).toBe(detail);
    await eventually(() => expect(source.applied.map(({ event }) => event.drKey)).toEqual(['[3]']));
    // the other ones may pass
    expect(await settle(left, { retry: true })).toMatchObject({ status: 'CLOSED' });
    await eventually(() => expect(actionsAt(other, 'DELETE')).toBe(3));
  });

  it('keep away from the adaptor what governance denies to its zone', async () => {
    await hold('SERVICE_DATA_STORE', 4);
    await limitTo(source, { ...limit, minimum: 0 });
    const denied = await world.seed.denyInbound(world.zoneUuid, ['name']);
    // a deletion passes while the limit before it is in effect
    let id = 0;
    await eventually(
      async () => {
        id += 1;
        remove(id, id);
        await openIssue(1);
      },
      { deadlineMs: 40_000 },
    );
    const answer = await settle(await openIssue(1));
    expect(answer.status).toBe('CLOSED');
    await eventually(() => expect(source.applied.map(({ event }) => event.jsonData)).toEqual([`{"id":${id}}`]));
    await world.database.prisma.$transaction(async (tx) => {
      await tx.zoneAcl.delete({ where: { uuid: denied } });
      await logChange(tx, {
        action: 'DELETE',
        resourceType: 'InboundAcl',
        resource: `/inbound-acls/${denied}`,
        resourceUuid: denied,
      });
    });
  });
});

describe('the limit', () => {
  it('is off without one, and counts the deletions of records that the adaptor links only', async () => {
    await hold('FEDERATED', 3);
    await limitTo(source, { percent: 0, minimum: 1, seconds: 60 });
    // an unknown record, and a report of a lost link: neither is the deletion of a record
    source.send({ action: 'DELETE', drKey: { id: 77 } });
    source.sendLinks({ drKey: { id: 3 }, domain, version: 1, action: 'UNLINK' });
    await eventually(async () => expect(await linksOf(source)).toBe(2));
    remove(1, 2);
    await openIssue(1);
    await limitTo(source, null);
    source.send({ action: 'POST', json: { id: 4, name: 'n4' } });
    await eventually(() => expect(actionsAt(other, 'POST')).toBe(4));
    remove(4, 4);
    await eventually(() => expect(other.applied.at(-1)?.event).toMatchObject({ action: 'DELETE', drKey: '[4]' }));
  });

  it('begins again after its seconds, with the records that are linked then', async () => {
    await hold('FEDERATED', 20);
    await limitTo(source, { percent: 50, minimum: 0, seconds: 3_600 });
    remove(1, 10);
    await eventually(() => expect(actionsAt(other, 'DELETE')).toBe(10));
    await world.database.pool.query(
      `UPDATE deletion_window SET began_at = began_at - interval '2 hours' WHERE adaptor_uuid = $1`,
      [source.uuid],
    );
    remove(11, 20);
    await openIssue(5);
    await eventually(() => expect(actionsAt(other, 'DELETE')).toBe(15));
  });

  it('is of one version: deletions of another one pass', async () => {
    await hold('FEDERATED', 2);
    await limitTo(source, { percent: 0, minimum: 1, seconds: 60 });
    remove(1, 2);
    await openIssue(1);
    const { rows } = await world.database.pool.query<{ count: bigint }>(
      'SELECT count(*) FROM mass_deletion WHERE adaptor_uuid = $1 AND domain_version_uuid = $2',
      [source.uuid, versionUuid],
    );
    expect(rows).toEqual([{ count: 1n }]);
    expect((await massDeletions(other)).length).toBe(0);
  });

  it('closes its issue when every deletion is cancelled', async () => {
    await hold('FEDERATED', 2);
    await limitTo(source, { percent: 0, minimum: 0, seconds: 60 });
    remove(1, 2);
    await openIssue(2);
    for (const id of [1, 2]) source.send({ action: 'PUT', json: { id, name: 'back' } });
    await eventually(async () => expect((await massDeletions()).map(({ status }) => status)).toEqual(['CLOSED']));
    const [issue] = await massDeletions();
    expect(issue?.description).toBe('The adaptor has reported every record again: no deletion is left.');
    expect(await world.database.prisma.massDeletion.count({ where: { issueUuid: issue?.uuid ?? '' } })).toBe(0);
  });

  it('refuses to remove its issue while deletions are parked with it', async () => {
    await hold('FEDERATED', 1);
    await limitTo(source, { percent: 0, minimum: 0, seconds: 60 });
    remove(1, 1);
    const { uuid: issueUuid, changeVersion } = await openIssue(1);
    await expect(
      run(
        `mutation ($zoneUuid: Uuid!, $issueUuid: Uuid!, $changeVersion: Long) {
           deleteDataIssue(zoneUuid: $zoneUuid, issueUuid: $issueUuid, changeVersion: $changeVersion)
         }`,
        { issueUuid, changeVersion },
      ),
    ).rejects.toThrow('CONFLICT');
  });
});

it('finds every row by an index in the statements of batches', async () => {
  expect(await findScans(world.database)).toEqual([]);
});
