import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileDataAccess, compileGrants } from '@fds/access-rules';
import type { CollectedAnswer, CollectedRecord, RecordCollector } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import type { JsonObject } from '@fds/json';
import { createLog, createUuids } from '@fds/service';
import { eventually } from '@fds/testing';
import { graphql } from 'graphql';
import { openCatalogView, type CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';
import { createPreviewSchedule, type PreviewSchedule } from './create-preview-schedule.js';

const hourMs = 3_600_000;
/** The rows of adaptors by their id. */
const systems = new Map<string, Map<number, JsonObject>>();
/** Adaptors that do not answer. */
const silent = new Set<string>();

/** Questions wait for it. */
let held: Promise<void> | undefined;

/** Stands for the engine of another part. */
const collector: RecordCollector = {
  collect: async ({ questions }) => {
    await held;
    return questions.map(({ adaptorUuid, records }): CollectedAnswer => {
      const base = { adaptorUuid, tier: 'BRONZE', denied: new Set<string>() } as const;
      if (silent.has(adaptorUuid)) return { ...base, outcome: 'LATE', reason: 'it is slow', records: new Map() };
      const found = records.flatMap(({ drUuid, drKey }): [string, CollectedRecord][] => {
        const values = systems.get(adaptorUuid)?.get(Number(drKey['id']));
        return values === undefined ? [] : [[drUuid, { values }]];
      });
      return { ...base, outcome: 'ANSWERED', records: new Map(found) };
    });
  },
};

const steward: Principal = {
  kind: 'PERSON',
  uuid: 'b1f6ad76-6f0c-4f6e-9d0b-0a4a3a6d9c11',
  username: 'steward',
  zones: [],
  defaultZoneUuid: undefined,
  permits: compileGrants([{ action: 'ALL', resource: '/*' }]).permits,
};

let world: RecordsWorld;
let view: CatalogView;
let clockMs = Date.now();
let here: BusAdaptor;
let there: BusAdaptor;
let versionUuid: string;
const schedules: PreviewSchedule[] = [];
const log = createLog('silent');

/** The schedule of one more process. */
const openSchedule = (): PreviewSchedule => {
  const schedule = createPreviewSchedule({
    database: world.database,
    view,
    log,
    now: () => new Date(clockMs),
    newUuid: createUuids(Date.now),
    // the process of the world runs the jobs
    onStarted: () => undefined,
  });
  schedules.push(schedule);
  return schedule;
};

/** The jobs of the schedule, the oldest first. */
const jobs = async () =>
  world.database.prisma.reconciliation.findMany({ where: { startedByUuid: null }, orderBy: { uuid: 'asc' } });

/** Lets processes look at the schedule at the same time. @returns the jobs when all of them have ended */
const look = async (processes = 1) => {
  const opened = Array.from({ length: processes }, openSchedule);
  await Promise.all(opened.map((schedule) => schedule.check()));
  for (const schedule of opened) await schedule.close();
  return eventually(
    async () => {
      const all = await jobs();
      expect(all.filter(({ status }) => status === 'RUNNING')).toEqual([]);
      return all;
    },
    { deadlineMs: 60_000 },
  );
};

const later = (hours: number): void => {
  clockMs += hours * hourMs;
};

const setSchedule = (reconcile: object | null) =>
  world.database.prisma.zone.update({
    where: { uuid: world.zoneUuid },
    data: { reconcile: reconcile === null ? null : JSON.stringify(reconcile) },
  });

interface ShownIssue {
  readonly uuid: string;
  readonly status: string;
  readonly cause?: string;
  readonly exception: string;
  readonly title: string;
  readonly description: string;
  readonly adaptor: { readonly uuid: string };
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

const issues = async (principal = steward): Promise<readonly ShownIssue[]> => {
  const answer = await graphql({
    schema: world.server.subgraph.schema,
    source: `query ($zoneUuid: Uuid!) { dataIssues(zoneUuid: $zoneUuid, cause: [DRIFTED]) {
      data { uuid status exception title description adaptor { uuid } errors { pointer code detail } } } }`,
    variableValues: { zoneUuid: world.zoneUuid },
    contextValue: { principal, requestId: 'test' },
  });
  expect(answer.errors).toBeUndefined();
  const listed = answer.data?.['dataIssues'] as { readonly data: readonly ShownIssue[] } | undefined;
  return listed?.data ?? [];
};

const issueOf = async (adaptor: BusAdaptor): Promise<ShownIssue | undefined> =>
  (await issues()).find((issue) => issue.adaptor.uuid === adaptor.uuid && issue.status === 'OPEN');

const rowsOf = ({ uuid }: BusAdaptor): Map<number, JsonObject> => {
  const rows = systems.get(uuid) ?? new Map<number, JsonObject>();
  systems.set(uuid, rows);
  return rows;
};

const policy = { values: 'ADAPTOR', missingHere: 'SEND', missingThere: 'KEEP' };

beforeAll(async () => {
  world = await openRecordsWorld({ collector });
  view = await openCatalogView({ database: world.database, log });
  const version = await world.seed.addVersion({
    domainName: 'Compared',
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  versionUuid = version.domainVersionUuid;
  here = await world.connect('here', 'Compared');
  there = await world.connect('there', 'Compared');
  await view.reloadAdaptor(here.uuid);
  await view.reloadAdaptor(there.uuid);
  await view.catchUp();
  for (const adaptor of [here, there]) {
    for (const id of [1, 2, 3]) {
      rowsOf(adaptor).set(id, { id, name: `n${id}` });
      adaptor.send({ action: 'POST', json: { id, name: `n${id}` }, discovery: true });
    }
    await eventually(() => expect(adaptor.acknowledged).toBe(3));
  }
});
afterAll(async () => {
  for (const schedule of schedules) await schedule.close();
  await view?.close();
  await world?.close();
});

describe('the schedule of a zone', () => {
  it('starts nothing without one', async () => {
    expect(await look()).toEqual([]);
  });

  it('previews each adaptor and version once, however many processes look, and not again after a restart', async () => {
    await setSchedule({ everyHours: 24, policy });
    const first = await look(3);
    expect(first.map(({ adaptorUuid }) => adaptorUuid).toSorted()).toEqual([here.uuid, there.uuid].toSorted());
    expect(first[0]).toMatchObject({
      status: 'DONE',
      preview: true,
      domainVersionUuid: versionUuid,
      valuePolicy: 'ADAPTOR',
      missingHere: 'SEND',
      missingThere: 'KEEP',
      equal: 3n,
    });
    later(23);
    expect(await look(2)).toHaveLength(2);
    later(2);
    expect(await look(2)).toHaveLength(4);
    const logged = await world.database.prisma.changeLogEntry.findMany({ where: { resourceType: 'Reconciliation' } });
    expect(logged.filter(({ action }) => action === 'POST')).toHaveLength(4);
    expect(await issues()).toEqual([]);
  });

  it('opens one issue with the list, brings it up to date, and closes it when a later preview is equal', async () => {
    rowsOf(here).set(2, { id: 2, name: 'drifted' });
    rowsOf(here).delete(3);
    later(25);
    const all = await look();
    const issue = await eventually(async () => {
      const found = await issueOf(here);
      expect(found).toBeDefined();
      return found;
    });
    const job = all.findLast(({ adaptorUuid }) => adaptorUuid === here.uuid);
    expect(issue).toMatchObject({
      exception: 'OTHER',
      title: 'The adaptor and the others have drifted apart',
      description: `Reconciliation ${job?.uuid} lists the differences.`,
    });
    expect(issue?.errors.map(({ code, detail }) => `${code} ${detail.replace(/record \S{36}/, 'record')}`)).toEqual([
      'DRIFTED 1 record with other values, 1 record missing here, 0 records missing at all others',
      'DIFFERING record: name',
      'MISSING_HERE record',
    ]);
    expect(await issueOf(there)).toMatchObject({ status: 'OPEN' });
    // the list names records
    const any = { actions: null, zoneUuid: null, adaptorUuid: null, domainUuid: null, domainVersionUuid: null };
    const rules = [
      { ...any, effect: 'DENY', properties: ['name'], drUuids: null },
      { ...any, effect: 'ALLOW', properties: null, drUuids: null },
    ] as const;
    const zones = new Map([here, there].map(({ uuid }) => [uuid, world.zoneUuid]));
    const restricted = await issues({ ...steward, dataAccess: compileDataAccess([rules], zones) });
    expect(restricted.map(({ errors }) => errors.map(({ code }) => code))).toEqual([['DRIFTED'], ['DRIFTED']]);
    // nothing is sent
    expect([here.applied, there.applied]).toEqual([[], []]);

    rowsOf(here).set(3, { id: 3, name: 'n3' });
    later(25);
    await look();
    expect(await issues()).toHaveLength(2);
    expect((await issueOf(here))?.errors.map(({ code }) => code)).toEqual(['DRIFTED', 'DIFFERING']);

    // an adaptor that does not answer proves nothing
    rowsOf(here).set(2, { id: 2, name: 'n2' });
    silent.add(there.uuid);
    later(25);
    await look();
    expect(await issueOf(here)).toMatchObject({ status: 'OPEN' });
    silent.clear();

    later(25);
    const last = (await look()).findLast(({ adaptorUuid }) => adaptorUuid === here.uuid);
    const closed = (await issues()).find(({ uuid }) => uuid === issue?.uuid);
    expect(closed).toMatchObject({ status: 'CLOSED' });
    expect(closed?.description).toMatch(new RegExp(`\nReconciliation ${last?.uuid} found no difference\\.$`));
  }, 120_000);

  it('runs two jobs at a time, and none of an adaptor that cannot answer', async () => {
    const domains = ['Second', 'Third', 'Fourth'];
    for (const domainName of domains) {
      await world.seed.addVersion({
        domainName,
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: { type: 'integer' } },
        drKeyProperties: ['id'],
      });
    }
    const adaptorUuid = await world.seed.addAdaptor({ name: 'of many', zoneUuid: world.zoneUuid, domains });
    await view.reloadAdaptor(adaptorUuid);
    await view.reloadVersions(
      (await world.database.prisma.domainVersion.findMany({ select: { uuid: true } })).map(({ uuid }) => uuid),
    );
    const ofMany = async () => (await jobs()).filter((job) => job.adaptorUuid === adaptorUuid);
    later(25);
    let release: (() => void) | undefined;
    held = new Promise((resolve) => (release = resolve));
    for (const schedule of [openSchedule(), openSchedule()]) await schedule.check();
    expect((await jobs()).filter(({ status }) => status === 'RUNNING')).toHaveLength(2);
    held = undefined;
    release?.();
    await eventually(
      async () => {
        await look();
        expect(await ofMany()).toHaveLength(3);
      },
      { deadlineMs: 60_000 },
    );

    await world.seed.setState(adaptorUuid, 'DOWN');
    await view.reloadAdaptor(adaptorUuid);
    later(25);
    await look();
    await look();
    expect(await ofMany()).toHaveLength(3);
  }, 120_000);
});
