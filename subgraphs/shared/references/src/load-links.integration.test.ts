import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { isStorableText, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { compileModelSchema, type CompiledModel, type Reference } from '@fds/model-schema';
import {
  checkSearchQuery,
  comparisonOf,
  evaluateCondition,
  foldText,
  parseSearchQuery,
  printSearchQuery,
  searchPropertiesOf,
  type Operand,
  type SearchProperty,
  type ValueTest,
} from '@fds/search';
import { arbitraryQuery } from '@fds/search/testing';
import fc from 'fast-check';
import { v7 } from 'uuid';
import type { LinkedVersion } from './linked-version.js';
import { readReferenceLinks, requestLinks, type LinkArguments } from './reference-links.js';
import { loadLinks } from './load-links.js';

const modelOf = (properties: JsonObject, drKeyProperties: readonly string[]): CompiledModel => {
  const { model } = compileModelSchema({ modelSchema: { properties }, drKeyProperties: [...drKeyProperties] });
  if (model === undefined) throw new Error('the model of the test does not compile');
  return model;
};

const keyed: JsonObject = {
  name: { type: 'string' },
  age: { type: 'integer' },
  weight: { type: 'number' },
  seen: { type: 'string', format: 'date-time' },
};
const keys = Object.keys(keyed);
const targetModel = modelOf({ ...keyed, rank: { type: 'integer' }, label: { type: 'string' } }, keys);
const parentModel = modelOf(keyed, keys);

const versionOf = (
  domainName: string,
  domainType: LinkedVersion['domainType'],
  model: CompiledModel,
): LinkedVersion => ({
  uuid: v7(),
  domainUuid: v7(),
  domainName,
  domainType,
  versionNumber: 1,
  zoneUuid: v7(),
  model,
});

const hostile = [
  '*',
  '"',
  '\\',
  'a*',
  'x" OR name:*',
  ') OR (name:*',
  '${name}',
  "' OR 1=1 --",
  '/.*/',
  '[a TO z]',
  'a~',
];
const name = fc.oneof(
  fc.constantFrom('a', 'A', 'b', 'é', 'É', '%', '_', ''),
  fc.constantFrom(...hostile),
  fc.string({ unit: fc.constantFrom('a', 'B', '*', '"', '\\', ':', ' '), maxLength: 3 }),
);
const values: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  name,
  age: fc.constantFrom(0, 1, 2, 9_223_372_036_854_775_807n, 9_223_372_036_854_775_806n),
  weight: fc.constantFrom(0.5, 1, 2, 1e21),
  seen: fc.constantFrom('2026-01-31T12:00:00Z', '2026-01-31T14:00:00+02:00', '1969-12-31T23:59:59.5Z'),
};
const drKey: fc.Arbitrary<JsonObject> = fc.record(
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fc.option(value, { freq: 6 })])),
);

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : stringifyJson(value));
const operand = (field: string): fc.Arbitrary<Operand> =>
  fc.oneof(
    (values[field] ?? name).map((value): Operand => ({ kind: 'literal', value: textOf(value) })),
    fc.constantFrom(...keys).map((each): Operand => ({ kind: 'placeholder', name: each })),
  );
const bound = (field: string) => fc.option(fc.record({ operand: operand(field), inclusive: fc.boolean() }));
const query = arbitraryQuery({
  field: fc.constantFrom(...keys),
  test: (field) => {
    const at = field ?? 'name';
    return fc.oneof(
      operand(at).map((one): ValueTest => ({ kind: 'equals', operand: one })),
      fc.constant<ValueTest>({ kind: 'present' }),
      fc.record({ kind: fc.constant('range' as const), from: bound(at), to: bound(at) }),
    );
  },
  maxDepth: 2,
}).map(printSearchQuery);

interface Row {
  readonly uuid: string;
  readonly json: JsonObject;
  /** The keys by which it is found: a federated record with links has those of its links. */
  readonly keys: readonly JsonObject[];
  /** Its own. */
  readonly key: JsonObject;
}

/** As listings have it: without a value first, last when descending. */
const compareBy = (property: SearchProperty, a: JsonValue | undefined, b: JsonValue | undefined): number => {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1;
  if (b === null || b === undefined) return 1;
  if (comparisonOf(property) === 'instant') return Date.parse(textOf(a)) - Date.parse(textOf(b));
  if (comparisonOf(property) === 'number') return a < b ? -1 : a > b ? 1 : 0;
  return Buffer.compare(Buffer.from(foldText(textOf(a))), Buffer.from(foldText(textOf(b))));
};

