import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseJson, type JsonObject } from '@fds/json';
import { v7 as newUuid } from 'uuid';
import { body, createDomainCalls, model, versionIn } from './testing/domain-calls.js';
import { openCatalog, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
beforeAll(async () => {
  catalog = await openCatalog();
});
afterAll(() => catalog?.close());

const { createVersion, newDomain, newVersion, replaceVersion, patchVersion, addRecord } = createDomainCalls(
  () => catalog,
);

const storedModel = async (v: string): Promise<unknown> => {
  const { modelSchema } = await catalog.database.prisma.domainVersion.findUniqueOrThrow({ where: { uuid: v } });
  return parseJson(modelSchema);
};
const storedJson = async (record: string): Promise<JsonObject> => {
  const { rows } = await catalog.database.pool.query<{ json: JsonObject }>(
    'SELECT json FROM data_record WHERE uuid = $1',
    [record],
  );
  return rows[0]?.json ?? {};
};
const referencesOf = async (recordUuid: string): Promise<readonly string[]> => {
  const rows = await catalog.database.prisma.recordReference.findMany({
    where: { recordUuid },
    orderBy: { pointer: 'asc' },
  });
  return rows.map(({ pointer, targetUuid }) => `${pointer} ${targetUuid}`);
};
const propertyUuids = async (v: string): Promise<Record<string, string>> => {
  const rows = await catalog.database.prisma.domainVersionProperty.findMany({ where: { domainVersionUuid: v } });
  return Object.fromEntries(rows.map((row) => [row.name, row.uuid]));
};

describe('a changed model', () => {
  it('may change the spelling of its properties without records, and their uuids stay', async () => {
    const v = await newVersion(await newDomain('respelt'), {
      ...body,
      modelSchema: { properties: { id: { type: 'int' }, at: { properties: { zip: { type: 'string' } } } } },
    });
    const before = await propertyUuids(v);
    const properties = { ID: { type: 'string' }, At: { properties: { Zip: { type: 'string' } } } };
    expect((await replaceVersion(v, { ...body, modelSchema: { properties }, changeVersion: 1 })).causes).toEqual([]);
    expect(await propertyUuids(v)).toEqual({ ID: before['id'], At: before['at'], 'At.Zip': before['at.zip'] });
  });

  it('keeps its spelling once records have data under it', async () => {
    const v = await newVersion(await newDomain('spelt'));
    await addRecord(v, { id: 1, name: 'Ada' });
    const properties = { ID: { type: 'int' }, NAME: { type: 'string', maxLength: 9 }, New: { type: 'int' } };
    const answer = await replaceVersion(v, { ...body, modelSchema: { properties }, changeVersion: 1 });
    expect(answer.causes).toEqual([]);
    expect(await storedModel(v)).toEqual({
      properties: { id: { type: 'integer' }, name: { type: 'string', maxLength: 9 }, New: { type: 'integer' } },
    });
  });

  it('may change its search properties, also with records', async () => {
    const searched = { ...body, searchProperties: ['NAME'] };
    const v = await newVersion(await newDomain('searched'), searched);
    await addRecord(v, { id: 1, name: 'Ada' });
    const patched = versionIn(await patchVersion(v, { description: 'x', changeVersion: 1 }));
    expect(patched['searchProperties']).toEqual(['name']);
    expect(versionIn(await replaceVersion(v, { ...body, changeVersion: 2 }))['searchProperties']).toEqual([]);
    const decimal = { properties: { id: { type: 'integer' }, name: { type: 'string', format: 'decimal' } } };
    expect((await replaceVersion(v, { ...body, modelSchema: decimal, changeVersion: 3 })).causes).toEqual([
      '/modelSchema/properties/name TYPE_CHANGED',
    ]);
  });

  it('has search properties only in data-store domains', async () => {
    const federated = await newDomain('unsearched', 'FEDERATED');
    const { causes } = await createVersion(federated, { ...body, searchProperties: ['name'] });
    expect(causes).toEqual(['/searchProperties NOT_ALLOWED']);
    const { causes: unknown } = await createVersion(await newDomain('unknown'), { ...body, searchProperties: ['zz'] });
    expect(unknown).toEqual(['/searchProperties/0 UNKNOWN_PROPERTY']);
  });

  it('waits for a record that is being written', async () => {
    const v = await newVersion(await newDomain('raced'));
    const { pool } = catalog.database;
    const writer = await pool.connect();
    try {
      await writer.query('BEGIN');
      await writer.query('SELECT 1 FROM domain_version WHERE uuid = $1 FOR SHARE', [v]);
      const properties = { id: { type: 'integer' } };
      const change = replaceVersion(v, { ...body, modelSchema: { properties }, changeVersion: 1 });
      const isWaiting = async (): Promise<boolean> => {
        const { rows } = await pool.query<{ waiting: number }>(
          `SELECT count(*)::int AS waiting FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%domain_version%FOR UPDATE%'`,
        );
        return (rows[0]?.waiting ?? 0) > 0;
      };
      const deadline = Date.now() + 10_000;
      while (!(await isWaiting())) if (Date.now() > deadline) throw new Error('the change does not wait');
      await writer.query(
        `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
         VALUES ($1, $2, 'x', '{"id": 1}', '{"id": 1, "name": "Ada"}')`,
        [newUuid(), v],
      );
      await writer.query('COMMIT');
      const { code, causes } = await change;
      expect([code, causes]).toEqual(['CONFLICT', ['/modelSchema/properties/name PROPERTY_REMOVED']]);
    } finally {
      writer.release();
    }
  });

  it('with records loses nothing within lists, and validates as it saves', async () => {
    const items = (properties: object) => ({ type: 'array', items: { type: 'object', properties } });
    const schema = (list: object) => ({ properties: { ...model.properties, list } });
    const v = await newVersion(await newDomain('lists'), {
      ...body,
      modelSchema: schema(items({ x: { type: 'int' }, y: { type: 'string' } })),
    });
    await addRecord(v, { id: 1, name: 'Ada', list: [{ x: 1 }] });
    const change = { ...body, modelSchema: schema(items({ x: { type: 'string', format: 'date' } })), changeVersion: 1 };
    const causes = [
      '/modelSchema/properties/list/items/properties/y PROPERTY_REMOVED',
      '/modelSchema/properties/list/items/properties/x TYPE_CHANGED',
    ];
    const refused = await replaceVersion(v, change);
    expect([refused.code, refused.causes]).toEqual(['CONFLICT', causes]);
    const validated = await replaceVersion(v, change, true);
    expect(validated.data['outcome']).toMatchObject({
      domainVersion: null,
      errors: causes.map((cause) => ({ pointer: cause.split(' ')[0], code: cause.split(' ')[1] })),
    });
    const patched = await patchVersion(v, {
      changeVersion: 1,
      modelSchema: { properties: { list: items({ z: { type: 'int' } }) }, required: ['name'] },
    });
    expect(patched.causes).toEqual([]);
    expect(parseJson(String(versionIn(patched)['modelSchema']))).toMatchObject({
      properties: { list: items({ x: { type: 'integer' }, y: { type: 'string' }, z: { type: 'integer' } }) },
      required: ['name'],
    });
  });
});

describe('values of a patch', () => {
  it('can close a circle of two domains: their references are looked up and stored like those of any record', async () => {
    const [company, person] = [await newDomain('company'), await newDomain('person')];
    const companies = await newVersion(company);
    const persons = await newVersion(person, {
      ...body,
      modelSchema: { properties: { ...model.properties, employer: { $ref: '/domains/company:v1' } } },
    });
    const [acme, ada, bob] = [
      await addRecord(companies, { id: 7, name: 'Acme' }),
      await addRecord(persons, { id: 1, name: 'Ada' }),
      await addRecord(persons, { id: 2, name: 'Bob' }),
    ];
    const answer = await patchVersion(companies, {
      changeVersion: 1,
      modelSchema: {
        properties: {
          chief: { $ref: '/domains/person:v1' },
          staff: { $ref: '/domains/person:v1', multivalued: true },
          parent: { $ref: '/domains/company:v1' },
          site: { type: 'object', properties: { page: { type: 'URI' } } },
        },
      },
      values: [
        {
          drKey: { ID: 7 },
          json: {
            chief: 1,
            staff: [{ $ref: `/drs/${ada}` }, { $ref: '/domains/person:v1?id=2' }],
            parent: { id: 7 },
            Site: { PAGE: 'https://acme.example/' },
          },
        },
      ],
    });
    expect(answer.causes).toEqual([]);
    const to = (uuid: string) => ({ $ref: `/drs/${uuid}` });
    expect(await storedJson(acme)).toEqual({
      id: 7,
      name: 'Acme',
      chief: to(ada),
      staff: [to(ada), to(bob)],
      parent: to(acme),
      site: { page: 'https://acme.example/' },
    });
    expect(await referencesOf(acme)).toEqual([
      `/chief ${ada}`,
      `/parent ${acme}`,
      `/staff/0 ${ada}`,
      `/staff/1 ${bob}`,
    ]);
    // resolved references stay resolved
    const again = await patchVersion(companies, {
      changeVersion: 2,
      modelSchema: { properties: { site: { properties: { city: { type: 'string' } } } } },
      values: [{ drUuid: acme, json: { site: { city: 'Bern' } } }],
    });
    expect(again.causes).toEqual([]);
    expect((await storedJson(acme))['site']).toEqual({ page: 'https://acme.example/', city: 'Bern' });
    expect(await referencesOf(acme)).toHaveLength(4);
  });

  it('are all reported when they are wrong, and then neither model nor record changes', async () => {
    const v = await newVersion(await newDomain('strict'));
    const [first, second] = [await addRecord(v, { id: 1, name: 'A' }), await addRecord(v, { id: 2, name: 'B' })];
    const unknown = newUuid();
    const answer = await patchVersion(v, {
      changeVersion: 1,
      modelSchema: { properties: { age: { type: 'int', maximum: 9 }, next: { $ref: '/domains/strict:v1' } } },
      values: [
        { drUuid: first, json: { age: 10, next: 2 } },
        { drKey: { id: 2 }, json: { age: 1, next: 99 } },
        { drUuid: second, json: { age: 2 } },
        { drKey: { id: 3 }, json: {} },
        { drUuid: unknown, json: { age: 1 } },
      ],
    });
    expect([...answer.causes].sort()).toEqual([
      '/values/0/json/age OUT_OF_RANGE',
      '/values/1/json/next UNKNOWN_REFERENCE',
      '/values/2/drUuid DUPLICATE_RECORD',
      '/values/3/drKey UNKNOWN_REFERENCE',
      '/values/4/drUuid UNKNOWN_REFERENCE',
    ]);
    expect(await storedModel(v)).toEqual(model);
    expect(await storedJson(second)).toEqual({ id: 2, name: 'B' });
    expect(await referencesOf(second)).toEqual([]);
  });

  it('for a thousand records add one change each to the log', async () => {
    const v = await newVersion(await newDomain('crowd'));
    const records = await Promise.all(Array.from({ length: 1000 }, (_, id) => addRecord(v, { id, name: `n${id}` })));
    const answer = await patchVersion(v, {
      changeVersion: 1,
      modelSchema: { properties: { big: { type: 'long' } } },
      values: records.map((drUuid) => ({ drUuid, json: { big: 9223372036854775807n } })),
    });
    expect(answer.causes).toEqual([]);
    const logged = await catalog.database.prisma.changeLogEntry.findMany({
      where: { resourceType: 'Dr', action: 'PATCH', resourceUuid: { in: records } },
    });
    expect(logged).toHaveLength(1000);
    expect(parseJson(logged[0]?.data ?? '')).toMatchObject({
      domainVersionUuid: v,
      drKey: {},
      json: { big: 9223372036854775807n },
      transactionUuid: expect.any(String),
    });
  });
});
