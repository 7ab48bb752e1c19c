import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { compileModelSchema } from '@fds/model-schema';
import {
  type ListingFilter,
  checkSearchQuery,
  listingPropertiesOf,
  parseSearchQuery,
  searchPropertiesOf,
  type SearchProperty,
} from '@fds/search';
import { createLog } from '@fds/service';
import { v7 } from 'uuid';
import type { DomainVersionView } from '../../domain/catalog.js';
import { listPage } from '../listing/store/read-page.js';
import { listSearchIndexes } from './store/search-index-store.js';
import { createSearchIndexes, type SearchIndexes } from './create-search-indexes.js';

const { model } = compileModelSchema({
  modelSchema: {
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      at: { type: 'object', properties: { city: { type: 'string' }, price: { type: 'string', format: 'decimal' } } },
    },
  },
  drKeyProperties: ['name', 'age'],
  searchProperties: ['at.city', 'at.price'],
});
if (model === undefined) throw new Error('the model does not compile');
const version: DomainVersionView = {
  uuid: v7(),
  domainUuid: v7(),
  domainName: 'Person',
  domainType: 'SERVICE_DATA_STORE',
  versionNumber: 1,
  zoneUuid: v7(),
  revision: '1',
  active: true,
  model,
};

describe('search indexes', () => {
  let database: TestDatabase;
  let known: DomainVersionView | undefined = version;
  const opened: SearchIndexes[] = [];
  const open = (limits: { readonly minRows?: number; readonly maxIndexes?: number } = {}): SearchIndexes => {
    const indexes = createSearchIndexes({
      database,
      log: createLog('silent'),
      catalog: () => ({ versionByUuid: (uuid) => (uuid === known?.uuid ? known : undefined) }),
      minRows: 100,
      recountMs: 1,
      ...limits,
    });
    opened.push(indexes);
    return indexes;
  };
  const search = (query: string): ListingFilter => ({
    version,
    condition: checkSearchQuery(parseSearchQuery(query), listingPropertiesOf(model)),
    rows: 'PER_RECORD',
  });
  const [name, age] = searchPropertiesOf(model) as [SearchProperty, SearchProperty];
  /** The indexes of the database after the request was processed. */
  const afterRequest = async (indexes: SearchIndexes, filter: ListingFilter, sort: readonly SearchProperty[] = []) => {
    indexes.requestIndex(
      filter,
      sort.map((property) => ({ property, descending: true })),
    );
    await indexes.settle();
    return listSearchIndexes(database.pool);
  };
  const planOf = async (filter: ListingFilter): Promise<string> => {
    const plans: string[] = [];
    const explaining = {
      query: async (statement: string | { readonly text: string; readonly values: unknown[] }) => {
        if (typeof statement === 'string') return database.pool.query(statement);
        const { rows } = await database.pool.query<{ readonly 'QUERY PLAN': string }>(
          `EXPLAIN ${statement.text}`,
          statement.values,
        );
        plans.push(...rows.map((row) => row['QUERY PLAN']));
        return { rows: [] };
      },
    };
    await listPage(explaining as never, filter, { order: [], offset: 0, limit: 10 });
    return plans.join('\n');
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    await database.pool.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT gen_random_uuid(), $1, sha256(convert_to(n::text, 'UTF8')),
              jsonb_build_object('name', repeat('Änne ', n) || n, 'age', n),
              jsonb_build_object('at', jsonb_build_object('city', 'City ' || n, 'price', n || '.50')) FROM generate_series(1, 1000) AS n`,
      [version.uuid],
    );
    await database.pool.query('ANALYZE data_record');
  });
  afterAll(async () => {
    for (const indexes of opened) await indexes.close();
    await database.drop();
  });

  it('are not made for a small version', async () => {
    const indexes = open({ minRows: 1001 });
    expect(await afterRequest(indexes, search('name:x'))).toEqual([]);
    expect(indexes.exists(version, { property: name, kind: 'ORDER' })).toBe(false);
  });

  it('are made as searches need them, and used; also of texts longer than an entry of an index may be', async () => {
    const indexes = open();
    expect(indexes.exists(version, { property: name, kind: 'ORDER' })).toBe(false);
    expect(await afterRequest(indexes, search('name:x'))).toMatchObject([
      { domainVersionUuid: version.uuid, valid: true },
    ]);
    expect(indexes.exists(version, { property: name, kind: 'ORDER' })).toBe(true);
    expect(indexes.exists(version, { property: age, kind: 'ORDER' })).toBe(false);
    expect(await afterRequest(indexes, search('name:*nne*'))).toHaveLength(2);
    expect(await afterRequest(indexes, search('*:*'), [age])).toHaveLength(3);
    expect(await afterRequest(indexes, search('name:y AND age:>5'), [name])).toHaveLength(3);
    for (const query of ['name:"änne 1"', String.raw`name:änne\ 1*`, 'age:[3 TO 4]', String.raw`name:*e\ 999`]) {
      expect(await planOf(search(query))).toMatch(/search_of_/);
    }
    const found = await listPage(database.pool, search('name:"ÄNNE ÄNNE 2" OR name:*ne\\ 1000'), {
      order: [],
      offset: 0,
      limit: 10,
    });
    expect(found.total).toBe(2);
  });

  it('are made of search properties, and used', async () => {
    const before = await listSearchIndexes(database.pool);
    const [, , , price] = listingPropertiesOf(model);
    if (price === undefined) throw new TypeError('the model has four properties to search by');
    const indexes = open();
    await afterRequest(indexes, search(String.raw`at.city:city\ 17`));
    expect(await afterRequest(indexes, search('*:*'), [price])).toHaveLength(before.length + 2);
    for (const query of [String.raw`at.city:city\ 17`, String.raw`at.city:city\ 99*`, 'at.price:[7 TO 8]']) {
      expect(await planOf(search(query))).toMatch(/search_of_/);
    }
    const found = await listPage(database.pool, search('at.price:17.5'), { order: [], offset: 0, limit: 10 });
    expect(found.total).toBe(1);
  });

  it('are as many as are allowed', async () => {
    await database.pool.query('DELETE FROM data_record WHERE domain_version_uuid <> $1', [version.uuid]);
    const before = await listSearchIndexes(database.pool);
    known = { ...version, model: { ...model } };
    expect(await afterRequest(open({ maxIndexes: before.length }), search('name:/x/ OR age:1'))).toHaveLength(
      before.length,
    );
  });

  it('are removed when nothing can use them', async () => {
    known = undefined;
    const indexes = open();
    indexes.sweep();
    await indexes.settle();
    expect(await listSearchIndexes(database.pool)).toEqual([]);
  });
});
