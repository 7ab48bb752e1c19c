import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { RequestContext } from '@fds/graphql';
import { stringifyJson, type JsonObject } from '@fds/json';
import { createUuids } from '@fds/service';
import { findMiscounts } from '../../../testing/find-miscounts.js';
import { createCatalogSeed, type CatalogSeed, type SeededVersion } from '../../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../../testing/start-records.js';

const person = (permits: Principal['permits']): Principal => ({
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'dgs',
  zones: [],
  defaultZoneUuid: undefined,
  permits,
});
const steward = person((_action, path) => path.startsWith('/drs'));

interface Report {
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly errors: readonly { readonly row: number; readonly pointer: string; readonly code: string }[];
}

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;

const run = async (source: string, variableValues: Record<string, unknown>, principal = steward, at = server) => {
  const contextValue: RequestContext = { principal, requestId: 'test' };
  const { data, errors } = await graphql({ schema: at.subgraph.schema, source, variableValues, contextValue });
  return { data: (data ?? {}) as Record<string, unknown>, errors: (errors ?? []).map(({ extensions }) => extensions) };
};

const addPart = (uploadUuid: string | undefined, number: number, content: Buffer, principal = steward, at = server) =>
  run(
    'mutation ($uploadUuid: Uuid, $number: Int!, $content: String!) {' +
      ' upload: addUploadPart(uploadUuid: $uploadUuid, number: $number, content: $content) { uuid bytes parts } }',
    { uploadUuid, number, content: content.toString('base64') },
    principal,
    at,
  );

const upload = async (file: string, partBytes = 1000, at = server): Promise<string> => {
  const bytes = Buffer.from(file);
  let uuid: string | undefined;
  for (let number = 0; number === 0 || number * partBytes < bytes.length; number += 1) {
    const { data, errors } = await addPart(
      uuid,
      number,
      bytes.subarray(number * partBytes, (number + 1) * partBytes),
      steward,
      at,
    );
    expect(errors).toEqual([]);
    uuid = (data['upload'] as { uuid: string }).uuid;
  }
  return uuid ?? '';
};

const begin = async (uploadUuid: string, input: Record<string, unknown>, principal = steward, at = server) => {
  const { data, errors } = await run(
    'mutation ($input: ImportDataRecordsInput!) { report: importDataRecords(input: $input)' +
      ' { total created updated unchanged failed errors { row pointer code detail } } }',
    { input: { uploadUuid, format: 'JSON', ...input } },
    principal,
    at,
  );
  return {
    report: data['report'] as Report | undefined,
    refusal: errors[0] as (Report & { code: string }) | undefined,
  };
};

const importLimits = { maxFileBytes: 200_000, maxRowBytes: 2_000 };

const importFile = async (file: string, input: Record<string, unknown>, principal = steward) =>
  begin(await upload(file), input, principal);

const countsOf = (report: Report | undefined) =>
  report === undefined
    ? undefined
    : [report.total, report.created, report.updated, report.unchanged, report.failed].map(Number);
const faultsOf = (report: Report | undefined) => report?.errors.map(({ row, pointer, code }) => [row, pointer, code]);

const stored = async ({ domainVersionUuid }: SeededVersion): Promise<string[]> => {
  const { rows } = await database.pool.query<{ readonly json: string }>(
    'SELECT json::text AS json FROM data_record WHERE domain_version_uuid = $1 ORDER BY uuid',
    [domainVersionUuid],
  );
  return rows.map(({ json }) => json);
};

/** The actions of the entries; each has a separate transaction. */
const logged = async ({ domainVersionUuid }: SeededVersion): Promise<string[]> => {
  const { rows } = await database.pool.query<{ readonly action: string; readonly transaction_uuid: string | null }>(
    `SELECT action, data::jsonb ->> 'transactionUuid' AS transaction_uuid
     FROM change_log WHERE resource_type = 'Dr' AND data LIKE '%' || $1 || '%' ORDER BY position`,
    [domainVersionUuid],
  );
  const transactions = new Set(rows.flatMap(({ transaction_uuid }) => transaction_uuid ?? []));
  expect(transactions.size).toBe(rows.length);
  return rows.map(({ action }) => action);
};

