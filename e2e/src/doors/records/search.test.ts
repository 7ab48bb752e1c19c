import { beforeAll, describe, expect, it } from '@jest/globals';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { askGraphql } from '../ask-graphql.js';
import { shareDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

interface Listing {
  readonly drs: readonly { readonly uuid: string; readonly drKey: Readonly<Record<string, unknown>> }[];
  readonly _links: Readonly<Record<string, string>>;
  readonly _page: { readonly totalElements: number; readonly totalPages: number };
}

const people = [
  { name: 'Ada Lovelace', age: 36, seen: '2026-01-31T12:00:00+02:00' },
  { name: 'alan turing', age: 41, seen: '2026-01-31T12:00:00Z' },
  { name: 'Grace Hopper', age: 85, seen: '2026-02-01T00:00:00Z' },
  { name: 'Kurt Gödel', age: 9_007_199_254_740_993n, seen: '2025-12-31T23:59:59Z' },
];

describe('a search', () => {
  const { doors } = shareDoors();
  let name: string;
  const uuids: string[] = [];

  beforeAll(async () => {
    const version = await createVersion(doors.dgs, {
      name: uniqueName('searched'),
      domainType: 'SERVICE_DATA_STORE',
      properties: {
        name: { type: 'string' },
        age: { type: 'integer' },
        seen: { type: 'string', format: 'date-time' },
        note: { type: 'string' },
      },
      drKeyProperties: ['name', 'age', 'seen'],
    });
    name = version.domainName;
    for (const json of people) {
      uuids.push(requireStatus(await doors.dgs.rest<{ uuid: string }>('POST', '/drs', { name, json }), 201).body.uuid);
    }
  }, 120_000);

  const path = (query: string, more = ''): string =>
    `/drs?filters=name:${name}&query=${encodeURIComponent(query)}${more}`;
  const found = async (query: string): Promise<unknown[]> => {
    const { body } = requireStatus(await doors.dgs.rest<Listing>('GET', path(query, '&sort=name')), 200);
    expect(body._page.totalElements).toBe(body.drs.length);
    return body.drs.map(({ drKey }) => String(drKey['name']).split(' ')[0]);
  };

  it.each<readonly [string, readonly string[]]>([
    ['name:"ada lovelace"', ['Ada']],
    ['NAME:A*', ['Ada', 'alan']],
    ['name:*GÖDEL', ['Kurt']],
    [String.raw`name:grce\ hoper~`, ['Grace']],
    ['name:/(ada|kurt) .*/', ['Ada', 'Kurt']],
    ['age:[36 TO 41]', ['Ada', 'alan']],
    ['age:{36 TO *]', ['alan', 'Grace', 'Kurt']],
    ['age:9007199254740993', ['Kurt']],
    ['age:9007199254740992', []],
    ['seen:2026-01-31T10:00:00Z', ['Ada']],
    ['seen:>2026-01-31T10:00:00Z AND NOT name:g*', ['alan']],
    ['name:(a* OR g*) -age:41', ['Ada', 'Grace']],
    ['+age:* -name:a*', ['Grace', 'Kurt']],
    ['NOT age:36', ['alan', 'Grace', 'Kurt']],
  ])('for %s finds %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('finds a record by its uuid', async () => {
    expect(await found(uuids[2] ?? '')).toEqual(['Grace']);
  });

  it('has page links that contain the search', async () => {
    const { body } = requireStatus(
      await doors.dgs.rest<Listing>('GET', path('age:<100', '&size=1&page=1&sort=-age')),
      200,
    );
    expect(body.drs.map(({ drKey }) => drKey['age'])).toEqual([41]);
    expect(body._page).toMatchObject({ totalElements: 3, totalPages: 3 });
    expect(new URL(body._links['next'] ?? '').searchParams.get('query')).toBe('age:<100');
  });

  it.each<readonly [string, number]>([
    ['name:(', 6],
    ['age:36 AND note:x', 11],
    ['age:36 OR age:old', 10],
    ['ada', 0],
    [String.raw`name:/(a)\1/`, 0],
  ])('for %s is refused with its place', async (query, position) => {
    const { status, body } = await doors.dgs.rest<Readonly<Record<string, unknown>>>('GET', path(query));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'INVALID_QUERY', position, errors: [{ pointer: 'query' }] });
  });

  it('has the same meaning in GraphQL', async () => {
    const field = `dr_${name.replaceAll('-', '_')}_1`;
    const document = `query ($query: String) { ${field}(query: $query, sort: "-name") { data { name } page { totalElements } } }`;
    const data = await askGraphql<Record<string, unknown>>(doors.dgs, document, { query: 'name:A*' });
    expect(data).toEqual({
      [field]: { data: [{ name: 'alan turing' }, { name: 'Ada Lovelace' }], page: { totalElements: 2 } },
    });
  });
});
