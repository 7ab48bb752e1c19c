import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { compileDataAccess, compileGrants } from '@fds/access-rules';
import type { Assembler } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { logChange } from '@fds/database';
import type { JsonObject } from '@fds/json';
import { eventually } from '@fds/testing';
import { graphql } from 'graphql';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';
import { startRecords } from '../../testing/start-records.js';

interface Job {
  readonly uuid: string;
  readonly status: string;
  readonly message: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

/** The rows of adaptors by record uuid; an adaptor without an entry does not answer. */
const systems = new Map<string, (drUuid: string) => JsonObject | undefined>();
/** Stands for the engine of another part. */
const assembler: Assembler = {
  assemble: ({ adaptors = [], drUuids }) => {
    const assembledDataRecords = (drUuids ?? []).flatMap((uuid) => {
      for (const adaptorUuid of adaptors ?? []) {
        const data = systems.get(adaptorUuid)?.(uuid);
        if (data === undefined) continue;
        const provenance = Object.fromEntries(Object.keys(data).map((name) => [name, { adaptorUuid, tier: 'BRONZE' }]));
        return [{ uuid, data, status: 'FALLBACK', drKey: {}, adaptors: [], provenance }];
      }
      return [];
    });
    return Promise.resolve({ assembledDataRecords } as unknown as Awaited<ReturnType<Assembler['assemble']>>);
  },
  assembleProgressively: () => {
    throw new TypeError('no progressive answer is needed here');
  },
};

const steward: Principal = {
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'steward',
  zones: [],
  defaultZoneUuid: undefined,
  permits: compileGrants([{ action: 'ALL', resource: '/*' }]).permits,
};

let world: RecordsWorld;
let domain: string;
let versionUuid: string;
let names = 0;
/** Messages of the restored adaptor that a test has seen. */
let seen = 0;
/** It has the records, and changes them. */
let source: BusAdaptor;
/** It gets them again. */
let restored: BusAdaptor;

beforeAll(async () => {
  world = await openRecordsWorld({ assembler });
});
afterAll(() => world?.close());
beforeEach(() => systems.clear());

const members = 'uuid status message counts { examined sent withheld unanswered }';

const ask = async (
  text: string,
  variables: object,
  principal: Principal = steward,
): Promise<{ data: Record<string, unknown>; errors: unknown }> => {
  const { data, errors } = await graphql({
    schema: world.server.subgraph.schema,
    source: text,
    variableValues: { zoneUuid: world.zoneUuid, adaptorUuid: restored.uuid, ...variables },
    contextValue: { principal, requestId: 'test' },
  });
  return { data: data ?? {}, errors: errors?.map(({ extensions, message }) => ({ ...extensions, message })) };
};

const start = async (
  input: object,
  principal = steward,
): Promise<{ readonly job: Job | undefined; readonly errors: unknown }> => {
  const { data, errors } = await ask(
    `mutation ($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $input: AdaptorRedeliveryInput!) {
       job: startAdaptorRedelivery(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, input: $input) { ${members} }
     }`,
    { input },
    principal,
  );
  return { job: (data['job'] ?? undefined) as Job | undefined, errors };
};

const ended = (uuid: string): Promise<Job> =>
  eventually(
    async () => {
      const { data } = await ask(
        `query ($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $uuid: Uuid!) {
           job: adaptorRedelivery(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, redeliveryUuid: $uuid) { ${members} }
         }`,
        { uuid },
      );
      const job = data['job'] as Job;
      expect(job.status).not.toBe('RUNNING');
      return job;
    },
    { deadlineMs: 20_000 },
  );

const redeliver = async (input: object): Promise<Job> => {
  const { job, errors } = await start(input);
  if (job === undefined) throw new Error(JSON.stringify(errors));
  return ended(job.uuid);
};

/** Two adaptors that hold the same records, from 1 on. @returns their uuids */
const hold = async (domainType: 'FEDERATED' | 'SERVICE_DATA_STORE', count: number): Promise<readonly string[]> => {
  names += 1;
  domain = `Again${names}`;
  ({ domainVersionUuid: versionUuid } = await world.seed.addVersion({
    domainName: domain,
    domainType,
    properties: { id: { type: 'integer' }, name: { type: 'string' }, secret: { type: 'string' } },
    drKeyProperties: ['id'],
    searchProperties: domainType === 'SERVICE_DATA_STORE' ? ['name'] : [],
  }));
  source = await world.connect(`source of ${domain}`, domain);
  restored = await world.connect(`restored of ${domain}`, domain);
  for (let id = 1; id <= count; id += 1) source.send({ action: 'POST', json: { id, name: `n${id}` } });
  await eventually(() => expect(restored.applied).toHaveLength(count));
  const uuids = restored.applied.map(({ event }) => event.drUuid);
  restored.link(...uuids.map((drUuid) => ({ drUuid, domain, version: 1, action: 'LINK' as const })));
  await eventually(async () =>
    expect(await world.database.prisma.recordLink.count({ where: { adaptorUuid: restored.uuid } })).toBe(count),
  );
  seen = count;
  return uuids;
};

/** Messages that the restored adaptor got since. */
const news = () => restored.applied.slice(seen);
const told = () => news().map(({ event }) => [event.action, event.jsonData, event.transactionUuid]);

describe('a redelivery', () => {
  it('sends records of the store again as they are now, and to no other adaptor', async () => {
    const [first = '', , third = ''] = await hold('SERVICE_DATA_STORE', 3);
    source.send({ action: 'PUT', json: { id: 1, name: 'changed' } });
    await eventually(() => expect(news()).toHaveLength(1));
    seen += 1;
    const before = source.applied.length;
    const job = await redeliver({ drUuids: [first, third] });
    expect(job).toMatchObject({ status: 'DONE', message: null });
    expect(job.counts).toEqual({ examined: 2, sent: 2, withheld: 0, unanswered: 0 });
    await eventually(() => expect(news()).toHaveLength(2));
    expect(told()).toEqual([
      ['POST', '{"id":1,"name":"changed"}', job.uuid],
      ['POST', '{"id":3,"name":"n3"}', job.uuid],
    ]);
    expect(news().map(({ event }) => event.changed)).toEqual([
      ['id', 'name'],
      ['id', 'name'],
    ]);
    expect(source.applied).toHaveLength(before);
    const history = await world.database.prisma.dataEvent.count({ where: { transactionUuid: job.uuid } });
    expect(history).toBe(2);
  });

  it('sends federated records as the other holders have them, with the values that the adaptor has now', async () => {
    const uuids = await hold('FEDERATED', 3);
    const idOf = (drUuid: string): number => uuids.indexOf(drUuid) + 1;
    systems.set(source.uuid, (uuid) => (idOf(uuid) === 3 ? undefined : { id: idOf(uuid), name: 'live' }));
    systems.set(restored.uuid, (uuid) => (idOf(uuid) === 1 ? { id: 1, name: 'of the backup' } : undefined));
    const job = await redeliver({ from: new Date(Date.now() - 3_600_000).toISOString() });
    expect(job).toMatchObject({
      status: 'DONE',
      counts: { examined: 3, sent: 2, withheld: 0, unanswered: 1 },
      message: 'No other adaptor answered with the content of 1 record.',
    });
    await eventually(() => expect(news()).toHaveLength(2));
    expect(news().map(({ event }) => [event.jsonData, event.sourceAdaptorUuid, event.read])).toEqual([
      ['{"id":1,"name":"live"}', source.uuid, { id: 1, name: 'of the backup' }],
      ['{"id":2,"name":"live"}', source.uuid, undefined],
    ]);
    // its next report is an echo
    restored.send({ action: 'PUT', json: { id: 1, name: 'live' } });
    await eventually(() => expect(restored.acknowledged).toBe(1));
    expect(source.applied).toHaveLength(0);
  });

  it('sends no record that governance denies, and keeps the known content of the adaptor', async () => {
    const [first = ''] = await hold('SERVICE_DATA_STORE', 1);
    restored.send({ action: 'PUT', json: { id: 1, name: 'n1', secret: 'own' } });
    await eventually(() => expect(source.applied).toHaveLength(1));
    const denied = await world.seed.denyInbound(world.zoneUuid, ['name', 'id', 'secret']);
    const deny = async (action: 'POST' | 'DELETE'): Promise<void> =>
      world.database.prisma.$transaction(async (tx) => {
        if (action === 'DELETE') await tx.zoneAcl.delete({ where: { uuid: denied } });
        await logChange(tx, {
          action,
          resourceType: 'InboundAcl',
          resource: `/inbound-acls/${denied}`,
          resourceUuid: denied,
        });
      });
    const job = await redeliver({ drUuids: [first] });
    expect(job.counts).toEqual({ examined: 1, sent: 0, withheld: 1, unanswered: 0 });
    expect(news()).toHaveLength(0);
    await deny('DELETE');
    // a report of the same values is not a change
    restored.send({ action: 'PUT', json: { id: 1, name: 'n1', secret: 'own' } });
    source.send({ action: 'PUT', json: { id: 1, name: 'later' } });
    await eventually(() => expect(news()).toHaveLength(1));
    expect(source.applied).toHaveLength(1);
  });

  it('finds records by a query and by the time of their changes, and no record that the adaptor does not hold', async () => {
    const [, second = ''] = await hold('SERVICE_DATA_STORE', 3);
    expect((await redeliver({ query: 'id:2', domainVersionUuid: versionUuid })).counts['sent']).toBe(1);
    await eventually(() => expect(news().map(({ event }) => event.drUuid)).toEqual([second]));
    expect((await redeliver({ query: 'name:n3', domainVersionUuid: versionUuid })).counts['sent']).toBe(1);
    const past = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' };
    expect((await redeliver(past)).counts['examined']).toBe(0);
    await hold('FEDERATED', 1);
    const before = restored;
    restored = await world.connect('newcomer', domain);
    expect((await redeliver({ drUuids: [second] })).counts['examined']).toBe(0);
    restored = before;
  });

  it('makes room: the oldest ended jobs of an adaptor go', async () => {
    const [first = ''] = await hold('SERVICE_DATA_STORE', 1);
    const ofAdaptor = { adaptorUuid: restored.uuid };
    const old = Array.from({ length: 120 }, (_, index) => ({
      uuid: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      zoneUuid: world.zoneUuid,
      ...ofAdaptor,
      lastRecordUuid: first,
      status: index === 3 ? 'RUNNING' : 'DONE',
    }));
    await world.database.prisma.redelivery.createMany({ data: old });
    await redeliver({ drUuids: [first] });
    await eventually(async () =>
      expect(await world.database.prisma.redelivery.count({ where: ofAdaptor })).toBeLessThanOrEqual(101),
    );
  });

  const cancel = (uuid: string) =>
    ask(
      `mutation ($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $uuid: Uuid!) {
         done: cancelAdaptorRedelivery(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, redeliveryUuid: $uuid)
       }`,
      { uuid },
    );
  const readJob = async (uuid: string): Promise<Job & { readonly progress: number }> => {
    const { data } = await ask(
      `query ($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $uuid: Uuid!) {
         job: adaptorRedelivery(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, redeliveryUuid: $uuid) { ${members} progress }
       }`,
      { uuid },
    );
    return data['job'] as Job & { readonly progress: number };
  };

  it('waits for an adaptor with a full queue while others go on, is bounded, shows progress, and is cancelled', async () => {
    const uuids = await hold('SERVICE_DATA_STORE', 120);
    const full = { where: { adaptorUuid: restored.uuid } };
    const channel = await world.database.prisma.adaptorChannel.findFirstOrThrow(full);
    const { downSequence } = channel;
    // as many messages wait as a slow adaptor may have
    const setSequence = (sequence: bigint) =>
      world.database.prisma.adaptorChannel.updateMany({ ...full, data: { downSequence: sequence } });
    await setSequence(downSequence + 300n);
    const { job } = await start({ drUuids: uuids });
    const uuid = job?.uuid ?? '';
    const slow = restored;
    restored = source;
    expect((await redeliver({ drUuids: uuids.slice(0, 3) })).counts['examined']).toBe(3);
    restored = slow;
    expect(await readJob(uuid)).toMatchObject({ status: 'RUNNING', progress: 0, counts: { examined: 0 } });
    expect(news()).toHaveLength(0);

    const others = await Promise.all(Array.from({ length: 12 }, () => start({ drUuids: uuids })));
    const refused = others.filter(({ errors }) => errors !== undefined);
    expect(refused.map(({ errors }) => errors)).toMatchObject(refused.map(() => [{ code: 'CONFLICT' }]));
    expect(refused).toHaveLength(3);
    for (const { job: other } of others) if (other !== undefined) await cancel(other.uuid);

    await setSequence(downSequence);
    expect((await ended(uuid)).counts).toMatchObject({ sent: 120 });
    expect(await readJob(uuid)).toMatchObject({ status: 'DONE', progress: 1 });
    await eventually(() => expect(news()).toHaveLength(120));
    const all = await world.database.prisma.redelivery.findMany({ where: { adaptorUuid: restored.uuid } });
    expect(all.map(({ status }) => status).toSorted()).toEqual([...Array<string>(9).fill('CANCELLED'), 'DONE']);
    const logged = await world.database.prisma.changeLogEntry.findMany({
      where: { resourceUuid: others.find(({ job: other }) => other !== undefined)?.job?.uuid ?? '' },
      orderBy: { position: 'asc' },
    });
    expect(logged.map(({ action, actorUuid }) => [action, actorUuid])).toEqual([
      ['POST', steward.uuid],
      ['PUT', steward.uuid],
    ]);
    // a job that has ended does not change
    expect((await cancel(uuid)).data).toEqual({ done: true });
    expect((await readJob(uuid)).status).toBe('DONE');
    expect((await cancel(randomUUID())).errors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });

  it('sends each record once while two processes work on the job', async () => {
    const uuids = await hold('SERVICE_DATA_STORE', 150);
    const { job } = await start({ drUuids: uuids });
    const second = await startRecords(world.database, { assembler, leaseMs: 1_000 });
    try {
      expect((await ended(job?.uuid ?? '')).counts).toMatchObject({ sent: 150 });
    } finally {
      await second.close();
    }
    await eventually(() => expect(news()).toHaveLength(150));
  });

  it.each<readonly [string, object, string]>([
    ['no selection', {}, ' REQUIRED'],
    ['two selections', { from: '2026-01-01T00:00:00Z', drUuids: [randomUUID()] }, ' CONTRADICTION'],
    ['an end without a beginning', { to: '2026-01-01T00:00:00Z' }, '/from REQUIRED'],
    ['an end before the beginning', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/to CONTRADICTION'],
    ['no record', { drUuids: [] }, '/drUuids TOO_FEW_ITEMS'],
    ['too many records', { drUuids: Array.from({ length: 1_001 }, () => randomUUID()) }, '/drUuids TOO_MANY_ITEMS'],
    ['an unknown record', { drUuids: [randomUUID()] }, '/drUuids/0 UNKNOWN_REFERENCE'],
    ['a query without a version', { query: 'id:1' }, '/domainVersionUuid REQUIRED'],
    ['an unknown version', { query: 'id:1', domainVersionUuid: randomUUID() }, '/domainVersionUuid UNKNOWN_REFERENCE'],
  ])('is refused with the place of the fault: %s', async (_, input, cause) => {
    const { errors } = await start(input);
    const [{ errors: causes = [], ...error } = {}] = errors as readonly {
      readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
      readonly code: string;
    }[];
    const listed = causes.map(({ pointer, code }) => `${pointer} ${code}`);
    expect([error, listed]).toEqual([expect.anything(), expect.arrayContaining([cause])]);
  });

  it('is refused for a record that the caller may not see, as for one that does not exist', async () => {
    const [hidden = '', shown = ''] = await hold('FEDERATED', 2);
    const any = {
      actions: null,
      zoneUuid: null,
      adaptorUuid: null,
      domainUuid: null,
      domainVersionUuid: null,
      properties: null,
      drUuids: null,
    };
    const restricted: Principal = {
      ...steward,
      uuid: randomUUID(),
      dataAccess: compileDataAccess(
        [
          [
            { ...any, effect: 'DENY', drUuids: [hidden] },
            { ...any, effect: 'ALLOW' },
          ],
        ],
        new Map([source, restored].map(({ uuid }) => [uuid, world.zoneUuid])),
      ),
    };
    const absent = randomUUID();
    const { job, errors } = await start({ drUuids: [shown, hidden, absent] }, restricted);
    expect(job).toBeUndefined();
    const cause = (place: number, uuid: string) => ({
      pointer: `/drUuids/${place}`,
      code: 'UNKNOWN_REFERENCE',
      detail: `there is no record ${uuid}`,
    });
    expect(errors).toMatchObject([{ errors: [cause(1, hidden), cause(2, absent)] }]);
    expect((await start({ drUuids: [shown] }, restricted)).errors).toBeUndefined();
    expect((await redeliver({ drUuids: [hidden] })).counts).toMatchObject({ examined: 1 });
  });

  it('is refused for an adaptor in discovery mode', async () => {
    const [first = ''] = await hold('FEDERATED', 1);
    await world.database.prisma.$transaction(async (tx) => {
      const { uuid, zoneUuid } = await tx.adaptor.update({
        where: { uuid: restored.uuid },
        data: { discoveryMode: true },
      });
      const resource = `/zones/${zoneUuid}/adaptors/${uuid}`;
      await logChange(tx, { action: 'PATCH', resourceType: 'Adaptor', resource, resourceUuid: uuid });
    });
    expect((await start({ drUuids: [first] })).errors).toMatchObject([{ code: 'DISCOVERY_MODE' }]);
  });
});