describe('references of a page', () => {
  let database: TestDatabase;
  const parent = versionOf('parent', 'SERVICE_DATA_STORE', parentModel);
  const stored = versionOf('stored', 'SERVICE_DATA_STORE', targetModel);
  const federated = versionOf('federated', 'FEDERATED', targetModel);
  const rows = new Map<LinkedVersion, Row[]>([
    [stored, []],
    [federated, []],
  ]);
  const statements: string[] = [];

  const insert = async (version: LinkedVersion, key: JsonObject, data: JsonObject): Promise<Row> => {
    const uuid = v7();
    const json = { ...key, ...data };
    await database.pool.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json) VALUES ($1, $2, $3, $4, $5)`,
      [
        uuid,
        version.uuid,
        Buffer.from(targetModel.keyDigest(key), 'hex'),
        stringifyJson(key),
        version.domainType === 'FEDERATED' ? null : stringifyJson(json),
      ],
    );
    return { uuid, json, keys: [key], key };
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    const data = fc.record({
      rank: fc.option(fc.integer({ min: 0, max: 3 })),
      label: fc.option(name),
    });
    const distinct = (seed: number) =>
      fc.sample(fc.uniqueArray(drKey, { minLength: 40, maxLength: 40, selector: stringifyJson }), {
        numRuns: 1,
        seed,
      })[0] ?? [];
    const [datum] = fc.sample(fc.array(data, { minLength: 40, maxLength: 40 }), { numRuns: 1, seed: 3 });
    for (const [index, key] of distinct(1).entries()) {
      rows.get(stored)?.push(await insert(stored, key, datum?.[index] ?? {}));
    }
    const linkKeys = distinct(4);
    for (const [index, key] of distinct(2).entries()) {
      const row = await insert(federated, key, {});
      const linked = [key, linkKeys[index] ?? {}].slice(0, index % 3);
      for (const link of linked) {
        await database.pool.query(
          `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
           VALUES ($1, $2, $3, $4, $5, '{}')`,
          [row.uuid, v7(), federated.uuid, Buffer.from(targetModel.keyDigest(link), 'hex'), stringifyJson(link)],
        );
      }
      rows.get(federated)?.push(linked.length === 0 ? row : { ...row, keys: linked });
    }
  });
  afterAll(() => database.drop());

  const counting = {
    query: ((statement: string | { readonly text: string }) => {
      statements.push(typeof statement === 'string' ? statement : statement.text);
      return database.pool.query(statement);
    }) as typeof database.pool.query,
  };

  /** The records that a reference leads to, computed from every record of the target. */
  const resolve = (
    reference: Reference,
    target: LinkedVersion,
    asked: LinkArguments,
    { key, value }: { readonly key: JsonObject; readonly value: JsonValue | undefined },
  ): readonly string[] => {
    const all = rows.get(target) ?? [];
    const parents = searchPropertiesOf(parentModel);
    const conditionOf = (text: string) =>
      checkSearchQuery(parseSearchQuery(text, { placeholders: 'allowed' }), searchPropertiesOf(targetModel), {
        parents,
      });
    const texts = [...(value === undefined ? [reference.query] : []), asked.query].flatMap((text) => text ?? []);
    if (value === undefined && texts.length === 0) return [];
    const needs = (each: string) =>
      JSON.stringify(texts.map(conditionOf)).includes(`{"kind":"placeholder","name":"${each}"}`);
    if (keys.some((each) => needs(each) && (key[each] ?? null) === null)) return [];
    const valueOf = (each: string) => {
      const found = key[each];
      return found === undefined || found === null ? undefined : textOf(found);
    };
    const candidates =
      value === undefined
        ? all
        : (value as readonly { readonly $ref: string }[]).flatMap((posted) => {
            const uuid = posted.$ref.replace('/drs/', '');
            return all.filter((row) => row.uuid === uuid);
          });
    const found = candidates.filter((row) =>
      row.keys.some((each) =>
        texts.every((text) => evaluateCondition(conditionOf(text), { uuid: row.uuid, drKey: each }, valueOf)),
      ),
    );
    const terms = [
      ...(asked.order ?? []),
      ...(reference.sort === undefined
        ? []
        : [
            {
              property: { name: reference.sort.replace('-', ''), type: 'integer' as const },
              descending: reference.sort.startsWith('-'),
              from: 'DATA' as const,
            },
          ]),
    ];
    const inOrder = found
      .map((row, place) => ({ row, place }))
      .sort((a, b) => {
        for (const { property, descending, from } of terms) {
          const [left, right] = [a.row, b.row].map((row) => (from === 'KEY' ? row.key : row.json)[property.name]);
          const difference = compareBy(property, left, right);
          if (difference !== 0) return descending ? -difference : difference;
        }
        // without their own value, ties follow the last term
        const down = terms.at(-1)?.descending === true;
        return down ? b.place - a.place : a.place - b.place;
      })
      .map(({ row }) => row.uuid);
    return inOrder.slice(0, Math.min(reference.limit ?? 1000, asked.limit ?? 1000));
  };

  it('lead to the same records as a look at every record, all in one statement', async () => {
    const order = fc.array(
      fc.record({
        property: fc.constantFrom(...searchPropertiesOf(targetModel)),
        descending: fc.boolean(),
        from: fc.constant('KEY' as const),
      }),
      { maxLength: 2 },
    );
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const cases = fc.record({
      target: fc.constantFrom('stored' as const, 'federated' as const),
      query: maybe(query),
      sort: maybe(fc.constantFrom('rank', '-rank')),
      limit: maybe(fc.nat(6)),
      asked: fc.record({ query: maybe(query), order, limit: maybe(fc.nat(6)) }),
    });
    const parents = fc.array(
      fc.record({
        key: drKey,
        posted: fc.option(fc.array(fc.nat(39), { minLength: 1, maxLength: 5 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cases, { minLength: 1, maxLength: 3 }), parents, async (fields, holders) => {
        const wanted = fields.flatMap(({ target: name, query: ofModel, sort, limit, asked }) => {
          const target = name === 'stored' ? stored : federated;
          const reference: Reference = {
            domain: target.domainName,
            version: 1,
            multivalued: true,
            ...(ofModel === undefined ? {} : { query: ofModel }),
            ...(sort === undefined || target === federated ? {} : { sort }),
            ...(limit === undefined ? {} : { limit }),
          };
          const args: LinkArguments = {
            order: asked.order,
            ...(asked.query === undefined ? {} : { query: asked.query }),
            ...(asked.limit === undefined ? {} : { limit: asked.limit }),
          };
          const links = readReferenceLinks(reference, parent, target, args);
          return holders.map(({ key, posted }) => {
            const value = posted?.map((index) => ({ $ref: `/drs/${rows.get(target)?.[index]?.uuid}` }));
            return {
              request: requestLinks(links, { value, drKey: () => key }),
              expected: resolve(reference, target, args, { key, value }),
            };
          });
        });
        statements.length = 0;
        const requests = wanted.flatMap(({ request }) => request ?? []);
        const found = await loadLinks(counting, requests, 10_000);
        expect(statements.filter((text) => text.includes('FROM data_record')).length).toBe(requests.length > 0 ? 1 : 0);
        const results = (found ?? [])[Symbol.iterator]();
        for (const { request, expected } of wanted) {
          const given = request === undefined ? [] : (results.next().value ?? []);
          expect(given.map(({ uuid }) => uuid)).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('follow keys to the record that has them, otherwise to one that is linked by them', async () => {
    const links = readReferenceLinks({ domain: 'federated', version: 1, multivalued: true }, parent, federated);
    for (const row of rows.get(federated) ?? []) {
      for (const key of row.keys) {
        const request = requestLinks(links, { value: key, drKey: () => ({}) });
        if (request === undefined) continue;
        const [found] = (await loadLinks(database.pool, [request], 10)) ?? [];
        const owner = rows.get(federated)?.find((each) => stringifyJson(each.key) === stringifyJson(key)) ?? row;
        expect(found?.map(({ uuid }) => uuid)).toEqual([owner.uuid]);
      }
    }
  });

  it('never take the value of a record for a part of the expression', async () => {
    const links = readReferenceLinks(
      { domain: 'stored', version: 1, multivalued: true, query: 'name:${name}' },
      parent,
      stored,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom(...hostile),
          fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => isStorableText(text)),
        ),
        async (text) => {
          const request = requestLinks(links, { value: undefined, drKey: () => ({ name: text }) });
          const [found] = (await loadLinks(database.pool, request === undefined ? [] : [request], 100)) ?? [];
          const expected = (rows.get(stored) ?? []).filter(
            ({ key }) => typeof key['name'] === 'string' && foldText(key['name']) === foldText(text),
          );
          expect(found?.map(({ uuid }) => uuid)).toEqual(expected.map(({ uuid }) => uuid));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('are not answered where they lead to more than is allowed', async () => {
    const links = readReferenceLinks({ domain: 'stored', version: 1, multivalued: true, query: '*:*' }, parent, stored);
    const request = requestLinks(links, { value: undefined, drKey: () => ({}) });
    if (request === undefined) throw new Error('the reference leads nowhere');
    expect(await loadLinks(database.pool, [request], 39)).toBeUndefined();
    expect((await loadLinks(database.pool, [request], 40))?.[0]).toHaveLength(40);
  });
});
