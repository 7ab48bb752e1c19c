import { logChanges, type Change } from '@fds/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { openGovernance, type TestGovernance } from './testing/open-governance.js';

interface ChangeLog {
  readonly changes: readonly { readonly position: number; readonly type: string; readonly resource: string }[];
  readonly cursor: number | null;
  readonly more: boolean;
}

const question = `query ($zoneUuid: Uuid, $types: [String!], $actions: [ChangeAction!], $resource: String, $actorUuid: Uuid,
    $from: DateTime, $to: DateTime, $order: ChangeLogOrder, $after: Long, $size: Int) {
  result: changeLog(zoneUuid: $zoneUuid, types: $types, actions: $actions, resource: $resource, actorUuid: $actorUuid,
    from: $from, to: $to, order: $order, after: $after, size: $size) {
    changes { position type resource action actorUuid data } cursor more
  }
}`;

let governance: TestGovernance;
let zoneUuid: string;
let start: number;
const actorUuid = newUuid();
const recordUuid = newUuid();

const ask = async (variables: object, username = 'admin') =>
  governance.run<ChangeLog>(username, question, { order: 'OLDEST_FIRST', after: start, ...variables });
const resourcesOf = ({ changes }: ChangeLog): string[] => changes.map(({ resource }) => resource);

beforeAll(async () => {
  governance = await openGovernance();
  zoneUuid = await governance.createZone('north', governance.rootZoneUuid);
  const { result } = await governance.run<ChangeLog>('admin', question, { order: 'OLDEST_FIRST', size: 1000 });
  start = result.cursor ?? 0;
  const changes: Change[] = [
    {
      action: 'POST',
      resourceType: 'Group',
      resource: `/zones/${zoneUuid}/groups/1`,
      zoneUuid,
      actorUuid,
      data: { name: 'a' },
    },
    { action: 'PUT', resourceType: 'Group', resource: `/zones/${zoneUuid}/groups/1`, zoneUuid, actorUuid },
    { action: 'POST', resourceType: 'RefusedAccess', resource: '/drs', data: { count: 1 } },
    { action: 'DELETE', resourceType: 'Domain', resource: '/domains/2' },
    { action: 'POST', resourceType: 'Dr', resource: `/drs/${recordUuid}`, data: { drKey: { id: 1 } } },
    { action: 'POST', resourceType: 'DataIssue', resource: `/zones/${zoneUuid}/issues/3`, zoneUuid },
  ];
  for (const change of changes) await logChanges(governance.database.pool, [change]);
});
afterAll(() => governance?.close());

describe('the change log', () => {
  it('shows the deployment to Root Admin, without records and entries that depend on records', async () => {
    const { result } = await ask({});
    expect(resourcesOf(result)).toEqual([
      `/zones/${zoneUuid}/groups/1`,
      `/zones/${zoneUuid}/groups/1`,
      '/drs',
      '/domains/2',
      `/zones/${zoneUuid}/issues/3`,
    ]);
  });

  it('shows records to a caller who may read all of them', async () => {
    const { rootZoneUuid, database } = governance;
    const role = await database.prisma.role.findFirstOrThrow({ where: { name: 'Root Admin', zoneUuid: rootZoneUuid } });
    const permission = { uuid: newUuid(), zoneUuid: rootZoneUuid, holderType: 'ROLE', holderUuid: role.uuid };
    await database.prisma.permission.create({ data: { ...permission, action: 'GET', resource: '/drs' } });
    governance.directory.forget();
    try {
      expect(resourcesOf((await ask({})).result)).toContain(`/drs/${recordUuid}`);
    } finally {
      await database.prisma.permission.delete({ where: { uuid: permission.uuid } });
      governance.directory.forget();
    }
  });

  it.each<[string, object, number]>([
    ['type', { types: ['Group', 'Domain'] }, 3],
    ['action', { actions: ['PUT'] }, 1],
    ['actor', { actorUuid }, 2],
    ['resource', { resource: '/domains/2' }, 1],
    ['resource, written with /api', { resource: '/api/domains/2' }, 1],
    ['resources below a path', { resource: '/zones/*' }, 3],
    ['time before', { to: '2020-01-01T00:00:00Z' }, 0],
    ['time after', { from: '2020-01-01T00:00:00Z' }, 5],
  ])('filters by %s', async (_, filter, expected) => {
    expect((await ask(filter)).result.changes).toHaveLength(expected);
  });

  it('continues after a cursor in either order, with each entry once', async () => {
    for (const order of ['OLDEST_FIRST', 'NEWEST_FIRST']) {
      const seen: number[] = [];
      let after: number | null = null;
      let more = true;
      while (more) {
        const { result }: { readonly result: ChangeLog } = await ask({ order, after, size: 2 });
        seen.push(...result.changes.map(({ position }) => position));
        ({ cursor: after, more } = result);
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual([...seen].sort((a, b) => (order === 'OLDEST_FIRST' ? a - b : b - a)));
      expect(seen.length).toBeGreaterThanOrEqual(5);
    }
  });

  it('ends a page that would contain too much data, and continues with the next', async () => {
    const { result: before } = await ask({ size: 1000 });
    const data = 'x'.repeat(3 * 2 ** 20);
    const change: Change = { action: 'PUT', resourceType: 'Group', resource: '/large', data };
    for (let count = 0; count < 3; count += 1) await logChanges(governance.database.pool, [change]);
    const { result: first } = await ask({ after: before.cursor });
    expect([first.changes.length, first.more]).toEqual([2, true]);
    const { result: second } = await ask({ after: first.cursor });
    expect([second.changes.length, second.more]).toEqual([1, false]);
  });

  it('shows a zone to its administrators only', async () => {
    const { result } = await ask({ zoneUuid });
    expect(resourcesOf(result)).toEqual([
      `/zones/${zoneUuid}/groups/1`,
      `/zones/${zoneUuid}/groups/1`,
      `/zones/${zoneUuid}/issues/3`,
    ]);
    expect((await ask({ zoneUuid }, 'dgs')).code).toBe('FORBIDDEN');
    expect((await ask({}, 'dgs')).code).toBe('FORBIDDEN');
    expect((await ask({ zoneUuid: newUuid() })).code).toBe('NOT_FOUND');
  });

  it('reports all faults of a refused query', async () => {
    const { code, causes } = await ask({ size: 1001, after: -1, resource: '/zones/?/groups' });
    expect(code).toBe('INVALID_PARAMETER');
    expect(causes).toEqual(['after OUT_OF_RANGE', 'resource INVALID_VALUE', 'size OUT_OF_RANGE']);
  });
});
