import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { expectProblem } from '../expect-problem.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody } from '../unique-name.js';

const domain = 'searched';

interface FoundEvents {
  readonly dataEvents: readonly {
    readonly uuid: string;
    readonly drKey: { readonly id: string };
    readonly drUuid: string;
    readonly domainVersionUuid: string;
    readonly sourceAdaptorUuid: string | null;
    readonly destinations: readonly { readonly adaptorUuid: string; readonly status: string }[];
  }[];
  readonly cursor: string | null;
  readonly more: boolean;
}

interface Counts {
  readonly counts: readonly {
    readonly sourceAdaptorUuid: string | null;
    readonly destinationAdaptorUuid: string | null;
    readonly domainVersionUuid: string;
    readonly status: string | null;
    readonly count: number;
  }[];
}

describe('the search for data events', () => {
  const { doors, leftovers } = setUpDoors();
  let source: CreatedAdaptor;
  let taker: CreatedAdaptor;
  let away: CreatedAdaptor;
  let reader: CreatedAdaptor;
  let running: RunningAdaptor;
  let versionUuid: string;
  let began: number;

  const search = async (filters = '', more = ''): Promise<FoundEvents> =>
    requireStatus(
      await doors.dgs.rest<FoundEvents>('GET', `/data-events?${filters === '' ? '' : `filters=${filters}`}${more}`),
      200,
    ).body;
  const idsOf = ({ dataEvents }: FoundEvents): string[] => dataEvents.map(({ drKey }) => drKey.id);
  const report = (id: string): Promise<unknown> =>
    running.publish({ action: 'POST', domain, version: 1, json: { id, n: 1 } });

  beforeAll(async () => {
    const { dgs, root, service } = doors;
    const version = await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    versionUuid = version.domainVersionUuid;
    const capabilities = allActions(domain);
    source = await createAdaptor(dgs, root, { name: 'source', capabilities });
    taker = await createAdaptor(dgs, root, { name: 'taker', capabilities });
    away = await createAdaptor(dgs, root, { name: 'away', capabilities });
    const reads = [{ domainName: domain, versionNumber: 1, action: 'GET' }];
    reader = await createAdaptor(dgs, root, { name: 'reader', capabilities: reads });
    running = await startSourceAdaptor(leftovers, service, source, {});
    await startSourceAdaptor(leftovers, service, taker, {
      apply: async ({ json }) => {
        if ((json as { readonly id?: string } | undefined)?.id === 'bad') throw new Error('it does not fit');
      },
    });
    began = Date.now();
    for (const id of ['one', 'two', 'bad']) await report(id);
    await eventually(async () => {
      const { dataEvents } = await search(`destination:${taker.uuid},status:APPLIED`);
      expect(dataEvents).toHaveLength(2);
      expect((await search(`status:FAILED`)).dataEvents).toHaveLength(1);
    });
  }, 120_000);

  it('finds events of all records, newest first', async () => {
    const found = await search();
    expect(idsOf(found)).toEqual(['bad', 'two', 'one']);
    expect([found.more, found.cursor]).toEqual([false, found.dataEvents.at(-1)?.uuid]);
    expect(found.dataEvents[0]).toMatchObject({
      sourceAdaptorUuid: source.uuid,
      domainVersionUuid: versionUuid,
      destinations: expect.arrayContaining([
        expect.objectContaining({ adaptorUuid: taker.uuid, status: 'FAILED' }),
        expect.objectContaining({ adaptorUuid: away.uuid, status: 'QUEUED' }),
      ]) as unknown,
    });
  });

  it('continues after the cursor', async () => {
    const first = await search('', 'size=2');
    expect([idsOf(first), first.more]).toEqual([['bad', 'two'], true]);
    const second = await search('', `size=2&after=${first.cursor}`);
    expect([idsOf(second), second.more]).toEqual([['one'], false]);
    const third = await search('', `size=2&after=${second.cursor}`);
    expect([idsOf(third), third.more, third.cursor]).toEqual([[], false, second.cursor]);
  });

  it.each([
    ['adaptor:{source}', 3],
    ['adaptor:{taker}', 0],
    [`adaptor:${nobody}`, 0],
    ['destination:{taker}', 3],
    ['destination:{source}', 0],
    ['domain-version:{version}', 3],
    [`domain-version:${nobody}`, 0],
    ['status:FAILED', 1],
    ['status:QUEUED', 3],
    ['destination:{taker},status:QUEUED', 0],
    ['destination:{taker},status:FAILED', 1],
    ['status:DENIED', 0],
    ['reason:REFUSED_BY_ADAPTOR', 1],
    ['reason:AWAY', 3],
    ['reason:AWAY,destination:{taker}', 0],
    ['reason:PAUSED', 0],
    ['reason:NOT_CAPABLE', 3],
    ['reason:NOT_CAPABLE,destination:{reader}', 3],
    ['reason:NOT_CAPABLE,destination:{taker}', 0],
    ['reason:SOURCE,destination:{source}', 3],
    ['reason:DENIED', 0],
    ['from:{began}', 3],
    ['to:{began}', 0],
    ['from:{began},to:{began}', 0],
    ['adaptor:{source},destination:{taker},domain-version:{version},status:APPLIED,from:{began}', 2],
  ])('finds by %s', async (filters, count) => {
    const values: Readonly<Record<string, string>> = {
      source: source.uuid,
      taker: taker.uuid,
      reader: reader.uuid,
      version: versionUuid,
      began: String(began),
    };
    const filled = filters.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
    expect((await search(encodeURIComponent(filled))).dataEvents).toHaveLength(count);
  });

  it('counts by source, destination, version and status', async () => {
    const { counts } = requireStatus(await doors.dgs.rest<Counts>('GET', '/data-events/counts'), 200).body;
    const common = { sourceAdaptorUuid: source.uuid, domainVersionUuid: versionUuid };
    expect(counts).toHaveLength(3);
    expect(counts).toEqual(
      expect.arrayContaining([
        { ...common, destinationAdaptorUuid: away.uuid, status: 'QUEUED', count: 3 },
        { ...common, destinationAdaptorUuid: taker.uuid, status: 'APPLIED', count: 2 },
        { ...common, destinationAdaptorUuid: taker.uuid, status: 'FAILED', count: 1 },
      ]),
    );
    const before = await doors.dgs.rest<Counts>('GET', `/data-events/counts?filters=to:${began}`);
    expect(requireStatus(before, 200).body.counts).toEqual([]);
  });

  it('is the field dataEvents without drUuid in GraphQL, which does not mix both', async () => {
    const { dgs } = doors;
    const found = await dgs.graphql<{ dataEvents: { data: { drKey: string; overrides: unknown[] }[]; page: unknown } }>(
      `{ dataEvents(adaptorUuid: "${source.uuid}", size: 1) { data { drKey overrides { eventUuid } } page { size } cursor more } }`,
    );
    expect(found.body.data?.dataEvents).toMatchObject({ data: [{ overrides: [] }], page: null, more: true });
    const mixed = await dgs.graphql(`{ dataEvents(drUuid: "${nobody}", adaptorUuid: "${nobody}") { more } }`);
    expect(mixed.body.errors?.[0]?.extensions).toMatchObject({
      code: 'INVALID_PARAMETER',
      errors: [{ pointer: 'adaptorUuid', code: 'INVALID_VALUE' }],
    });
    const sorted = await dgs.graphql('{ dataEvents(sort: "action", page: 2) { more } }');
    expect(sorted.body.errors?.[0]?.extensions).toMatchObject({
      errors: [{ pointer: 'sort' }, { pointer: 'page' }],
    });
  });

  it('refuses wrong values, and callers without permission', async () => {
    const { dgs, anyone } = doors;
    for (const query of [
      'filters=status:LOST',
      'filters=reason:BECAUSE',
      'filters=adaptor:me',
      'size=0',
      'filters=age:1',
    ]) {
      expect((await dgs.rest('GET', `/data-events?${query}`)).status).toBe(400);
    }
    expectProblem(await anyone.rest('GET', '/data-events'), { status: 401, code: 'UNAUTHENTICATED' });
  });
});
