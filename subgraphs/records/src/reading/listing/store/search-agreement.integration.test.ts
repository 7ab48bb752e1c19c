import type { Queryable } from '@fds/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import {
  type ListingFilter,
  checkSearchQuery,
  evaluateCondition,
  foldText,
  parseSearchQuery,
  printSearchQuery,
  type SearchProperty,
  createSqlParameters,
  loadDatabaseFeatures,
  writeComparable,
  writeCondition,
} from '@fds/search';
import { arbitraryQuery, arbitraryWildcard } from '@fds/search/testing';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { countRecords } from './counts/record-counts.js';
import { listPage } from './read-page.js';
import {
  buildSearchIndex,
  describeSearchIndex,
  dropSearchIndex,
} from '../../search-indexes/store/search-index-store.js';

const properties: readonly SearchProperty[] = [
  { name: 'name', type: 'string' },
  { name: 'age', type: 'integer' },
  { name: 'weight', type: 'number' },
  { name: 'alive', type: 'boolean' },
  { name: 'born', type: 'string', format: 'date' },
  { name: 'seen', type: 'string', format: 'date-time' },
];

/** Characters whose case mapping is not one character, depends on its place, or does not exist; others that SQL or LIKE reads. */
const letters = [
  'a',
  'b',
  'A',
  'é',
  'É',
  'i',
  'I',
  'İ',
  'ı',
  'Σ',
  'σ',
  'ς',
  'ß',
  'ẞ',
  'ŉ',
  'ǰ',
  'ﬁ',
  'Ǆ',
  'ǅ',
  '\u0307',
  '\u0301',
  '𐐀',
  '𐐨',
  '%',
  '_',
  '\\',
  '*',
  ' ',
  '😀',
  "'",
] as const;

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...letters),
    maxLength: 4,
  }),
  fc.constantFrom('Jonathan Smith', 'jonathan smyth', 'Johnathan Smit', 'x'.repeat(300), `${'x'.repeat(300)}y`),
);
const values: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  name: text,
  age: fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(9_223_372_036_854_775_807n, 9_223_372_036_854_775_806n),
  ),
  weight: fc.oneof(fc.constantFrom(0.1, 0.5, -2.25, 1e21, 1e-7, 3), fc.integer({ min: -2, max: 2 })),
  alive: fc.boolean(),
  born: fc.constantFrom('1990-02-28', '0000-01-01', '2026-01-31'),
  seen: fc.constantFrom(
    '2026-01-31T12:00:00Z',
    '2026-01-31t14:00:00.000+02:00',
    '2026-01-31T12:00:00.1234567Z',
    '1969-12-31T23:59:59.5Z',
    '0000-02-29T00:00:00+23:59',
    '2016-12-31T23:59:60Z',
  ),
};
const drKey: fc.Arbitrary<JsonObject> = fc.record(
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fc.option(value, { freq: 6 })])),
);

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : stringifyJson(value));
const operand = (name: string) =>
  (values[name] ?? text).map((value) => ({ kind: 'literal' as const, value: textOf(value) }));
const bound = (name: string) => fc.option(fc.record({ operand: operand(name), inclusive: fc.boolean() }));
const patternPiece = fc.constantFrom(
  'a',
  'B',
  '.',
  '[^a-z]',
  '[É-ß]',
  '[İΣ]',
  'ς',
  '𐐀',
  'ẞ',
  '[^İ]',
  String.raw`\s`,
  'x',
  'jon',
  '😀',
  '%',
  "'",
);
const pattern = fc
  .array(fc.tuple(patternPiece, fc.constantFrom('', '*', '+', '?', '{2,3}')), { minLength: 1, maxLength: 4 })
  .map((pieces) => ({ kind: 'pattern' as const, source: `(${pieces.map((piece) => piece.join('')).join('')})|b+` }));

