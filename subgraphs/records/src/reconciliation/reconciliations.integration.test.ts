import { randomUUID } from 'node:crypto';
import { setTimeout as answerTime } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CollectedAnswer, CollectedRecord, RecordCollector } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { compileDataAccess, compileGrants } from '@fds/access-rules';
import { logChange } from '@fds/database';
import { parseJson, type JsonObject } from '@fds/json';
import { eventually } from '@fds/testing';
import { graphql } from 'graphql';
import type { BusAdaptor } from '../testing/bus-adaptor.js';
import { openRecordsWorld, type RecordsWorld } from '../testing/open-records-world.js';
import { startRecords } from '../testing/start-records.js';

interface Job {
  readonly uuid: string;
  readonly status: string;
  readonly message: string | null;
  readonly progress: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly byProperty: readonly { readonly property: string; readonly differing: number }[];
}

interface Pair {
  readonly property: string;
  readonly adaptorUuid: string;
  readonly otherAdaptorUuid: string | null;
  readonly chosen: string | null;
  readonly value: string | null;
  readonly otherValue: string | null;
}

interface Difference {
  readonly drUuid: string;
  readonly drKey: string | null;
  readonly kind: string;
  readonly properties: readonly Pair[];
}

/** The systems of adaptors: rows by their id. A test fills them. */
const systems = new Map<string, Map<number, JsonObject>>();
/** Adaptors that do not answer. */
const silent = new Set<string>();
/** Adaptors answer at most so many records at once. */
let mostAnswered = Number.POSITIVE_INFINITY;
let onCollect: (() => Promise<void>) | undefined;
let asked = 0;