let domains = 0;
const addDomain = async (
  properties: JsonObject = { id: { type: 'integer' }, name: { type: 'string', maxLength: 10 } },
  domainType: 'SERVICE_DATA_STORE' | 'FEDERATED' = 'SERVICE_DATA_STORE',
): Promise<SeededVersion & { readonly domainName: string }> => {
  domains += 1;
  const domainName = `Imported${domains}`;
  const version = await seed.addVersion({ domainName, domainType, properties, drKeyProperties: ['id'] });
  return { ...version, domainName };
};

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  await seed.addZone('Zone');
  server = await startRecords(database, { importLimits });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

describe('the bulk import', () => {
  it('adds the records of a file that came in parts, integers exact, and logs each', async () => {
    const domain = await addDomain();
    const rows = Array.from(
      { length: 1203 },
      (_, index) => `{"id":${2n ** 63n - 1n - BigInt(index)},"name":"é${index}"}`,
    );
    const { report } = await importFile(`[${rows.join(',')}]`, { domainName: domain.domainName });
    expect(countsOf(report)).toEqual([1203, 1203, 0, 0, 0]);
    expect(report?.errors).toEqual([]);
    expect(new Set(await stored(domain))).toEqual(
      new Set(rows.map((row) => row.replaceAll(':', ': ').replaceAll(',', ', '))),
    );
    expect(await logged(domain)).toEqual(rows.map(() => 'POST'));
  });

  it('writes rows of the same key once, as the last of them says', async () => {
    const version = await addDomain();
    const input = { domainName: version.domainName, format: 'NDJSON' };
    const rows = Array.from({ length: 2_000 }, (_, at) => `{"id":1,"name":"n${at}"}`);
    const many = await begin(await upload(rows.join('\n'), 100_000), input);
    expect(countsOf(many.report)).toEqual([2000, 1, 1999, 0, 0]);
    expect(await stored(version)).toEqual(['{"id": 1, "name": "n1999"}']);
    expect(await logged(version)).toEqual(['POST']);
    const back = '{"id":1,"name":"other"}\n{"id":1,"name":"far too long a name"}\n{"id":1,"name":"n1999"}\n';
    const undone = await importFile(back, input);
    expect(countsOf(undone.report)).toEqual([3, 0, 2, 0, 1]);
    expect(await logged(version)).toEqual(['POST']);
    expect(await findMiscounts(database.pool)).toEqual([]);
  });

  it.each([false, true])('writes the rows of a key in a file of many parts once (atomic: %s)', async (atomic) => {
    const version = await addDomain();
    const input = { domainName: version.domainName, format: 'NDJSON', atomic };
    const keys = 300;
    const rows = Array.from({ length: 6_000 }, (_, at) => `{"id":${at % keys},"name":"n${at}"}`);
    const { report } = await begin(await upload(rows.join('\n'), 20_000), input);
    expect(countsOf(report)).toEqual([6000, 300, 5700, 0, 0]);
    expect(await logged(version)).toEqual(Array.from({ length: keys }, () => 'POST'));
    expect((await stored(version)).toSorted()).toEqual(
      rows
        .slice(-keys)
        .map((row) => row.replaceAll(':', ': ').replaceAll(',', ', '))
        .toSorted(),
    );
    // the same file again: the record is what it was, though each row but the last of a key changes it
    const again = await begin(await upload(rows.join('\n'), 20_000), input);
    expect(countsOf(again.report)).toEqual([6000, 0, 6000, 0, 0]);
    expect(await logged(version)).toHaveLength(keys);
    expect(await findMiscounts(database.pool)).toEqual([]);
  });

  it('names faults in the order of the rows, and keeps the rows of a key before a faulty one', async () => {
    const version = await addDomain();
    const names = ['"a"', '"far too long a name"', '"b"', '1', '"c"', 'null', '"c"', '"d", "colour": 1'];
    const rows = names.map((name) => `{"id":1,"name":${name}}`);
    const { report } = await importFile(['{"id":2}', ...rows, '{"id":2,"name":[]}'].join('\n'), {
      domainName: version.domainName,
      format: 'NDJSON',
    });
    expect(faultsOf(report)).toEqual([
      [3, '/name', 'TOO_LONG'],
      [5, '/name', 'INVALID_TYPE'],
      [9, '/colour', 'UNKNOWN_PROPERTY'],
      [10, '/name', 'INVALID_TYPE'],
    ]);
    expect(countsOf(report)).toEqual([10, 2, 4, 0, 4]);
    expect((await stored(version)).toSorted()).toEqual(['{"id": 1, "name": "c"}', '{"id": 2}']);
  });

  it('replaces, leaves alone what is equal, and lets the last row of a key win', async () => {
    const domain = await addDomain();
    const { domainName } = domain;
    await importFile('[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3}]', { domainName });
    const file = '[{"id":1,"name":"a"},{"id":2},{"id":4,"name":"x"},{"id":4,"name":"y"},{"name":"z","id":4}]';
    const { report } = await importFile(file, { domainName });
    expect(countsOf(report)).toEqual([5, 1, 3, 1, 0]);
    expect((await stored(domain)).toSorted()).toEqual(
      ['{"id": 1, "name": "a"}', '{"id": 2}', '{"id": 3}', '{"id": 4, "name": "z"}'].toSorted(),
    );
  });

  it('asked to create only, refuses keys that are taken, in the file too', async () => {
    const domain = await addDomain();
    const { domainName } = domain;
    await importFile('{"id":1}', { domainName, format: 'NDJSON' });
    const { report } = await importFile('{"id":1,"name":"x"}\n{"id":2}\n{"id":2}\n', {
      domainName,
      format: 'NDJSON',
      mode: 'CREATE',
    });
    expect(countsOf(report)).toEqual([3, 1, 0, 0, 2]);
    expect(faultsOf(report)).toEqual([
      [1, '', 'DUPLICATE_DR_KEY'],
      [3, '', 'DUPLICATE_DR_KEY'],
    ]);
    expect(await stored(domain)).toEqual(['{"id": 1}', '{"id": 2}']);
  });

  /** Further parts of the file are imported in the belief that their keys are free, until one is taken. */
  it.each([
    { mode: 'UPSERT', atomic: false, counts: [1001, 900, 50, 50, 1], duplicates: [] },
    { mode: 'UPSERT', atomic: true, counts: [1000, 900, 50, 50, 0], duplicates: [] },
    { mode: 'CREATE', atomic: false, counts: [1001, 900, 0, 0, 101], duplicates: [[751, 850]] },
  ])(
    'finds taken keys behind many free ones ($mode, atomic: $atomic)',
    async ({ mode, atomic, counts, duplicates }) => {
      const domain = await addDomain();
      const { domainName } = domain;
      const rowsOf = (ids: readonly number[], name: (id: number) => string) =>
        ids.map((id) => ({ id, name: name(id) }));
      const ids = Array.from({ length: 1000 }, (_, id) => id);
      const takenIds = ids.slice(750, 850);
      await importFile(stringifyJson(rowsOf(takenIds, () => 'old')), { domainName });
      const rows = rowsOf(ids, (id) => (id < 800 ? 'new' : 'old'));
      const wrong = atomic ? [] : [{ id: 'x' }];
      const { report } = await importFile(stringifyJson([...rows, ...wrong]), { domainName, mode, atomic });
      expect(countsOf(report)).toEqual(counts);
      const refused = report?.errors.filter(({ code }) => code === 'DUPLICATE_DR_KEY').map(({ row }) => row) ?? [];
      expect(refused).toEqual(
        duplicates.flatMap(([from = 0, to = 0]) => Array.from({ length: to - from + 1 }, (_, index) => from + index)),
      );
      const names = (await stored(domain)).map((json) => (JSON.parse(json) as { readonly name: string }).name);
      expect(names.filter((name) => name === 'new')).toHaveLength(mode === 'CREATE' ? 750 : 800);
      expect(names).toHaveLength(1000);
      const actions = await logged(domain);
      expect(actions.filter((action) => action === 'POST')).toHaveLength(1000);
      expect(actions.filter((action) => action === 'PUT')).toHaveLength(mode === 'CREATE' ? 0 : 50);
    },
  );

  const rowsAfter = (last: JsonObject): string =>
    stringifyJson([...Array.from({ length: 300 }, (_, index) => ({ id: 101 + index })), last]);

  it('replaces a record behind many free keys with properties that the person may change, but not add', async () => {
    const domain = await addDomain();
    const { domainName } = domain;
    await importFile('[{"id":1,"name":"old"}]', { domainName });
    const any: AccessRule = {
      effect: 'ALLOW',
      actions: null,
      zoneUuid: null,
      adaptorUuid: null,
      domainUuid: null,
      domainVersionUuid: null,
      properties: null,
      drUuids: null,
    };
    const rules: AccessRule[] = [
      { ...any, actions: ['POST'], properties: ['id'] },
      { ...any, actions: ['GET', 'PUT'] },
    ];
    const restricted = { ...steward, dataAccess: compileDataAccess([rules], new Map()) };
    const { report } = await importFile(rowsAfter({ id: 1, name: 'new' }), { domainName }, restricted);
    expect({ counts: countsOf(report), faults: faultsOf(report) }).toEqual({ counts: [301, 300, 1, 0, 0], faults: [] });
  });

  it('names a taken key behind many free ones, though a reference is wrong too', async () => {
    const parent = { $ref: `/domains/Imported${domains + 1}:v1` };
    const { domainName } = await addDomain({ id: { type: 'integer' }, parent });
    await importFile('[{"id":1}]', { domainName });
    const { report } = await importFile(rowsAfter({ id: 1, parent: 7 }), { domainName, mode: 'CREATE' });
    expect(faultsOf(report)).toEqual([[301, '', 'DUPLICATE_DR_KEY']]);
  });

  it('finds the record by the key of its link, behind many free keys', async () => {
    const domain = await addDomain();
    const { domainName } = domain;
    await importFile('[{"id":1,"name":"old"}]', { domainName });
    const { rowCount } = await database.pool.query(
      `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
       SELECT uuid, gen_random_uuid(), domain_version_uuid, sha256('[900]'), '{"id":900}', '{}'
       FROM data_record WHERE domain_version_uuid = $1`,
      [domain.domainVersionUuid],
    );
    expect(rowCount).toBe(1);
    const rows = Array.from({ length: 900 }, (_, index) => ({ id: 101 + index, name: 'new' }));
    const { report } = await importFile(stringifyJson(rows), { domainName });
    expect(countsOf(report)).toEqual([900, 899, 1, 0, 0]);
    expect(await stored(domain)).toHaveLength(900);
  });

  it('reports every fault of every row, and imports the others', async () => {
    const domain = await addDomain();
    const file = [
      '{"id":"x","name":"far too long a name","colour":1}',
      '[1]',
      '{"id":1',
      '{"id":1,"__proto__":{"a":1}}',
      '{"name":"no key"}',
      `{"id":2,"name":"${'x'.repeat(3000)}"}`,
      '{"id":3,"name":"good"}',
    ].join('\n');
    const { report } = await importFile(`${file}\n`, { domainName: domain.domainName, format: 'NDJSON' });
    expect(countsOf(report)).toEqual([7, 1, 0, 0, 6]);
    expect(faultsOf(report)).toEqual([
      [1, '/colour', 'UNKNOWN_PROPERTY'],
      [1, '/id', 'INVALID_TYPE'],
      [1, '/name', 'TOO_LONG'],
      [2, '', 'INVALID_TYPE'],
      [3, '', 'MALFORMED_JSON'],
      [4, '/__proto__', 'UNKNOWN_PROPERTY'],
      [5, '/id', 'REQUIRED'],
      [6, '', 'ROW_TOO_LARGE'],
    ]);
    expect(await stored(domain)).toEqual(['{"id": 3, "name": "good"}']);
  });

  it('reports the first 1000 faults and counts them all', async () => {
    const { domainName } = await addDomain();
    const { report } = await importFile('{}\n'.repeat(1500), { domainName, format: 'NDJSON' });
    expect(countsOf(report)).toEqual([1500, 0, 0, 0, 1500]);
    expect(report?.errors).toHaveLength(1000);
  });

  it('in one transaction saves nothing where a row is wrong, and reports the fault of each', async () => {
    const domain = await addDomain();
    const { domainName } = domain;
    const rows = Array.from({ length: 700 }, (_, id) => ({
      id,
      name: id % 600 === 599 ? 'far too long a name' : 'ok',
    }));
    const { refusal } = await importFile(stringifyJson(rows), { domainName, atomic: true });
    expect(refusal?.code).toBe('VALIDATION_FAILED');
    expect(countsOf(refusal)).toEqual([700, 0, 0, 0, 1]);
    expect(faultsOf(refusal)).toEqual([[600, '/name', 'TOO_LONG']]);
    expect([await stored(domain), await logged(domain)]).toEqual([[], []]);

    const good = rows.map(({ id }) => ({ id }));
    const { report } = await importFile(stringifyJson(good), { domainName, atomic: true, mode: 'CREATE' });
    expect(countsOf(report)).toEqual([700, 700, 0, 0, 0]);
    expect(await stored(domain)).toHaveLength(700);
    expect(await logged(domain)).toHaveLength(700);
  });

  it.each([
    [true, 0],
    [false, 2],
  ])('reports the counts so far for a file that breaks off (atomic: %s)', async (atomic, created) => {
    const domain = await addDomain();
    const { refusal } = await importFile('[{"id":1},{"id":2},{"id":"x"},{"id":', {
      domainName: domain.domainName,
      atomic,
    });
    expect(refusal).toMatchObject({ code: 'MALFORMED_JSON', row: 4, position: 36 });
    expect(countsOf(refusal)).toEqual([3, created, 0, 0, 1]);
    expect(faultsOf(refusal)).toEqual([
      [3, '/id', 'INVALID_TYPE'],
      [4, '', 'MALFORMED_JSON'],
    ]);
    expect(await stored(domain)).toHaveLength(created);
  });

  it('reads CSV by the types of the model', async () => {
    const domain = await addDomain({
      id: { type: 'integer' },
      name: { type: 'string' },
      active: { type: 'boolean' },
      address: { type: 'object', properties: { city: { type: 'string' } } },
    });
    const file = 'ID,name,active,address.city\n9223372036854775807,"",true,Köln\n2,,no,\n';
    const { report } = await importFile(file, { domainName: domain.domainName, format: 'CSV' });
    expect(countsOf(report)).toEqual([2, 1, 0, 0, 1]);
    expect(faultsOf(report)).toEqual([[2, '/active', 'INVALID_TYPE']]);
    expect(await stored(domain)).toEqual([
      '{"id": 9223372036854775807, "name": "", "active": true, "address": {"city": "Köln"}}',
    ]);
    const { refusal } = await importFile('id,colour\n1,red\n', { domainName: domain.domainName, format: 'CSV' });
    expect(refusal?.code).toBe('VALIDATION_FAILED');
    expect(faultsOf(refusal)).toEqual([[0, '/colour', 'UNKNOWN_PROPERTY']]);
    expect(countsOf(refusal)).toEqual([0, 0, 0, 0, 0]);
  });

  it('looks up references, to rows before too', async () => {
    const { domainName } = await addDomain({
      id: { type: 'integer' },
      parent: { $ref: `/domains/Imported${domains + 1}:v1` },
    });
    const file = 'id,parent\n1,\n2,1\n3,7\n4,2\n';
    for (const atomic of [false, true]) {
      const { report, refusal } = await importFile(file, { domainName, format: 'CSV', atomic });
      expect(faultsOf(report ?? refusal)).toEqual([[3, '/parent', 'UNKNOWN_REFERENCE']]);
    }
    const { report } = await importFile('id,parent\n1,\n2,1\n4,2\n', { domainName, format: 'CSV', atomic: true });
    expect(countsOf(report)).toEqual([3, 0, 0, 3, 0]);
  });

  it('enters federated records in the catalogue by their keys', async () => {
    const domain = await addDomain({ id: { type: 'integer' }, name: { type: 'string' } }, 'FEDERATED');
    const { domainName } = domain;
    const { report } = await importFile('[{"id":1,"name":"not kept"},{"id":2}]', { domainName });
    expect(countsOf(report)).toEqual([2, 2, 0, 0, 0]);
    const again = await importFile('[{"id":1},{"id":3}]', { domainName });
    expect(countsOf(again.report)).toEqual([2, 1, 0, 1, 0]);
    expect(await stored(domain)).toEqual([null, null, null]);
  });

  it('continues without a record that the database refuses', async () => {
    const domain = await addDomain();
    await database.pool.query(
      `CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.json ->> 'name' = 'poison' THEN RAISE EXCEPTION 'no' USING ERRCODE = '22000'; END IF; RETURN NEW; END $$`,
    );
    await database.pool.query(
      'CREATE TRIGGER refuse_poison BEFORE INSERT ON data_record FOR EACH ROW EXECUTE FUNCTION refuse_poison()',
    );
    const rows = Array.from({ length: 30 }, (_, id) => ({ id, name: id === 17 ? 'poison' : 'good' }));
    const { refusal } = await importFile(stringifyJson(rows), { domainName: domain.domainName, atomic: true });
    expect(faultsOf(refusal)).toEqual([[18, '', 'VALIDATION_FAILED']]);
    const { report } = await importFile(stringifyJson(rows), { domainName: domain.domainName });
    expect(countsOf(report)).toEqual([30, 29, 0, 0, 1]);
    expect(faultsOf(report)).toEqual([[18, '', 'VALIDATION_FAILED']]);
    await database.pool.query('DROP TRIGGER refuse_poison ON data_record');
  });

  // batches of both files wait for each other, as their keys come in opposite orders; half of the keys are stored already
  it.each([
    { mode: 'UPSERT', created: 150, replaced: 450, refused: 0 },
    { mode: 'CREATE', created: 150, replaced: 0, refused: 450 },
  ])('keeps each key once when two services import the same keys at once by $mode', async (expected) => {
    const { mode, created, replaced, refused } = expected;
    const domain = await addDomain();
    const { domainName } = domain;
    const ids = Array.from({ length: 300 }, (_, index) => index);
    const fileOf = (name: string, some: readonly number[]): string => JSON.stringify(some.map((id) => ({ id, name })));
    const { report: before } = await importFile(fileOf('before', ids.slice(0, 150)), { domainName });
    expect(countsOf(before)).toEqual([150, 150, 0, 0, 0]);
    const other = await startRecords(database, { importLimits });
    try {
      const [one, two] = [await upload(fileOf('one', ids)), await upload(fileOf('two', ids.toReversed()))];
      const ended = await Promise.all([
        begin(one, { domainName, mode }),
        begin(two, { domainName, mode }, steward, other),
      ]);
      const reports = ended.flatMap(({ report }) => report ?? []);
      const sum = (count: (report: Report) => number): number =>
        reports.reduce((total, report) => total + count(report), 0);
      expect(reports).toHaveLength(2);
      expect(sum((report) => report.created)).toBe(created);
      expect(sum((report) => report.updated + report.unchanged)).toBe(replaced);
      expect(sum((report) => report.failed)).toBe(refused);
      const codes = reports.flatMap(({ errors }) => errors.map(({ code }) => code));
      expect(codes).toEqual(Array.from({ length: refused }, () => 'DUPLICATE_DR_KEY'));
      const records = (await stored(domain)).map((json) => JSON.parse(json) as { readonly id: number });
      expect(records.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids);
      const actions = await logged(domain);
      expect(actions.filter((action) => action === 'POST')).toHaveLength(300);
      expect(actions.filter((action) => action === 'PUT')).toHaveLength(sum((report) => report.updated));
    } finally {
      await other.close();
    }
  });

  it('knows the domain, its version, and who may', async () => {
    expect((await importFile('[]', {})).refusal?.code).toBe('INVALID_PARAMETER');
    expect((await importFile('[]', { domainName: 'nowhere' })).refusal?.code).toBe('NOT_FOUND');
    const { domainName } = await addDomain();
    expect((await importFile('[]', { domainName, versionNumber: 2 })).refusal?.code).toBe('NOT_FOUND');
    expect(countsOf((await importFile('[]', { domainName, versionNumber: 1 })).report)).toEqual([0, 0, 0, 0, 0]);
    const stranger = person(() => false);
    expect((await addPart(undefined, 0, Buffer.from('[]'), stranger)).errors[0]?.['code']).toBe('FORBIDDEN');
    expect((await begin(await upload('[]'), { domainName }, stranger)).refusal?.code).toBe('FORBIDDEN');
  });
});

