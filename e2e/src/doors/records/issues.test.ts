import { isDeepStrictEqual } from 'node:util';
import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
  type CreatedVersion,
} from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { openDoors, type Doors, type Resource } from '../open-doors.js';

type OutgoingEvent = Parameters<RunningAdaptor['publish']>[0];

/** An adaptor in the process of the test, and the events that it received. */
interface Member extends CreatedAdaptor {
  readonly applied: { readonly action: string; readonly drUuid: string; readonly json: unknown }[];
  publish(event: OutgoingEvent): Promise<void>;
}

type Issue = Resource & {
  readonly title: string;
  readonly status: string;
  readonly exception: string;
  readonly issuePriority: string;
  readonly matchStatus: string | null;
  readonly drUuid: string | null;
  readonly dataEvent: Readonly<Record<string, unknown>> | null;
};

interface Issues {
  readonly issues: readonly Issue[];
  readonly _page: { readonly totalElements: number };
}

const integer = { type: 'integer' } as const;
const text = { type: 'string' } as const;

describe('data issues', () => {
  const leftovers = createLeftovers();
  let doors: Doors;
  let zone: string;

  beforeAll(async () => {
    doors = await openDoors(leftovers);
    zone = `/zones/${doors.root}`;
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const join = async (name: string, capabilities: readonly unknown[]): Promise<Member> => {
    const created = await createAdaptor(doors.dgs, doors.root, { name, capabilities });
    const applied: Member['applied'][number][] = [];
    const running = await startSourceAdaptor(leftovers, doors.service, created, {
      apply: ({ action, drUuid, json }) => void applied.push({ action, drUuid, json }),
    });
    return { ...created, applied, publish: (event) => running.publish(event) };
  };
  const read = async <Body = Issue>(path: string): Promise<Body> =>
    requireStatus(await doors.dgs.rest<Body>('GET', path), 200).body;
  const ofAdaptor = ({ uuid }: CreatedAdaptor, query = ''): Promise<Issues> =>
    read(`${zone}/adaptors/${uuid}/issues${query}`);
  /** The only open issue of an adaptor. */
  const openIssue = (adaptor: CreatedAdaptor): Promise<Issue> =>
    eventually(async () => {
      const { issues } = await ofAdaptor(adaptor, '?filters=status:OPEN');
      expect(issues).toHaveLength(1);
      return issues[0] as Issue;
    });
  const untilClosed = ({ uuid }: Issue): Promise<Issue> =>
    eventually(async () => {
      const issue = await read(`${zone}/issues/${uuid}`);
      expect(issue.status).toBe('CLOSED');
      return issue;
    });
  const patch = ({ uuid, changeVersion }: Issue, body: object) =>
    doors.dgs.rest<Issue>('PATCH', `${zone}/issues/${uuid}`, { changeVersion, ...body });
  /** Uuid of the record whose DR Key is this one. */
  const recordOf = (domain: string, drKey: object): Promise<string> =>
    eventually(async () => {
      const { drs } = await read<{ readonly drs: readonly Resource[] }>(
        `/drs?filters=name:${domain},exclude-adaptors:true&size=100`,
      );
      const found = drs.find((record) => isDeepStrictEqual(record['drKey'], drKey));
      if (found === undefined) throw new Error(`no record of ${domain} has the key ${JSON.stringify(drKey)}`);
      return found.uuid;
    });

  describe('continue automatically when their cause disappears', () => {
    it('when the DR Key of another record becomes free', async () => {
      const domain = 'seat';
      await createVersion(doors.dgs, {
        name: domain,
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: integer, name: text },
        drKeyProperties: ['id'],
      });
      const seats = await join('seats', allActions(domain));
      await seats.publish({ action: 'POST', domain, version: 1, json: { id: 1, name: 'window' } });
      await seats.publish({ action: 'POST', domain, version: 1, json: { id: 2, name: 'aisle' } });
      const [first, second] = [await recordOf(domain, { id: 1 }), await recordOf(domain, { id: 2 })];
      await seats.publish({ action: 'PUT', domain, version: 1, drUuid: first, json: { id: 2, name: 'window' } });
      const issue = await openIssue(seats);
      expect(issue).toMatchObject({
        title: 'Another record has the DR Key',
        exception: 'MATCHING',
        issuePriority: 'HIGH',
        matchStatus: null,
        drUuid: first,
      });
      // while the key is taken, a retry changes nothing
      const retried = requireStatus(await patch(issue, { status: 'CLOSED', retry: true }), 200).body;
      expect([retried.status, retried.changeVersion]).toEqual(['OPEN', 1]);
      requireStatus(await doors.dgs.rest('DELETE', `/drs/${second}`), 204);
      await untilClosed(issue);
      expect(await read(`/drs/${first}`)).toMatchObject({ drKey: { id: 2 }, json: { id: 2, name: 'window' } });
    });

    it('when no record refers to the deleted record any longer', async () => {
      await createVersion(doors.dgs, {
        name: 'crew',
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: integer, name: text },
        drKeyProperties: ['id'],
      });
      await createVersion(doors.dgs, {
        name: 'voyage',
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: integer, captain: { $ref: '/domains/crew:v1' } },
        drKeyProperties: ['id'],
      });
      const harbour = await join('harbour', [...allActions('crew'), ...allActions('voyage')]);
      // the order matters: the voyage waits for its captain
      await harbour.publish({ action: 'POST', domain: 'voyage', version: 1, json: { id: 7, captain: 1 } });
      const waiting = await openIssue(harbour);
      expect(waiting).toMatchObject({
        title: 'The record is not valid',
        exception: 'PARSING',
        errors: [{ pointer: '/json/captain', code: 'UNKNOWN_REFERENCE' }],
      });
      await harbour.publish({ action: 'POST', domain: 'crew', version: 1, json: { id: 1, name: 'Ada' } });
      await untilClosed(waiting);
      const [captain, voyage] = [await recordOf('crew', { id: 1 }), await recordOf('voyage', { id: 7 })];

      await harbour.publish({ action: 'DELETE', domain: 'crew', version: 1, drKey: { id: 1 } });
      const issue = await openIssue(harbour);
      expect(issue).toMatchObject({
        title: 'Other records refer to the record',
        exception: 'OTHER',
        issuePriority: 'MEDIUM',
        drUuid: captain,
      });
      requireStatus(await doors.dgs.rest('DELETE', `/drs/${voyage}`), 204);
      await untilClosed(issue);
      expect((await doors.dgs.rest('GET', `/drs/${captain}`)).status).toBe(404);
    });

    it('when a person adds the missing record or the missing capability', async () => {
      await createVersion(doors.dgs, {
        name: 'town',
        domainType: 'SERVICE_DATA_STORE',
        properties: { code: text },
        drKeyProperties: ['code'],
      });
      await createVersion(doors.dgs, {
        name: 'street',
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: integer, town: { $ref: '/domains/town:v1' } },
        drKeyProperties: ['id'],
      });
      const reader = await join('streets read', allActions('street'));
      const writer = await join('streets', []);
      await writer.publish({ action: 'POST', domain: 'street', version: 1, json: { id: 1, town: 'BE' } });
      const issue = await openIssue(writer);
      expect(issue).toMatchObject({
        title: 'The adaptor has no capability for the action and the domain version',
        exception: 'OTHER',
      });
      const { changeVersion } = await read<Resource>(`${zone}/adaptors/${writer.uuid}`);
      const capabilities = allActions('street');
      const path = `${zone}/adaptors/${writer.uuid}`;
      requireStatus(await doors.dgs.rest('PATCH', path, { changeVersion, capabilities }), 200);
      // the capability is there now, but the referenced record is missing
      const named = await eventually(async () => {
        const found = await openIssue(writer);
        expect(found.exception).toBe('PARSING');
        return found;
      });
      expect(named.uuid).toBe(issue.uuid);
      requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'town', json: { code: 'BE' } }), 201);
      await untilClosed(named);
      await eventually(() => expect(reader.applied).toMatchObject([{ action: 'POST', json: { id: 1, town: 'BE' } }]));
    });
  });

  describe('about matches', () => {
    const domain = 'person';
    let crm: Member;
    let shop: Member;
    const person = (name: string, born: string) =>
      ({ action: 'POST', domain, version: 1, json: { name, born } }) as const;

    beforeAll(async () => {
      await createVersion(doors.dgs, {
        name: domain,
        domainType: 'FEDERATED',
        properties: { name: text, born: text },
        drKeyProperties: ['name', 'born'],
        matchingAlgorithm: {
          type: 'SCORED',
          rules: [{ all: [{ property: 'born', comparator: 'EXACT' }] }],
          scores: [
            { property: 'name', comparator: 'NORMALIZED', weight: 0.5 },
            { property: 'born', comparator: 'EXACT', weight: 0.5 },
          ],
          thresholds: { match: 1, review: 0.5 },
        },
      });
      [crm, shop] = [await join('crm', allActions(domain)), await join('shop', allActions(domain))];
    });

    it('are settled with a record that is chosen', async () => {
      await crm.publish(person('Ann Moor', '1980'));
      const ann = await recordOf(domain, { name: 'Ann Moor', born: '1980' });
      await shop.publish(person('A. Moor', '1980'));
      const issue = await openIssue(shop);
      expect(issue).toMatchObject({
        exception: 'MATCHING',
        matchStatus: 'AMBIGUOUS',
        issuePriority: 'HIGH',
        drUuid: null,
      });
      const matchesOf = async (place: string, query = '') =>
        (await read<{ readonly matches: readonly Resource[] }>(`${place}/issues/${issue.uuid}/matches${query}`))
          .matches;
      const matches = await matchesOf(zone);
      expect(matches).toMatchObject([{ drUuid: ann, score: 0.5, adaptorUuid: crm.uuid }]);
      const atAdaptor = `${zone}/adaptors/${shop.uuid}`;
      expect(await matchesOf(atAdaptor, `?filters=dr-uuid:${ann},min-score:0.5,max-score:1`)).toMatchObject([
        { drUuid: ann, drKey: { name: 'Ann Moor', born: '1980' } },
      ]);
      expect(await matchesOf(atAdaptor, `?filters=adaptor-uuid:${crm.uuid}`)).toEqual(matches);
      expect(await matchesOf(atAdaptor, `?filters=adaptor-uuid:${shop.uuid}`)).toEqual([]);
      expect(await matchesOf(atAdaptor, '?filters=min-score:0.6')).toEqual([]);

      const settled = requireStatus(
        await patch(issue, { status: 'CLOSED', matchStatus: 'RESOLVED', drUuid: ann }),
        200,
      ).body;
      expect(settled).toMatchObject({ status: 'CLOSED', matchStatus: 'RESOLVED', drUuid: ann });
      expect((await doors.dgs.rest('GET', `/drs/${ann}/adaptor/${shop.uuid}/check`)).status).toBe(200);
      await eventually(() =>
        expect(crm.applied.at(-1)).toMatchObject({ action: 'PUT', drUuid: ann, json: { name: 'A. Moor' } }),
      );
    });

    it('are settled with a new record', async () => {
      await crm.publish(person('Carl Frost', '1990'));
      await recordOf(domain, { name: 'Carl Frost', born: '1990' });
      await shop.publish(person('Dora Frost', '1990'));
      const issue = await openIssue(shop);
      const decision = { status: 'CLOSED', matchStatus: 'RESOLVED', drUuid: null };
      const { data, errors } = (
        await doors.dgs.graphql<{ readonly patchDataIssue: Issue }>(
          `mutation ($zone: Uuid!, $issue: Uuid!, $input: DataIssueInput!) {
             patchDataIssue(zoneUuid: $zone, issueUuid: $issue, input: $input) { status matchStatus drUuid }
           }`,
          { zone: doors.root, issue: issue.uuid, input: { changeVersion: issue.changeVersion, ...decision } },
        )
      ).body;
      expect(errors).toBeUndefined();
      const dora = await recordOf(domain, { name: 'Dora Frost', born: '1990' });
      expect(data?.patchDataIssue).toEqual({ status: 'CLOSED', matchStatus: 'RESOLVED', drUuid: dora });
      await eventually(() => expect(crm.applied.at(-1)).toMatchObject({ action: 'POST', drUuid: dora }));
    });
  });

  describe('in large numbers', () => {
    const names = ['bricks', 'sand', 'timber'] as const;
    const versions: CreatedVersion[] = [];
    let [north, south]: Member[] = [];
    const each = 8;

    beforeAll(async () => {
      for (const name of names) {
        versions.push(
          await createVersion(doors.dgs, {
            name,
            domainType: 'FEDERATED',
            properties: { id: integer, weight: integer },
            drKeyProperties: ['id'],
          }),
        );
      }
      const capabilities = names.flatMap((name) => allActions(name));
      [north, south] = [await join('north', capabilities), await join('south', capabilities)];
      for (const member of [north, south]) {
        for (const domain of names) {
          for (let id = 1; id <= each; id += 1) {
            await member.publish({ action: 'POST', domain, version: 1, json: { id, weight: 'heavy' } });
          }
        }
        await eventually(async () => expect((await ofAdaptor(member))._page.totalElements).toBe(each * names.length));
        const { issues } = await ofAdaptor(member, '?size=100');
        for (const [index, issue] of issues.entries()) {
          const issuePriority = ['LOW', 'HIGH', 'MEDIUM'][index % 3];
          if (issuePriority !== 'MEDIUM') requireStatus(await patch(issue, { issuePriority }), 200);
        }
      }
    }, 120_000);

    const members = (): [Member, Member] => {
      if (north === undefined || south === undefined) throw new TypeError('no adaptors');
      return [north, south];
    };
    const keys = [
      'uuid',
      'type',
      'status',
      'issuePriority',
      'title',
      'description',
      'exception',
      'matchStatus',
      'drUuid',
      'dateCreated',
      'lastUpdated',
      'changeVersion',
      'adaptor.uuid',
      'adaptor.name',
      'domainVersion.domain.name',
      'domainVersion.versionNumber',
    ];

    it.each(keys)(
      'are sorted by %s, with the newest first among equals, on every page and at both doors',
      async (key) => {
        const [{ uuid: adaptor }] = members();
        const [{ domainUuid, domainVersionUuid }] = versions as [CreatedVersion];
        const version = { adaptorUuid: adaptor, domainUuid, domainVersionUuid };
        const places = [
          [zone, {}],
          [`${zone}/adaptors/${adaptor}`, { adaptorUuid: adaptor }],
          [`${zone}/adaptors/${adaptor}/domains/${domainUuid}/versions/${domainVersionUuid}`, version],
        ] as const;
        const rank: Readonly<Record<string, string>> = { LOW: '0', MEDIUM: '1', HIGH: '2' };
        const valueOf = (issue: Issue): string => {
          let value: unknown = issue;
          for (const name of key.split('.')) value = (value as Readonly<Record<string, unknown>> | null)?.[name];
          return rank[String(value)] ?? String(value);
        };
        for (const [path, place] of places) {
          for (const sort of [key, `-${key}`]) {
            const found = (await read<Issues>(`${path}/issues?sort=${sort}&size=200`)).issues;
            const paged: string[] = [];
            for (let page = 0; page * 9 < found.length; page += 1) {
              const { issues } = await read<Issues>(`${path}/issues?sort=${sort}&size=9&page=${page}`);
              paged.push(...issues.map(({ uuid }) => uuid));
            }
            expect(paged).toEqual(found.map(({ uuid }) => uuid));
            const { body } = await doors.dgs.graphql<{ readonly dataIssues: { readonly data: readonly Resource[] } }>(
              `query ($zone: Uuid!, $adaptorUuid: Uuid, $domainUuid: Uuid, $domainVersionUuid: Uuid) {
               dataIssues(zoneUuid: $zone, adaptorUuid: $adaptorUuid, domainUuid: $domainUuid,
                          domainVersionUuid: $domainVersionUuid, sort: "${sort}", size: 200) { data { uuid } }
             }`,
              { zone: doors.root, ...place },
            );
            expect(body.data?.dataIssues.data.map(({ uuid }) => uuid)).toEqual(paged);
            for (const [index, issue] of found.entries()) {
              const next = found[index + 1];
              if (next === undefined) break;
              const [one, other] = sort === key ? [valueOf(issue), valueOf(next)] : [valueOf(next), valueOf(issue)];
              if (one === other) expect(issue.uuid > next.uuid).toBe(true);
              else if (one !== 'null' && other !== 'null') expect(one < other).toBe(true);
            }
          }
        }
      },
    );

    it('are filtered by several filters at once', async () => {
      const [adaptor] = members();
      const [{ domainVersionUuid }] = versions as [CreatedVersion];
      const total = async (filters: string) =>
        (await read<Issues>(`${zone}/issues?filters=${filters}`))._page.totalElements;
      expect(await total(`adaptor:${adaptor.uuid},domain-version:${domainVersionUuid},status:OPEN`)).toBe(each);
      expect(await total(`domain-version:${domainVersionUuid},exceptions:PARSING:OTHER,type:GENERAL`)).toBe(2 * each);
      expect(await total(`domain-version:${domainVersionUuid},exceptions:ADAPTOR:MATCHING`)).toBe(0);
      expect(await total(`adaptor:${adaptor.uuid},match-status:AMBIGUOUS`)).toBe(0);
    });

    it('are retried, closed and removed in one request, independently of each other', async () => {
      const [adaptor] = members();
      const { issues } = await ofAdaptor(adaptor, '?size=100');
      const retried = await Promise.all(issues.map((issue) => patch(issue, { status: 'CLOSED', retry: true })));
      expect(retried.map(({ status, body }) => [status, body.status])).toEqual(issues.map(() => [200, 'OPEN']));
      const closed = await Promise.all(issues.map((issue) => patch(issue, { status: 'CLOSED' })));
      expect(closed.map(({ status, body }) => [status, body.status])).toEqual(issues.map(() => [200, 'CLOSED']));
      expect((await ofAdaptor(adaptor, '?filters=status:OPEN'))._page.totalElements).toBe(0);
      const again = await Promise.all(issues.map((issue) => patch(issue, { status: 'CLOSED' })));
      expect(new Set(again.map(({ status }) => status))).toEqual(new Set([409]));
      const removed = await Promise.all(
        issues.map(({ uuid }) => doors.dgs.rest('DELETE', `${zone}/adaptors/${adaptor.uuid}/issues/${uuid}`)),
      );
      expect(new Set(removed.map(({ status }) => status))).toEqual(new Set([204]));
      expect((await ofAdaptor(adaptor))._page.totalElements).toBe(0);
    });
  });

  it('are counted by cause and settled by a filter', async () => {
    const domain = 'mapped';
    await createVersion(doors.dgs, {
      name: domain,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: integer, name: text },
      drKeyProperties: ['id'],
    });
    const mapping = await join('mapping', allActions(domain));
    for (let id = 1; id <= 3; id += 1) {
      await mapping.publish({ action: 'POST', domain, version: 1, json: { id, nmae: 'x' } });
    }
    const filters = `filters=adaptor:${mapping.uuid},property:nmae`;
    const counts = await eventually(async () => {
      const found = await read<{ groups: readonly Resource[]; issueCount: number }>(
        `${zone}/issues/counts?by=ADAPTOR,CODE,PROPERTY&${filters}`,
      );
      expect(found.issueCount).toBe(3);
      return found;
    });
    const group = { issueCount: 3, openCount: 3, code: 'UNKNOWN_PROPERTY', property: 'nmae', cause: null };
    expect(counts.groups).toEqual([
      expect.objectContaining({ ...group, adaptor: expect.objectContaining({ name: 'mapping' }) }),
    ]);
    const everywhere = await read<Issues>(`/issues?${filters}`);
    expect(everywhere.issues).toHaveLength(3);

    const settle = async (body: object) =>
      requireStatus(
        await doors.dgs.rest<Readonly<Record<string, unknown>>>('POST', `${zone}/issues/settle`, {
          filter: { adaptor: mapping.uuid, property: 'nmae' },
          ...body,
        }),
        200,
      ).body;
    expect(await settle({ preview: true })).toMatchObject({ preview: true, matchedCount: 3, closedCount: 0 });
    const failedAgain = { outcome: 'OPEN', code: 'UNKNOWN_PROPERTY', detail: expect.any(String) };
    expect(await settle({ retry: true })).toMatchObject({
      closedCount: 0,
      openCount: 3,
      failedCount: 0,
      results: Array.from({ length: 3 }, () => expect.objectContaining(failedAgain)),
    });
    const unselective = await doors.dgs.rest('POST', `${zone}/issues/settle`, {});
    expect([unselective.status, unselective.body]).toEqual([
      400,
      expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/filter', code: 'REQUIRED' })] }),
    ]);
    expect(await settle({ limit: 2 })).toMatchObject({ closedCount: 2, remainingCount: 1, next: expect.any(String) });
    expect(await settle({})).toMatchObject({ matchedCount: 1, closedCount: 1, remainingCount: 0, next: null });
  });
});