/** Stands for the engine of another part: it answers with the rows of the systems. */
const collector: RecordCollector = {
  collect: async ({ questions }, _principal, signal) => {
    asked += 1;
    await onCollect?.();
    signal?.throwIfAborted();
    return questions.map(({ adaptorUuid, records }): CollectedAnswer => {
      const base = { adaptorUuid, tier: 'BRONZE', denied: new Set<string>() } as const;
      if (silent.has(adaptorUuid))
        return { ...base, outcome: 'LATE', reason: 'it did not answer in time', records: new Map() };
      if (records.length > mostAnswered) {
        const reason = 'the answer is the error ANSWER_TOO_LARGE';
        return { ...base, outcome: 'FAILED', isTooLarge: true, reason, records: new Map() };
      }
      const found = new Map<string, CollectedRecord>();
      for (const { drUuid, drKey } of records) {
        const values = systems.get(adaptorUuid)?.get(Number(drKey['id']));
        if (values !== undefined) found.set(drUuid, { values });
      }
      return { ...base, outcome: 'ANSWERED', records: found };
    });
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
let here: BusAdaptor;
let there: BusAdaptor;
let names = 0;

beforeAll(async () => {
  world = await openRecordsWorld({ collector });
});
afterAll(() => world?.close());
beforeEach(() => {
  systems.clear();
  silent.clear();
  mostAnswered = Number.POSITIVE_INFINITY;
  onCollect = undefined;
  asked = 0;
});

const run = async (
  text: string,
  variables: object = {},
  principal = steward,
  schema = world.server.subgraph.schema,
) => {
  const answer = await graphql({
    schema,
    source: text,
    variableValues: { zoneUuid: world.zoneUuid, adaptorUuid: here.uuid, ...variables },
    contextValue: { principal, requestId: 'test' },
  });
  if (answer.errors !== undefined) {
    const [error] = answer.errors;
    throw Object.assign(new Error(JSON.stringify(answer.errors)), {
      code: error?.extensions['code'],
      causes: error?.extensions['errors'],
    });
  }
  return answer.data ?? {};
};

const members = `uuid status message progress counts { examined equal differing missingHere missingThere unreadable sent }
  byProperty { property differing }`;

const start = async (input: object, variables: object = {}): Promise<Job> => {
  const { startReconciliation } = await run(
    `mutation ($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $input: ReconciliationInput!) {
       startReconciliation(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, input: $input) { ${members} }
     }`,
    { input: { domainVersionUuid: versionUuid, ...input }, ...variables },
  );
  return startReconciliation as Job;
};

const read = async ({ uuid }: Job, variables: object = {}): Promise<Job> => {
  const { reconciliation } = await run(
    `query ($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $uuid: Uuid!) {
       reconciliation(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, reconciliationUuid: $uuid) { ${members} }
     }`,
    { uuid, ...variables },
  );
  return reconciliation as Job;
};

const ended = (job: Job, status = 'DONE', variables: object = {}): Promise<Job> =>
  eventually(
    async () => {
      const now = await read(job, variables);
      expect(now.status).toBe(status);
      return now;
    },
    { deadlineMs: 30_000 },
  );

const reconcile = async (input: object, status = 'DONE'): Promise<Job> => ended(await start(input), status);

const differencesOf = async ({ uuid }: Job, filter = '', principal = steward): Promise<readonly Difference[]> => {
  const { reconciliationDifferences } = await run(
    `query ($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $uuid: Uuid!) {
       reconciliationDifferences(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, reconciliationUuid: $uuid ${filter}) {
         data { drUuid drKey kind properties { property adaptorUuid otherAdaptorUuid chosen values { value otherValue } } }
         page { totalElements }
       }
     }`,
    { uuid },
    principal,
  );
  interface Listed extends Omit<Difference, 'properties'> {
    readonly properties: readonly (Omit<Pair, 'value' | 'otherValue'> & { readonly values: Pair | null })[];
  }
  const { data, page } = reconciliationDifferences as { data: readonly Listed[]; page: { totalElements: number } };
  expect(page.totalElements).toBe(data.length);
  return data.map((each) => ({
    ...each,
    properties: each.properties.map(({ values, ...pair }) => ({
      ...pair,
      value: values?.value ?? null,
      otherValue: values?.otherValue ?? null,
    })),
  }));
};

const cancel = ({ uuid }: Job) =>
  run(
    `mutation ($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $uuid: Uuid!) {
       cancelReconciliation(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, reconciliationUuid: $uuid)
     }`,
    { uuid },
  );

const systemOf = ({ uuid }: BusAdaptor): Map<number, JsonObject> => {
  const known = systems.get(uuid) ?? new Map<number, JsonObject>();
  systems.set(uuid, known);
  return known;
};

/** The rows of a system become these, and its adaptor reports them. */
const report = async (adaptor: BusAdaptor, rows: readonly JsonObject[]): Promise<void> => {
  const before = adaptor.acknowledged;
  for (const row of rows) {
    systemOf(adaptor).set(Number(row['id']), row);
    adaptor.send({ action: 'POST', json: row });
  }
  await eventually(() => expect(adaptor.acknowledged).toBe(before + rows.length));
};

const switchDiscovery = async (adaptor: BusAdaptor, discoveryMode: boolean): Promise<void> => {
  await world.database.prisma.$transaction(async (tx) => {
    await tx.adaptor.update({ where: { uuid: adaptor.uuid }, data: { discoveryMode } });
    const { uuid: resourceUuid } = adaptor;
    await logChange(tx, {
      action: 'PATCH',
      resourceType: 'Adaptor',
      resource: `/adaptors/${resourceUuid}`,
      resourceUuid,
    });
  });
  await eventually(async () => {
    const { rows } = await world.database.pool.query('SELECT 1');
    expect(rows).toHaveLength(1);
  });
};

/** A version with two adaptors, which link their rows without sending them to each other. */
const hold = async (
  domainType: 'FEDERATED' | 'SERVICE_DATA_STORE',
  rows: { readonly here: readonly JsonObject[]; readonly there: readonly JsonObject[] },
): Promise<void> => {
  names += 1;
  domain = `Reconciled${names}`;
  const properties = {
    id: { type: 'integer' },
    name: { type: 'string' },
    price: { type: 'string', format: 'decimal' },
    at: { type: 'string', format: 'date-time' },
  };
  const searchProperties = domainType === 'SERVICE_DATA_STORE' ? ['name'] : [];
  const given = { domainName: domain, domainType, properties, drKeyProperties: ['id'], searchProperties };
  const version = await world.seed.addVersion(given);
  versionUuid = version.domainVersionUuid;
  const add = async (name: string): Promise<BusAdaptor> => {
    const adaptor = await world.connect(`${name} ${names}`, domain);
    return adaptor;
  };
  here = await add('here');
  there = await add('there');
  systemOf(here);
  systemOf(there);
  for (const [adaptor, own] of [
    [there, rows.there],
    [here, rows.here],
  ] as const) {
    for (const row of own) {
      systemOf(adaptor).set(Number(row['id']), row);
      adaptor.send({ action: 'POST', json: row, discovery: true });
    }
    await eventually(() => expect(adaptor.acknowledged).toBe(own.length));
  }
};

const messages = (adaptor: BusAdaptor) =>
  adaptor.applied.map(({ event }) => ({
    action: event.action,
    json: parseJson(event.jsonData ?? '{}') as JsonObject,
    changed: event.changed,
    read: (event as { readonly read?: JsonObject }).read,
    source: event.sourceAdaptorUuid,
    transaction: event.transactionUuid,
  }));

const equalRow = { id: 1, name: 'same', price: '1.50', at: '2026-01-01T00:00:00Z' };
const partlyMatching = {
  here: [equalRow, { id: 2, name: 'mine', price: '2' }, { id: 3, name: 'only here' }],
  there: [
    { ...equalRow, price: '1.5', at: '2026-01-01T01:00:00+01:00' },
    { id: 2, name: 'theirs', price: '2.00' },
    { id: 4, name: 'only there' },
  ],
};

describe('a preview', () => {
  it('counts records by their result, compares in normal form, and sends nothing', async () => {
    await hold('FEDERATED', partlyMatching);
    const job = await reconcile({});
    expect(job.counts).toEqual({
      examined: 4,
      equal: 1,
      differing: 1,
      missingHere: 1,
      missingThere: 1,
      unreadable: 0,
      sent: 0,
    });
    expect(job).toMatchObject({ message: null, progress: 1, byProperty: [{ property: 'name', differing: 1 }] });
    const differences = await differencesOf(job);
    expect(differences.map(({ kind }) => kind).toSorted()).toEqual(['DIFFERING', 'MISSING_HERE', 'MISSING_THERE']);
    expect(differences.find(({ kind }) => kind === 'DIFFERING')).toMatchObject({
      drKey: '{"id":2}',
      properties: [
        {
          property: 'name',
          adaptorUuid: here.uuid,
          otherAdaptorUuid: there.uuid,
          chosen: null,
          value: '"mine"',
          otherValue: '"theirs"',
        },
      ],
    });
    expect(await differencesOf(job, ', kind: [MISSING_HERE]')).toHaveLength(1);
    expect(await differencesOf(job, ', property: "name"')).toHaveLength(1);
    expect(await differencesOf(job, ', property: "price"')).toHaveLength(0);
    expect([here.applied, there.applied]).toEqual([[], []]);
  });

  it('names the value that would be taken', async () => {
    await hold('FEDERATED', partlyMatching);
    const chosen: (string | null)[] = [];
    // the other adaptor was discovered first
    for (const values of ['KEEP', 'ADAPTOR', 'OTHERS', 'LATEST']) {
      const [difference] = await differencesOf(await reconcile({ values }), ', kind: [DIFFERING]');
      chosen.push(...(difference?.properties.map((pair) => pair.chosen) ?? []));
    }
    expect(chosen).toEqual([null, 'ADAPTOR', 'OTHER', 'ADAPTOR']);
  });

  it('compares named properties only, and records of a query', async () => {
    await hold('FEDERATED', partlyMatching);
    expect((await reconcile({ properties: ['price'] })).counts).toMatchObject({
      equal: 2,
      differing: 0,
      missingHere: 1,
    });
    expect((await reconcile({ query: 'id:2' })).counts).toMatchObject({ examined: 1, differing: 1 });
  });

  it('shows values to those who may see them, and rows to those who may see the record', async () => {
    await hold('FEDERATED', partlyMatching);
    const job = await reconcile({});
    const withoutData = personWith({
      permits: compileGrants([{ action: 'ALL', resource: '/zones/*' }]).permits,
    });
    for (const { drKey, properties } of await differencesOf(job, '', withoutData)) {
      expect(
        [drKey, ...properties.flatMap(({ value, otherValue }) => [value, otherValue])].every((each) => each === null),
      ).toBe(true);
    }
    const ruled = (rule: object) => {
      const any = {
        actions: null,
        zoneUuid: null,
        adaptorUuid: null,
        domainUuid: null,
        domainVersionUuid: null,
        properties: null,
        drUuids: null,
      };
      const allow = { ...any, effect: 'ALLOW' as const };
      return personWith({
        dataAccess: compileDataAccess(
          [[{ ...any, effect: 'DENY', ...rule }, allow]],
          new Map([[there.uuid, world.zoneUuid]]),
        ),
      });
    };
    const [differing] = await differencesOf(job, ', kind: [DIFFERING]', ruled({ properties: ['name'] }));
    expect(differing?.properties).toMatchObject([{ property: 'name', value: null, otherValue: null }]);
    const [halfSeen] = await differencesOf(job, ', kind: [DIFFERING]', ruled({ adaptorUuid: there.uuid }));
    expect(halfSeen?.properties).toMatchObject([{ value: '"mine"', otherValue: null }]);
    const [all] = [await differencesOf(job)];
    const hidden = all.find(({ kind }) => kind === 'DIFFERING');
    expect(await differencesOf(job, '', ruled({ drUuids: [hidden?.drUuid] }))).toHaveLength(2);
  });
});

describe('with effect', () => {
  it('an initial load sends the records that the adaptor lacks, whole, and nothing else', async () => {
    await hold('FEDERATED', partlyMatching);
    const job = await reconcile({ preview: false, missingHere: 'SEND' });
    expect(job.counts).toMatchObject({ examined: 4, missingHere: 1, sent: 1 });
    await eventually(() => expect(here.applied).toHaveLength(1));
    expect(messages(here)).toEqual([
      {
        action: 'POST',
        json: { id: 4, name: 'only there' },
        changed: ['id', 'name'],
        read: {},
        source: there.uuid,
        transaction: job.uuid,
      },
    ]);
    expect(there.applied).toEqual([]);
  });

  it('sends the chosen value with the value that was read, and a record that others lack', async () => {
    await hold('FEDERATED', partlyMatching);
    const job = await reconcile({ preview: false, values: 'ADAPTOR', missingThere: 'SEND' });
    expect(job.counts).toMatchObject({ differing: 1, missingThere: 1, sent: 2 });
    await eventually(() => expect(there.applied).toHaveLength(2));
    expect(messages(there)).toEqual(
      expect.arrayContaining([
        {
          action: 'PUT',
          json: { id: 2, name: 'mine' },
          changed: ['name'],
          read: { name: 'theirs' },
          source: here.uuid,
          transaction: job.uuid,
        },
        {
          action: 'POST',
          json: { id: 3, name: 'only here' },
          changed: ['id', 'name'],
          read: {},
          source: here.uuid,
          transaction: job.uuid,
        },
      ]),
    );
    const history = await world.database.prisma.dataEvent.findMany({ where: { transactionUuid: job.uuid } });
    expect(history.map(({ sourceAdaptorUuid }) => sourceAdaptorUuid)).toEqual([here.uuid, here.uuid]);
  });

  it('takes a value that was read as reported: a drifted value is replaced', async () => {
    await hold('FEDERATED', { here: [], there: [] });
    await report(there, [{ id: 9, name: 'first' }]);
    await eventually(() => expect(here.applied).toHaveLength(1));
    here.link({ drKey: { id: 9 }, domain, version: 1, action: 'LINK' });
    await eventually(async () =>
      expect(await world.database.prisma.recordLink.count({ where: { adaptorUuid: here.uuid } })).toBe(1),
    );
    // a user changed it, and the change was never reported
    systemOf(here).set(9, { id: 9, name: 'drifted' });
    const job = await reconcile({ preview: false, values: 'OTHERS' });
    expect(job.counts).toMatchObject({ differing: 1, sent: 1 });
    await eventually(() => expect(here.applied).toHaveLength(2));
    expect(messages(here)[1]).toMatchObject({
      action: 'PUT',
      changed: ['name'],
      read: { name: 'drifted' },
      source: there.uuid,
    });
  });

  it('leaves a property alone that changes while the sides are asked', async () => {
    await hold('FEDERATED', partlyMatching);
    onCollect = async () => {
      onCollect = undefined;
      // the answers are of the time before
      const row = systemOf(here).get(2) ?? {};
      const before = here.acknowledged;
      here.send({ action: 'PUT', json: { ...row, name: 'newer' } });
      await eventually(() => expect(here.acknowledged).toBe(before + 1));
    };
    const job = await reconcile({ preview: false, values: 'OTHERS', query: 'id:2' });
    expect(job.counts).toMatchObject({ differing: 1, sent: 0 });
    await eventually(() => expect(there.applied).toHaveLength(1));
    expect(messages(there)[0]).toMatchObject({ json: { name: 'newer' } });
    expect(here.applied).toEqual([]);
  });

  it('asks the chains of both zones', async () => {
    await hold('FEDERATED', partlyMatching);
    const zone = await world.seed.addZone('Other zone');
    const uuid = await world.seed.addAdaptor({ name: `abroad ${names}`, zoneUuid: zone, domains: [domain] });
    systems.set(uuid, new Map([[2, { id: 2, name: 'abroad', price: '2' }]]));
    await world.seed.denyInbound(zone, ['name'], world.zoneUuid);
    const job = await reconcile({ preview: false, values: 'ADAPTOR', query: 'id:2' });
    expect(job.counts).toMatchObject({ differing: 1, sent: 1 });
    const event = await world.database.prisma.dataEvent.findFirst({ where: { transactionUuid: job.uuid } });
    expect(event?.denied).toMatchObject([{ adaptorUuid: uuid, chain: 'INBOUND' }]);
    expect(await world.database.prisma.delivery.count({ where: { adaptorUuid: uuid } })).toBe(0);
  });
});

describe('three adaptors', () => {
  const differing = { here: [{ id: 1, name: 'a', price: '1' }], there: [{ id: 1, name: 'b', price: '1' }] };
  const addThird = async (rows: readonly JsonObject[]): Promise<BusAdaptor> => {
    const third = await world.connect(`third ${names}`, domain);
    systemOf(third);
    for (const row of rows) {
      systemOf(third).set(Number(row['id']), row);
      third.send({ action: 'POST', json: row, discovery: true });
    }
    await eventually(() => expect(third.acknowledged).toBe(rows.length));
    return third;
  };
  const prefer = async (adaptorUuid: string, preferenceType: string): Promise<void> => {
    const { zoneUuid } = world;
    const data = { uuid: randomUUID(), zoneUuid, adaptorUuid, preferenceType, domainVersionUuid: versionUuid };
    await world.database.prisma.adaptorPreference.create({ data });
  };

  it('list every pair, and the value of the highest tier goes to all that differ', async () => {
    await hold('FEDERATED', differing);
    const third = await addThird([{ id: 1, name: 'c', price: '1.0' }]);
    await prefer(third.uuid, 'SILVER');
    await prefer(there.uuid, 'GOLD');
    const preview = await reconcile({ values: 'PREFERENCES' });
    const [difference] = await differencesOf(preview);
    expect(
      difference?.properties
        .map(({ otherAdaptorUuid, chosen }) => [otherAdaptorUuid === there.uuid, chosen])
        .toSorted(),
    ).toEqual([
      [false, null],
      [true, 'OTHER'],
    ]);
    expect(preview.byProperty).toEqual([{ property: 'name', differing: 1 }]);
    const job = await reconcile({ preview: false, values: 'PREFERENCES' });
    expect(job.counts).toMatchObject({ examined: 1, differing: 1, sent: 2 });
    await eventually(() => expect([here.applied.length, third.applied.length]).toEqual([1, 1]));
    expect([messages(here), messages(third)]).toMatchObject([
      [{ json: { name: 'b' }, read: { name: 'a' }, source: there.uuid }],
      [{ json: { name: 'b' }, read: { name: 'c' }, source: there.uuid }],
    ]);
    expect(there.applied).toEqual([]);
  });

  it('lack a record only where all others lack it, and each that lacks it is sent it', async () => {
    await hold('FEDERATED', { here: [...differing.here, { id: 2, name: 'only here' }], there: differing.here });
    const third = await addThird([]);
    const job = await reconcile({ preview: false, missingThere: 'SEND' });
    expect(job.counts).toMatchObject({ examined: 2, equal: 1, missingThere: 1, sent: 3 });
    await eventually(() => expect([there.applied.length, third.applied.length]).toEqual([1, 2]));
  });

  it('differ by property in the change that was committed last', async () => {
    await hold('FEDERATED', { here: [], there: [{ id: 1, name: 'n', price: '1' }] });
    const third = await addThird([{ id: 1, name: 'old', price: '9' }]);
    // a change that is only linked is not routed
    there.send({ action: 'PUT', json: { id: 1, name: 'newest', price: '1' }, discovery: true });
    systemOf(there).set(1, { id: 1, name: 'newest', price: '1' });
    await eventually(() => expect(there.acknowledged).toBe(2));
    here = third;
    const job = await reconcile({ values: 'LATEST' });
    const [difference] = await differencesOf(job);
    expect(difference?.properties.map(({ property, chosen }) => [property, chosen]).toSorted()).toEqual([
      ['name', 'OTHER'],
      ['price', 'ADAPTOR'],
    ]);
  });
});

describe('a data-store version', () => {
  const rows = {
    here: [],
    there: [
      { id: 1, name: 'stored' },
      { id: 2, name: 'also stored' },
    ],
  };

  it('is compared with the store, which an initial load sends from', async () => {
    await hold('SERVICE_DATA_STORE', rows);
    const job = await reconcile({ preview: false, missingHere: 'SEND' });
    expect(job.counts).toMatchObject({ examined: 2, missingHere: 2, sent: 2 });
    await eventually(() => expect(here.applied).toHaveLength(2));
    expect(messages(here).map(({ action, json, source }) => [action, json['name'], source])).toEqual([
      ['POST', 'stored', null],
      ['POST', 'also stored', null],
    ]);
  });

  it('takes the value of the adaptor into the store and from there to the others', async () => {
    await hold('SERVICE_DATA_STORE', rows);
    systemOf(here).set(1, { id: 1, name: 'of the adaptor' });
    systemOf(here).set(2, { id: 2, name: 'also stored' });
    const preview = await reconcile({ values: 'ADAPTOR' });
    expect(preview.counts).toMatchObject({ equal: 1, differing: 1, sent: 0 });
    const [difference] = await differencesOf(preview);
    expect(difference?.properties).toMatchObject([
      { otherAdaptorUuid: null, chosen: 'ADAPTOR', otherValue: '"stored"' },
    ]);
    await reconcile({ preview: false, values: 'ADAPTOR' });
    await eventually(() => expect(messages(there).map(({ json }) => json['name'])).toEqual(['of the adaptor']));
    expect((await reconcile({})).counts).toMatchObject({ equal: 2, differing: 0 });
  });

  it('compares the records of a query, by the DR Key or by a search property', async () => {
    await hold('SERVICE_DATA_STORE', rows);
    expect((await reconcile({ query: 'id:2' })).counts).toMatchObject({ examined: 1, missingHere: 1 });
    expect((await reconcile({ query: 'name:stored' })).counts).toMatchObject({ examined: 1, missingHere: 1 });
  });

  it('sends the value of the store to the adaptor', async () => {
    await hold('SERVICE_DATA_STORE', rows);
    await report(here, [{ id: 1, name: 'stored' }]);
    systemOf(here).set(1, { id: 1, name: 'drifted' });
    await reconcile({ preview: false, values: 'OTHERS' });
    await eventually(() => expect(here.applied).toHaveLength(1));
    expect(messages(here)[0]).toMatchObject({
      action: 'PUT',
      changed: ['name'],
      read: { name: 'drifted' },
      source: null,
    });
  });
});

describe('a job', () => {
  it('is refused for a version without capability, for unknown properties and in discovery mode', async () => {
    await hold('FEDERATED', partlyMatching);
    const mine = versionUuid;
    const [me, other] = [here, there];
    await hold('FEDERATED', { here: [], there: [] });
    await expect(start({ domainVersionUuid: mine })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      causes: [{ pointer: '/domainVersionUuid' }],
    });
    [here, there, versionUuid] = [me, other, mine];
    await expect(start({ domainVersionUuid: randomUUID() })).rejects.toMatchObject({ code: 'UNKNOWN_REFERENCE' });
    await expect(start({ properties: ['nothing'] })).rejects.toMatchObject({ causes: [{ pointer: '/properties/0' }] });
    await expect(start({ query: 'name:x' })).rejects.toMatchObject({ code: 'INVALID_QUERY' });
    await switchDiscovery(here, true);
    await expect(start({ preview: false })).rejects.toMatchObject({ code: 'DISCOVERY_MODE' });
    await reconcile({});
  });

  it('runs alone for its adaptor and version, and ends at once when it is cancelled', async () => {
    await hold('FEDERATED', partlyMatching);
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    onCollect = () => answered;
    const job = await start({});
    await expect(start({})).rejects.toMatchObject({ code: 'RECONCILIATION_RUNNING' });
    await eventually(() => expect(asked).toBe(1));
    await cancel(job);
    expect(await read(job)).toMatchObject({ status: 'CANCELLED' });
    onCollect = undefined;
    const next = await start({});
    answer();
    expect(await ended(next)).toMatchObject({ counts: { examined: 4 } });
    expect(await read(job)).toMatchObject({ status: 'CANCELLED', counts: { examined: 0 } });
  });

  it('fails when its adaptor cannot be read, and names others that cannot', async () => {
    await hold('FEDERATED', partlyMatching);
    silent.add(there.uuid);
    const job = await reconcile({});
    expect(job.counts).toMatchObject({ examined: 4, unreadable: 4 });
    expect(job.message).toBe(`there ${names} could not be read: it did not answer in time.`);
    silent.clear();
    silent.add(here.uuid);
    const failed = await reconcile({}, 'FAILED');
    expect(failed.message).toBe(`here ${names} could not be read: it did not answer in time.`);
  }, 60_000);

  it('asks for fewer records at once where answers are too large', async () => {
    await hold('FEDERATED', partlyMatching);
    mostAnswered = 1;
    const job = await reconcile({});
    expect(job).toMatchObject({ message: null, counts: { examined: 4, unreadable: 0 } });
    mostAnswered = 0;
    expect((await reconcile({}, 'FAILED')).message).toContain('ANSWER_TOO_LARGE');
  }, 60_000);

  it('loads an adaptor without GET by its links', async () => {
    await hold('FEDERATED', partlyMatching);
    const sink = await world.connect(`sink ${names}`, domain, ['POST', 'PUT', 'DELETE']);
    here = sink;
    const job = await reconcile({ preview: false, missingHere: 'SEND' });
    expect(job.counts).toMatchObject({ examined: 4, missingHere: 4, unreadable: 0, sent: 4 });
    await eventually(() => expect(sink.applied).toHaveLength(4));
    sink.link(
      ...sink.applied.map(({ event }) => ({ drUuid: event.drUuid, domain, version: 1, action: 'LINK' as const })),
    );
    await eventually(async () =>
      expect(await world.database.prisma.recordLink.count({ where: { adaptorUuid: sink.uuid } })).toBe(4),
    );
    expect((await reconcile({})).counts).toMatchObject({ examined: 4, missingHere: 0, unreadable: 4 });
  });

  it('asks for several pages at the same time while no other events come, and counts each record once', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => ({ id: index + 1, name: `n${index}` }));
    await hold('FEDERATED', {
      here: rows,
      there: rows.map((row) => ({ ...row, name: row.id % 2 === 0 ? 'x' : row.name })),
    });
    let [atOnce, most] = [0, 0];
    onCollect = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await answerTime(50);
      atOnce -= 1;
    };
    // the discovery counts as other events for a second
    await eventually(
      async () => {
        const { counts, byProperty } = await reconcile({});
        expect(counts).toMatchObject({ examined: 900, equal: 450, differing: 450 });
        expect(byProperty).toEqual([{ property: 'name', differing: 450 }]);
        expect(most).toBeGreaterThan(1);
      },
      { deadlineMs: 30_000 },
    );
    expect(most).toBeLessThanOrEqual(4);
  }, 60_000);

  it('continues in another process, where each record counts and is sent once', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => ({ id: index + 1, name: `n${index}` }));
    await hold('FEDERATED', { here: [], there: rows });
    let pages = 0;
    const other = await startRecords(world.database, { collector, leaseMs: 1_000 });
    onCollect = async () => {
      pages += 1;
    };
    const job = await start({ preview: false, missingHere: 'SEND' });
    try {
      await eventually(() => expect(pages).toBe(3), { intervalMs: 1 });
    } finally {
      await other.close();
    }
    // the first process ends too, if it works on the job
    const replaced = world.server;
    await replaced.close();
    const next = await startRecords(world.database, { collector });
    world = {
      ...world,
      server: next,
      close: async () => {
        await next.close();
        await world.database.drop();
      },
    };
    const done = await ended(job);
    expect(done.counts).toEqual({
      examined: 900,
      equal: 0,
      differing: 0,
      missingHere: 900,
      missingThere: 0,
      unreadable: 0,
      sent: 900,
    });
    expect(await world.database.prisma.delivery.count({ where: { adaptorUuid: here.uuid } })).toBe(900);
    expect(
      await world.database.prisma.reconciliationDifference.count({ where: { reconciliationUuid: job.uuid } }),
    ).toBe(900);
  }, 60_000);
});