const query = arbitraryQuery({
  field: fc.constantFrom(...properties.map(({ name }) => name)),
  test: (field) => {
    const name = field ?? 'name';
    const equals = operand(name).map((one) => ({ kind: 'equals' as const, operand: one }));
    const common = [equals, fc.constant({ kind: 'present' as const })];
    const range = fc.record({ kind: fc.constant('range' as const), from: bound(name), to: bound(name) });
    if (name === 'alive') return fc.oneof(...common);
    if (name !== 'name') return fc.oneof(...common, range);
    const fuzzy = text
      .filter((value) => value !== '' && value.length <= 200)
      .chain((value) =>
        fc.record({ kind: fc.constant('fuzzy' as const), value: fc.constant(value), maxEdits: fc.nat(2) }),
      );
    return fc.oneof(...common, range, arbitraryWildcard(text), fuzzy, pattern);
  },
  maxDepth: 3,
});

interface Row {
  readonly uuid: string;
  readonly adaptorUuid: string | null;
  readonly drKey: JsonObject;
}

describe('a search', () => {
  let database: TestDatabase;
  const stored = v7();
  const federated = v7();
  const adaptors = [v7(), v7()];
  const records: Row[] = [];
  const links: Row[] = [];

  const insertRecord = async (version: string, key: JsonObject, json: JsonObject | null): Promise<Row> => {
    const uuid = v7();
    await database.pool.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       VALUES ($1::uuid, $2, decode(replace($1::uuid::text, '-', ''), 'hex'), $3, $4)`,
      [uuid, version, stringifyJson(key), json === null ? null : stringifyJson(json)],
    );
    return { uuid, adaptorUuid: null, drKey: key };
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    for (const key of fc.sample(drKey, { numRuns: 150, seed: 1 })) records.push(await insertRecord(stored, key, {}));
    const keys = fc.sample(fc.tuple(drKey, drKey, fc.nat(2)), { numRuns: 150, seed: 2 });
    for (const [first, second, count] of keys) {
      const record = await insertRecord(federated, first, null);
      if (count === 0) links.push(record);
      for (const [index, adaptorUuid] of adaptors.slice(0, count).entries()) {
        const key = index === 0 ? first : second;
        links.push({ uuid: record.uuid, adaptorUuid, drKey: key });
        await database.pool.query(
          `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
           VALUES ($1::uuid, $2, $3, decode(replace($1::uuid::text, '-', ''), 'hex'), $4, '{}')`,
          [record.uuid, adaptorUuid, federated, stringifyJson(key)],
        );
      }
    }
  });
  afterAll(() => database.drop());

  const identify = ({ uuid, adaptorUuid }: { uuid: string; adaptorUuid: string | null }): string =>
    `${uuid} ${adaptorUuid ?? ''}`;

  const expectRows = async (filter: ListingFilter, expected: readonly string[]): Promise<void> => {
    const { records: found, total } = await listPage(database.pool, filter, { order: [], offset: 0, limit: 1000 });
    expect(found.map(identify)).toEqual([...expected].sort());
    expect(total).toBe(expected.length);
    expect(await countRecords(database.pool, filter)).toBe(expected.length);
  };

  it('finds the same records in the database as in memory', async () => {
    const version = { uuid: stored, domainType: 'SERVICE_DATA_STORE' as const };
    await fc.assert(
      fc.asyncProperty(query, async (each) => {
        const condition = checkSearchQuery(each, properties);
        const expected = records.filter((record) => evaluateCondition(condition, record)).map(identify);
        await expectRows({ version, condition, rows: 'PER_RECORD' }, expected).catch((error: unknown) => {
          throw new Error(printSearchQuery(each), { cause: error });
        });
      }),
      { numRuns: casesOf(120) },
    );
  });

  it('folds every letter that the database knows to the same one as in memory', async () => {
    const features = await loadDatabaseFeatures(database.pool);
    const folded = writeComparable('k', { name: 'name', type: 'string' }, features);
    const differing: string[] = [];
    let known = 0;
    const step = 0x1000;
    for (let from = 1; from < 0x30000; from += step) {
      const points = Array.from({ length: step }, (_, index) => from + index);
      const texts = points
        .filter((point) => point < 0xd800 || point > 0xdfff)
        // between letters, because the place of a letter must not count
        .map((point) => `x${String.fromCodePoint(point)}Σ`);
      const { rows } = await database.pool.query<{ readonly text: string; readonly folded: string }>(
        `SELECT text, ${folded} AS folded FROM (SELECT text, jsonb_build_object('name', text) AS k FROM unnest($1::text[]) AS t(text)) AS d`,
        [texts],
      );
      for (const row of rows) {
        const [, letter = ''] = Array.from(row.text);
        // a letter that is younger than the database's Unicode keeps its case there
        const isKnown = row.folded !== `x${letter}σ`;
        if (isKnown) known += 1;
        if (isKnown && row.folded !== foldText(row.text)) differing.push(row.text);
      }
      expect(rows.filter((row) => Array.from(row.folded).length !== 3)).toEqual([]);
    }
    expect(differing).toEqual([]);
    expect(known).toBeGreaterThan(1_300);
  });

  it.each(letters)('meets one character %p with ? and with .', async (letter) => {
    const version = { uuid: stored, domainType: 'SERVICE_DATA_STORE' as const };
    const name = `single-${letter}-${letter}`;
    const record = await insertRecord(stored, { name }, {});
    records.push(record);
    for (const expression of [String.raw`name:single\-?\-?`, 'name:/single-.-./', 'name:/single-.{2,3}.?/']) {
      const condition = checkSearchQuery(parseSearchQuery(expression), properties);
      const expected = records.filter((each) => evaluateCondition(condition, each)).map(identify);
      expect(expected).toContain(identify(record));
      await expectRows({ version, condition, rows: 'PER_RECORD' }, expected);
    }
    for (const expression of [String.raw`name:single\-??\-?`, 'name:/single-..-./']) {
      const condition = checkSearchQuery(parseSearchQuery(expression), properties);
      expect(evaluateCondition(condition, record)).toBe(false);
      const found = await listPage(
        database.pool,
        { version, condition, rows: 'PER_RECORD' },
        { order: [], offset: 0, limit: 1000 },
      );
      expect(found.records.map(({ uuid }) => uuid)).not.toContain(record.uuid);
    }
  });

  const namesOfIndexes = async (session: Queryable, statement: string): Promise<string> => {
    const { rows } = await session.query<{ readonly 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
    return rows.map((row) => row['QUERY PLAN']).join(' ');
  };

  const expectAgreement = async (session: Queryable): Promise<void> => {
    const version = { uuid: stored, domainType: 'SERVICE_DATA_STORE' as const };
    await fc.assert(
      fc.asyncProperty(query, async (each) => {
        const condition = checkSearchQuery(each, properties);
        const expected = records.filter((record) => evaluateCondition(condition, record)).map(({ uuid }) => uuid);
        const filter: ListingFilter = { version, condition, rows: 'PER_RECORD' };
        const found = await listPage(session, filter, { order: [], offset: 0, limit: 1000 });
        expect(found.records.map(({ uuid }) => uuid)).toEqual(expected.sort());
      }),
      { numRuns: casesOf(70) },
    );
  };

  it.each(['ORDER', 'TRIGRAM'] as const)('finds the same by indexes of the kind %s', async (kind) => {
    const features = await loadDatabaseFeatures(database.pool);
    const session = await database.pool.connect();
    try {
      const indexed = properties.filter(({ name, type }) => (kind === 'ORDER' ? type !== 'boolean' : name === 'name'));
      const indexes = indexed.map((property) =>
        describeSearchIndex(stored, 'data_record', { property, kind }, features),
      );
      for (const index of indexes) await buildSearchIndex(session, index);
      await session.query('BEGIN');
      // so few records are read fastest by other means; the transaction is never committed
      await session.query('ALTER TABLE data_record DROP CONSTRAINT data_record_pkey CASCADE');
      await session.query(
        'DROP INDEX data_record_domain_version_uuid_uuid_idx, data_record_domain_version_uuid_key_digest_key',
      );
      await session.query('SET enable_seqscan = off');
      await expectAgreement(session);
      const [name] = properties;
      if (name === undefined) throw new TypeError('the version has no properties');
      const like = `${writeComparable('dr_key', name, features)} LIKE '%athan%'`;
      const plan = await namesOfIndexes(
        session,
        `SELECT FROM data_record WHERE domain_version_uuid = '${stored}' AND ${kind === 'ORDER' ? 'true' : like}`,
      );
      expect(indexes.some(({ name }) => plan.includes(name))).toBe(true);
      await session.query('ROLLBACK');
      for (const { name } of indexes) await dropSearchIndex(session, name);
    } finally {
      session.release(true);
    }
  });

  it.each([
    '(a+)+c',
    '(((a*)*)*)*c',
    '(.*a){60}',
    '(x+x+)+y',
    '((a|b)*(b|a)*){30}c',
    '(a|b)*a(a|b){90}c',
    '(a*a*a*a*a*a*a*a*a*a*)*c',
    '(a{1,200}b?)+c',
    '((((((a*)*b*)*c*)*d*)*e*)*f*)*z',
  ])('ends with /%s/ on long texts', async (source) => {
    const length = 50_000;
    const text = fc.sample(
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength: length, maxLength: length, size: 'max' }),
      {
        numRuns: 1,
        seed: 5,
      },
    );
    const condition = checkSearchQuery(parseSearchQuery(`name:/${source}/`), properties);
    const parameters = createSqlParameters();
    const features = await loadDatabaseFeatures(database.pool);
    const written = writeCondition({ key: 'k', uuid: 'u', parameters, features }, condition);
    const key = parameters.add(stringifyJson({ name: text[0] ?? '' }));
    const session = await database.pool.connect();
    try {
      // an engine that goes back would need more than a lifetime
      await session.query(`SET statement_timeout = '20s'`);
      const { rows } = await session.query<{ readonly hit: boolean }>(
        `SELECT ${written} AS hit FROM (SELECT ${key}::jsonb AS k, NULL::uuid AS u) AS d`,
        [...parameters.values],
      );
      expect(rows).toEqual([{ hit: evaluateCondition(condition, { uuid: '', drKey: { name: text[0] ?? '' } }) }]);
    } finally {
      session.release(true);
    }
  });

  it('holds the key of each link of a federated record', async () => {
    const version = { uuid: federated, domainType: 'FEDERATED' as const };
    await fc.assert(
      fc.asyncProperty(query, async (each) => {
        const condition = checkSearchQuery(each, properties);
        const rows = links.filter((link) => evaluateCondition(condition, link));
        await expectRows({ version, condition, rows: 'PER_LINK' }, rows.map(identify));
        const uuids = [...new Set(rows.map(({ uuid }) => `${uuid} `))];
        await expectRows({ version, condition, rows: 'PER_RECORD' }, uuids);
        const [adaptorUuid = ''] = adaptors;
        const own = rows.filter((row) => row.adaptorUuid === adaptorUuid);
        await expectRows({ version, condition, adaptorUuid, rows: 'PER_LINK' }, own.map(identify));
      }),
      { numRuns: casesOf(50) },
    );
  });

  it('sorts by type, missing values first, and continues page after page', async () => {
    const filter: ListingFilter = { version: { uuid: federated, domainType: 'FEDERATED' }, rows: 'PER_LINK' };
    for (const property of properties) {
      for (const descending of [false, true]) {
        const order = [{ property, descending }];
        const { records: whole } = await listPage(database.pool, filter, { order, offset: 0, limit: 1000 });
        expect(whole.map(identify).sort()).toEqual(links.map(identify).sort());
        const missing = whole.map((row) => (JSON.parse(row.drKey) as JsonObject)[property.name] === null);
        const inFront = descending ? missing.lastIndexOf(false) + 1 : missing.indexOf(false);
        expect(missing.slice(0, inFront).every((each) => each !== descending)).toBe(true);
        expect(missing.slice(inFront).every((each) => each === descending)).toBe(true);
        const paged = [];
        for (let offset = 0; offset < whole.length; offset += 40) {
          paged.push(...(await listPage(database.pool, filter, { order, offset, limit: 40 })).records);
        }
        expect(paged.map(identify)).toEqual(whole.map(identify));
      }
    }
  });
});