describe('an upload', () => {
  it("is its caller's own, and gone after the import", async () => {
    const { domainName } = await addDomain();
    const uuid = await upload('[]');
    const other = person(() => true);
    expect((await begin(uuid, { domainName }, other)).refusal?.code).toBe('NOT_FOUND');
    expect((await addPart(uuid, 1, Buffer.from('x'), other)).errors[0]?.['code']).toBe('NOT_FOUND');
    expect((await begin(uuid, { domainName })).refusal).toBeUndefined();
    expect((await begin(uuid, { domainName })).refusal?.code).toBe('NOT_FOUND');
  });

  it('takes its parts in order and up to its limit', async () => {
    const uuid = await upload('x');
    expect((await addPart(uuid, 0, Buffer.from('y'))).errors).toMatchObject([{ code: 'CONFLICT', number: 1 }]);
    expect((await addPart(uuid, 1, Buffer.alloc(200_000))).errors[0]?.['code']).toBe('PAYLOAD_TOO_LARGE');
    expect((await addPart(undefined, 0, Buffer.alloc(200_001))).errors[0]?.['code']).toBe('PAYLOAD_TOO_LARGE');
    expect((await addPart(uuid, 1, Buffer.alloc(199_999))).data).toMatchObject({ upload: { parts: 2 } });
    const bad = await run('mutation { addUploadPart(number: 0, content: "é") { uuid } }', {});
    expect(bad.errors[0]?.['code']).toBe('VALIDATION_FAILED');
  });

  it('is refused to an owner who has too many', async () => {
    const hoarder = person(() => true);
    const begun = await Promise.all(Array.from({ length: 50 }, () => addPart(undefined, 0, Buffer.from('x'), hoarder)));
    expect(begun.flatMap(({ errors }) => errors)).toEqual([]);
    expect((await addPart(undefined, 0, Buffer.from('x'), hoarder)).errors[0]?.['code']).toBe('RATE_LIMITED');
    expect((await addPart(undefined, 0, Buffer.from('x'))).errors).toEqual([]);
  });

  it('is forgotten on request, and when it is abandoned', async () => {
    const [one, two] = [await upload('x'), await upload('x')];
    await run('mutation ($uuid: Uuid!) { removeUpload(uploadUuid: $uuid) }', { uuid: one });
    expect((await addPart(one, 1, Buffer.from('y'))).errors[0]?.['code']).toBe('NOT_FOUND');
    await database.pool.query("UPDATE record_upload SET last_updated = now() - interval '61 minutes' WHERE uuid = $1", [
      two,
    ]);
    await upload('x');
    const { rows } = await database.pool.query('SELECT FROM record_upload_part WHERE upload_uuid = $1', [two]);
    expect(rows).toEqual([]);
  });

  it('lets other work run while it decides on the rows of a batch', async () => {
    const items = { properties: { n: { type: 'integer' } } };
    const { domainName } = await addDomain({ id: { type: 'integer' }, list: { type: 'array', items } });
    const list = Array.from({ length: 40 }, (_, n) => ({ n }));
    const rows = Array.from({ length: 2500 }, (_, id) => JSON.stringify({ id, list }));
    let turn = 0;
    const byTurn = new Map<number, number>();
    const newUuid = createUuids(Date.now);
    const counting = await startRecords(database, {
      importLimits: { maxFileBytes: 2_000_000, maxRowBytes: 2_000 },
      // each new record takes one
      newUuid: () => {
        byTurn.set(turn, (byTurn.get(turn) ?? 0) + 1);
        return newUuid();
      },
    });
    const count = (): void => {
      turn += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    try {
      const uuid = await upload(rows.join('\n'), 199_000, counting);
      const { report, refusal } = await begin(uuid, { domainName, format: 'NDJSON' }, steward, counting);
      expect(refusal).toBeUndefined();
      expect(countsOf(report)).toEqual([2500, 2500, 0, 0, 0]);
    } finally {
      clearImmediate(next);
      await counting.close();
    }
    const all = [...byTurn.values()].reduce((sum, uuids) => sum + uuids, 0);
    expect(all).toBeGreaterThanOrEqual(2500);
    // the number of decisions in a turn depends on the machine; without turns all of them are in one
    expect(Math.max(...byTurn.values())).toBeLessThan(0.95 * all);
  });

  it('leaves the count of records right', async () => {
    expect(await findMiscounts(database.pool)).toEqual([]);
  });
});
