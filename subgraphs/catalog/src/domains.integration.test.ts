import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { v7 as newUuid } from 'uuid';
import { body, createDomainCalls, model, versionIn } from './testing/domain-calls.js';
import { listIn, openCatalog, principalWith, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
beforeAll(async () => {
  catalog = await openCatalog();
});
afterAll(() => catalog?.close());
beforeEach(() => void catalog.takeSent());

const { createDomain, newDomain, writeDomain, createVersion, newVersion, replaceVersion, patchVersion, addRecord } =
  createDomainCalls(() => catalog);

describe('domains', () => {
  it("are created in the caller's default zone, as data stores, and granted to its stewards", async () => {
    const { data } = await createDomain({ name: 'customer', description: 'x'.repeat(300) });
    expect(data['domain']).toMatchObject({
      name: 'customer',
      description: 'x'.repeat(255),
      domainType: 'SERVICE_DATA_STORE',
      zoneUuid: catalog.rootZoneUuid,
      active: true,
      changeVersion: 1,
      defaultVersionUuid: null,
      defaultVersionNumber: null,
      versionCount: 0,
    });
    const granted = await catalog.database.prisma.permission.count({
      where: { resource: `/domains/${String(data['domain']?.['uuid'])}/*`, action: 'ALL' },
    });
    expect(granted).toBe(1);
  });

  it('have names that also differ in GraphQL', async () => {
    await newDomain('sales-order');
    for (const name of ['sales-order', 'SALES-ORDER', 'sales_order']) {
      const { code, causes } = await createDomain({ name });
      expect([code, causes]).toEqual(['DUPLICATE_NAME', ['/name DUPLICATE_NAME']]);
    }
    expect((await createDomain({ name: 'a__b' })).causes).toEqual(['/name WRONG_FORMAT']);
    expect((await createDomain({ name: 'zoned', zoneUuid: newUuid() })).code).toBe('UNKNOWN_REFERENCE');
    const homeless = principalWith([{ action: 'ALL', resource: '/domains/*' }]);
    const { causes } = await catalog.run('mutation { createDomain(input: {name: "nowhere"}) { uuid } }', {}, homeless);
    expect(causes).toEqual(['/zoneUuid REQUIRED']);
  });

  it('only one of two concurrent requests with the same name creates a domain', async () => {
    const answers = await Promise.all([createDomain({ name: 'twin' }), createDomain({ name: 'TWIN' })]);
    expect(answers.map(({ code }) => code ?? 'created').sort()).toEqual(['DUPLICATE_NAME', 'created']);
  });

  it('the first version is the default until a patch changes it', async () => {
    const d = await newDomain('invoice');
    const first = await newVersion(d);
    const second = await newVersion(d);
    const read = await catalog.run(
      'query($d: Uuid!) { domain(domainUuid: $d) { changeVersion defaultVersionUuid defaultVersion { versionNumber } versions { versionNumber } versionCount } }',
      { d },
    );
    expect(read.data['domain']).toEqual({
      changeVersion: 1,
      defaultVersionUuid: first,
      defaultVersion: { versionNumber: 1 },
      versions: [{ versionNumber: 1 }, { versionNumber: 2 }],
      versionCount: 2,
    });
    const patched = await writeDomain('patchDomain', d, { defaultVersionNumber: 2, changeVersion: 1 });
    expect(patched.data['domain']).toMatchObject({
      defaultVersionUuid: second,
      defaultVersionNumber: 2,
      changeVersion: 2,
    });
    for (const [input, cause] of [
      [{ defaultVersionUuid: newUuid() }, '/defaultVersionUuid UNKNOWN_REFERENCE'],
      [{ defaultVersionUuid: null }, '/defaultVersionUuid REQUIRED'],
      [{ defaultVersionNumber: null }, '/defaultVersionNumber REQUIRED'],
      [{ defaultVersionNumber: 0 }, '/defaultVersionNumber UNKNOWN_REFERENCE'],
      [{ defaultVersionNumber: 9 }, '/defaultVersionNumber UNKNOWN_REFERENCE'],
      [{ defaultVersionNumber: '9223372036854775807' }, '/defaultVersionNumber UNKNOWN_REFERENCE'],
      [{ defaultVersionUuid: first, defaultVersionNumber: 2 }, '/defaultVersionNumber CONTRADICTION'],
    ] as const) {
      expect((await writeDomain('patchDomain', d, { ...input, changeVersion: 2 })).causes).toEqual([cause]);
    }
  });

  it('changeVersion, type and name follow the rules', async () => {
    const d = await newDomain('product');
    const bare = await writeDomain('patchDomain', await newDomain('bare'), {
      defaultVersionUuid: null,
      changeVersion: 1,
    });
    expect(bare.data['domain']).toMatchObject({ defaultVersionUuid: null, changeVersion: 2 });
    expect((await writeDomain('patchDomain', d, { description: 'd' })).code).toBe('CHANGE_VERSION_REQUIRED');
    const federated = await writeDomain('replaceDomain', d, {
      name: 'product',
      domainType: 'FEDERATED',
      changeVersion: 1,
    });
    expect(federated.data['domain']).toMatchObject({ domainType: 'FEDERATED', changeVersion: 2 });
    expect((await writeDomain('patchDomain', d, { description: 'd', changeVersion: 1 })).extensions).toMatchObject({
      code: 'STALE_CHANGE_VERSION',
      currentChangeVersion: 2,
    });
    await newVersion(d);
    const typed = await writeDomain('replaceDomain', d, {
      name: 'product',
      domainType: 'SERVICE_DATA_STORE',
      changeVersion: 2,
    });
    expect([typed.code, typed.causes]).toEqual(['CONFLICT', ['/domainType IN_USE']]);
    const other = await newDomain('order');
    const refers = { ...model.properties, product: { $ref: '/domains/product:v1' } };
    await newVersion(other, { ...body, modelSchema: { properties: refers } });
    const renamed = await writeDomain('replaceDomain', d, { name: 'article', changeVersion: 2 });
    expect(renamed.extensions).toMatchObject({ code: 'IN_USE', uses: { references: 1 } });
    const respelt = await writeDomain('replaceDomain', d, { name: 'Product', changeVersion: 2 });
    expect(respelt.data['domain']).toMatchObject({ name: 'Product' });
    const patched = await writeDomain('patchDomain', other, { name: 'orders', changeVersion: 1 });
    expect(patched.causes).toEqual(['/name NOT_ALLOWED']);
    const inactive = await writeDomain('replaceDomain', other, { active: false, name: 'orders', changeVersion: 1 });
    expect(inactive.data['domain']).toMatchObject({ active: false, name: 'orders' });
    const asRead = { name: 'orders', domainType: 'SERVICE_DATA_STORE', zoneUuid: catalog.rootZoneUuid };
    const active = await writeDomain('patchDomain', other, { ...asRead, active: true, changeVersion: 2 });
    expect(active.data['domain']).toMatchObject({ active: true, name: 'orders' });
  });

  it('are listed in pages, sorted and filtered', async () => {
    for (const name of ['list-b', 'list-a']) await newDomain(name, 'FEDERATED');
    const list = (args: string) => catalog.run(`{ domains(${args}) { data { name } page { totalElements } } }`);
    expect((await list('domainName: "LIST_A"')).data['domains']).toEqual({
      data: [{ name: 'list-a' }],
      page: { totalElements: 1 },
    });
    const { data } = await list('domainType: FEDERATED, active: true, sort: "-name", size: 1');
    expect(data['domains']?.['data']).toHaveLength(1);
    expect((await list(`domainUuid: "${newUuid()}"`)).data['domains']).toEqual({
      data: [],
      page: { totalElements: 0 },
    });
    expect((await list('sort: "size"')).code).toBe('INVALID_PARAMETER');
  });
});

describe('domain versions', () => {
  it('are numbered from 1, normalised and catalogued', async () => {
    const d = await newDomain('person');
    const created = await createVersion(d, {
      description: 'y'.repeat(300),
      modelSchema: stringifyJson({
        properties: {
          id: { type: 'long', required: true },
          site: { type: 'uri', description: 'home page' },
          at: { type: 'object', properties: { city: { type: 'string' } } },
        },
      }),
      drKeyProperties: ['ID'],
      domainName: 'PERSON',
      matchingAlgorithm: { type: 'RULES', rules: [{ all: [{ property: 'id', comparator: 'EXACT' }] }] },
    });
    const version = versionIn(created);
    expect(version).toMatchObject({
      versionNumber: 1,
      description: 'y'.repeat(255),
      drKeyProperties: ['id'],
      active: true,
      changeVersion: 1,
      matchingAlgorithm: { type: 'RULES' },
    });
    expect(parseJson(String(version['modelSchema']))).toMatchObject({
      properties: { id: { type: 'integer' }, site: { type: 'string', format: 'uri' } },
    });
    const properties = await catalog.run(
      `query($v: Uuid!) {
        domainVersion(domainVersionUuid: $v) { properties { name type format required drKey description } }
        domainVersionProperties(domainVersionUuid: $v, size: 2) { data { name } page { totalElements } }
      }`,
      { v: version.uuid },
    );
    expect(properties.data['domainVersion']?.['properties']).toEqual([
      { name: 'id', type: 'integer', format: null, required: true, drKey: true, description: null },
      { name: 'site', type: 'string', format: 'uri', required: false, drKey: false, description: 'home page' },
      { name: 'at', type: 'object', format: null, required: false, drKey: false, description: null },
      { name: 'at.city', type: 'string', format: null, required: false, drKey: false, description: null },
    ]);
    expect(properties.data['domainVersionProperties']).toEqual({
      data: [{ name: 'id' }, { name: 'site' }],
      page: { totalElements: 4 },
    });
  });

  it('get different numbers when they are created at the same time', async () => {
    const d = await newDomain('rush');
    const answers = await Promise.all([1, 2, 3].map(() => createVersion(d, body)));
    expect(new Set(answers.map((answer) => versionIn(answer)['versionNumber']))).toEqual(new Set([1, 2, 3]));
  });

  it('refuses faulty input with all its causes', async () => {
    const d = await newDomain('wrong');
    const { code, causes } = await createVersion(d, {
      modelSchema: { properties: { id: { type: 'integer', minLength: 1 }, ref: { type: 'colour' } } },
      drKeyProperties: [],
      domainUuid: newUuid(),
      matchingAlgorithm: { type: 'NEAR' },
    });
    expect(code).toBe('INVALID_MODEL_SCHEMA');
    expect(causes).toEqual(
      expect.arrayContaining([
        '/domainUuid CONTRADICTION',
        '/drKeyProperties REQUIRED',
        '/modelSchema/properties/id/minLength UNKNOWN_KEYWORD',
        '/matchingAlgorithm/type UNKNOWN_VALUE',
      ]),
    );
    expect((await createVersion(d, {})).causes).toEqual(['/drKeyProperties REQUIRED', '/modelSchema REQUIRED']);
    expect((await createVersion(d, { drKeyProperties: ['id'], matchingAlgorithm: { type: 'NEAR' } })).causes).toEqual([
      '/modelSchema REQUIRED',
      '/matchingAlgorithm/type UNKNOWN_VALUE',
    ]);
    expect((await createVersion(newUuid(), body)).code).toBe('NOT_FOUND');
  });

  it('cross-references must have a target; a version may refer to itself', async () => {
    const d = await newDomain('node');
    const refers = (reference: string) => ({
      ...body,
      modelSchema: { properties: { ...model.properties, next: { $ref: reference } } },
    });
    expect((await createVersion(d, refers('/domains/none:v1'))).causes).toEqual([
      '/modelSchema/properties/next/$ref UNKNOWN_REFERENCE',
    ]);
    expect((await createVersion(d, refers('/domains/node:v99999999999'))).code).toBe('INVALID_MODEL_SCHEMA');
    expect((await createVersion(d, refers('/domains/node:v1/colour'))).code).toBe('INVALID_MODEL_SCHEMA');
    expect((await createVersion(d, refers('/domains/NODE:v1'))).code).toBeUndefined();
    await newDomain('my-node');
    expect((await createVersion(d, refers('/domains/my_node:v1'))).causes).toEqual([
      '/modelSchema/properties/next/$ref UNKNOWN_REFERENCE',
    ]);
    const faulty = { type: 'colour', self: { $ref: '/domains/node:v9' } };
    const { causes } = await createVersion(d, {
      ...body,
      modelSchema: { properties: { ...refers('/domains/none:v1').modelSchema.properties, bad: faulty } },
    });
    expect(causes).toEqual([
      '/modelSchema/properties/bad/type UNKNOWN_TYPE',
      '/modelSchema/properties/next/$ref UNKNOWN_REFERENCE',
    ]);
    const linked = (reference: object) => ({
      ...body,
      modelSchema: { properties: { ...model.properties, next: { $ref: '/domains/node:v1', ...reference } } },
    });
    expect((await createVersion(d, linked({ query: 'id:${id}', sort: '-name', limit: 1 }))).causes).toEqual([]);
    expect((await createVersion(d, linked({ query: 'name:${name}', sort: 'colour' }))).causes).toEqual([
      '/modelSchema/properties/next/query NOT_A_DR_KEY',
      '/modelSchema/properties/next/query UNKNOWN_PROPERTY',
      '/modelSchema/properties/next/sort UNKNOWN_PROPERTY',
    ]);
    expect((await createVersion(d, linked({ query: 'name:x', sort: 'colour' }))).causes).toEqual([
      '/modelSchema/properties/next/query UNKNOWN_PROPERTY',
      '/modelSchema/properties/next/sort UNKNOWN_PROPERTY',
    ]);
  });

  it('validate-only saves nothing and returns the version or its faults', async () => {
    const d = await newDomain('trial');
    const right = await createVersion(d, body, true);
    expect(versionIn(right)).toMatchObject({ versionNumber: 1, drKeyProperties: ['id'] });
    const wrong = await createVersion(d, { ...body, drKeyProperties: ['nothing'] }, true);
    expect(wrong.data['outcome']).toMatchObject({ domainVersion: null, errors: [{ pointer: '/drKeyProperties/0' }] });
    expect(await catalog.database.prisma.domainVersion.count({ where: { domainUuid: d } })).toBe(0);
    const v = await newVersion(d);
    const replaced = await replaceVersion(v, { ...body, description: 'new', changeVersion: 1 }, true);
    expect(versionIn(replaced)).toMatchObject({ description: 'new', changeVersion: 2 });
    const stored = await catalog.database.prisma.domainVersion.findUniqueOrThrow({ where: { uuid: v } });
    expect([stored.description, stored.changeVersion]).toEqual([null, 1]);
  });

  it('without records any change is allowed, and properties keep their uuids', async () => {
    const d = await newDomain('soft');
    const v = await newVersion(d);
    const uuids = async () => {
      const rows = await catalog.database.prisma.domainVersionProperty.findMany({ where: { domainVersionUuid: v } });
      return Object.fromEntries(rows.map((row) => [row.name, row.uuid]));
    };
    const before = await uuids();
    const changed = { properties: { id: { type: 'string' }, age: { type: 'integer' } } };
    const answer = await replaceVersion(v, { ...body, modelSchema: changed, changeVersion: 1 });
    expect(versionIn(answer)).toMatchObject({ changeVersion: 2 });
    const after = await uuids();
    expect(Object.keys(after).sort()).toEqual(['age', 'id']);
    expect(after['id']).toBe(before['id']);
    expect((await replaceVersion(v, body)).code).toBe('CHANGE_VERSION_REQUIRED');
    expect((await replaceVersion(v, { ...body, changeVersion: 1 })).code).toBe('STALE_CHANGE_VERSION');
    expect((await replaceVersion(newUuid(), { ...body, changeVersion: 1 })).code).toBe('NOT_FOUND');
  });

  it('with records, properties may be added, but not removed, and their type may not change', async () => {
    const d = await newDomain('hard');
    const v = await newVersion(d);
    await addRecord(v, { id: 1, name: 'Ada' });
    const replace = (properties: object, drKeyProperties = ['id']) =>
      replaceVersion(v, { modelSchema: { properties }, drKeyProperties, changeVersion: 1 });
    const removed = await replace({ id: { type: 'integer' } });
    expect([removed.code, removed.causes]).toEqual(['CONFLICT', ['/modelSchema/properties/name PROPERTY_REMOVED']]);
    const retyped = await replace({ id: { type: 'integer' }, name: { type: 'integer' } });
    expect([retyped.code, retyped.causes]).toEqual(['CONFLICT', ['/modelSchema/properties/name TYPE_CHANGED']]);
    expect((await replace(model.properties, ['name'])).causes).toEqual(['/drKeyProperties DR_KEY_CHANGED']);
    const added = await replace({ ...model.properties, age: { type: 'integer' } });
    expect(versionIn(added)).toMatchObject({ changeVersion: 2 });
  });

  it('a patch adds properties and loads their data with every digit', async () => {
    const d = await newDomain('growing');
    const v = await newVersion(d, { ...body, description: 'kept' });
    const [first, second] = [await addRecord(v, { id: 1, name: 'Ada' }), await addRecord(v, { id: 2, name: 'Bob' })];
    const answer = await patchVersion(v, {
      changeVersion: 1,
      modelSchema: { properties: { big: { type: 'long' }, page: { type: 'URI' } } },
      values: `[{"drUuid": "${first}", "json": {"big": 9223372036854775807}}, {"drKey": {"id": 2}, "json": {"page": "http://x.y/"}}]`,
    });
    expect(answer.causes).toEqual([]);
    expect(versionIn(answer)).toMatchObject({ description: 'kept', changeVersion: 2 });
    const { rows } = await catalog.database.pool.query<{ uuid: string; json: JsonObject; change_version: number }>(
      'SELECT uuid, json, change_version FROM data_record WHERE domain_version_uuid = $1 ORDER BY uuid',
      [v],
    );
    expect(rows.map((row) => [row.uuid, row.json['big'], row.json['page'], row.change_version])).toEqual([
      [first, 9223372036854775807n, undefined, 2],
      [second, undefined, 'http://x.y/', 2],
    ]);
  });

  it('the right to change models does not include the data of records', async () => {
    const d = await newDomain('kept-apart');
    const v = await newVersion(d);
    const record = await addRecord(v, { id: 1, name: 'Ada' });
    const modeller = principalWith([{ action: 'ALL', resource: '/domains/*' }]);
    const modelSchema = { properties: { age: { type: 'int' } } };
    const values = [{ drUuid: record, json: { age: 1 } }];
    expect((await patchVersion(v, { changeVersion: 1, modelSchema, values }, modeller)).code).toBe('FORBIDDEN');
    expect((await patchVersion(v, { changeVersion: 1, modelSchema }, modeller)).causes).toEqual([]);
    const loaderOf = (resource: string) =>
      principalWith([
        { action: 'ALL', resource: '/domains/*' },
        { action: 'PATCH', resource },
      ]);
    const more = { properties: { size: { type: 'int' } } };
    const loaded = { changeVersion: 2, modelSchema: more, values: [{ drUuid: record, json: { size: 1 } }] };
    // the endpoint that changes records is below the collection
    for (const resource of ['/drs', `/drs/${record}`])
      expect((await patchVersion(v, loaded, loaderOf(resource))).code).toBe('FORBIDDEN');
    expect((await patchVersion(v, loaded, loaderOf('/drs/?'))).causes).toEqual([]);
  });

  it('a patch with a wrong value changes nothing', async () => {
    const d = await newDomain('careful');
    const v = await newVersion(d);
    const record = await addRecord(v, { id: 1, name: 'Ada' });
    const patch = (values: unknown) =>
      patchVersion(v, { changeVersion: 1, modelSchema: { properties: { age: { type: 'int' } } }, values });
    for (const [values, causes] of [
      [[{ drUuid: newUuid(), json: { age: 1 } }], ['/values/0/drUuid UNKNOWN_REFERENCE']],
      [[{ drKey: { id: 'x' }, json: { age: 1 } }], ['/values/0/drKey/id INVALID_TYPE']],
      [[{ drUuid: record, json: { age: 'old' } }], ['/values/0/json/age INVALID_TYPE']],
      [[{ drUuid: record, json: { name: 'Eve' } }], ['/values/0/json/name NOT_NEW']],
      [[{ json: { age: 1 } }], ['/values/0 REQUIRED']],
      [{}, ['/values INVALID_TYPE']],
      [
        [{ json: { age: 1 } }, { drUuid: record, json: { age: 'old', name: 'Eve' } }, { drUuid: newUuid(), json: {} }],
        [
          '/values/0 REQUIRED',
          '/values/1/json/name NOT_NEW',
          '/values/2/drUuid UNKNOWN_REFERENCE',
          '/values/1/json/age INVALID_TYPE',
        ],
      ],
    ] as const) {
      expect((await patch(values)).causes).toEqual(causes);
    }
    const stored = await catalog.database.prisma.domainVersion.findUniqueOrThrow({ where: { uuid: v } });
    expect([stored.changeVersion, stored.modelSchema.includes('age')]).toEqual([1, false]);
    const federated = await newVersion(await newDomain('remote', 'FEDERATED'));
    const refused = await patchVersion(federated, {
      changeVersion: 1,
      modelSchema: { properties: { age: { type: 'int' } } },
      values: [{ drUuid: record, json: { age: 1 } }],
    });
    expect(refused.causes).toEqual(['/values NOT_ALLOWED']);
  });

  it('only one of two patches with the same changeVersion succeeds', async () => {
    const v = await newVersion(await newDomain('contested'));
    const answers = await Promise.all(
      ['a1', 'b1'].map((name) =>
        patchVersion(v, { changeVersion: 1, modelSchema: { properties: { [name]: { type: 'string' } } } }),
      ),
    );
    expect(answers.map(({ code }) => code ?? 'won').sort()).toEqual(['STALE_CHANGE_VERSION', 'won']);
  });

  it('are found by domain, number and default', async () => {
    const d = await newDomain('listed');
    await newVersion(d);
    await newVersion(d);
    await writeDomain('patchDomain', d, { defaultVersionNumber: 2, changeVersion: 1 });
    const list = async (args: string): Promise<unknown> => {
      const answer = await catalog.run(
        `query($d: Uuid) { domainVersions(domainUuid: $d, ${args}) { data { versionNumber } } }`,
        { d },
      );
      return listIn<{ versionNumber: number }>(answer, 'domainVersions').map((version) => version.versionNumber);
    };
    expect(await list('page: 0')).toEqual([1, 2]);
    expect(await list('sort: "-versionNumber"')).toEqual([2, 1]);
    expect(await list('versionNumber: 0')).toEqual([2]);
    expect(await list('versionNumber: 1, domainName: "LISTED"')).toEqual([1]);
    expect(await list('versionNumber: "9223372036854775807"')).toEqual([]);
    expect((await catalog.run('{ domainVersions(versionNumber: -1) { data { uuid } } }')).causes).toEqual([
      'versionNumber OUT_OF_RANGE',
    ]);
    await writeDomain('patchDomain', d, { active: false, changeVersion: 2 });
    expect(await list('page: 0')).toEqual([1, 2]);
    const active = await catalog.run('{ domainVersions(domainName: "listed") { data { uuid } } }');
    expect(listIn(active, 'domainVersions')).toEqual([]);
    const sorted = await catalog.run(
      '{ domainVersions(sort: "domain.name,-versionNumber", size: 1000) { data { domain { name } } } }',
    );
    const names = listIn<{ domain: { name: string } }>(sorted, 'domainVersions').map(({ domain }) => domain.name);
    expect(names).toEqual(names.toSorted());
    const elsewhere = await catalog.run(
      'query($d: Uuid, $v: Uuid!) { domainVersion(domainUuid: $d, domainVersionUuid: $v) { uuid } }',
      {
        d: await newDomain('elsewhere'),
        v: await newVersion(d),
      },
    );
    expect(elsewhere.code).toBe('NOT_FOUND');
  });

  it("a property's description can be set separately, and stays until the model has another one", async () => {
    const v = await newVersion(await newDomain('described'));
    const read = await catalog.run(
      'query($v: Uuid!) { domainVersion(domainVersionUuid: $v) { properties { uuid name } } }',
      { v },
    );
    const [id] = listIn<{ uuid: string }>(read, 'domainVersion', 'properties');
    const describeIt = (p: unknown, text: string) =>
      catalog.run(
        'mutation($v: Uuid!, $p: Uuid!, $t: String) { patchDomainVersionProperty(domainVersionUuid: $v, propertyUuid: $p, description: $t) { name description } }',
        { v, p, t: text },
      );
    expect((await describeIt(id?.uuid, 'number')).data['patchDomainVersionProperty']).toEqual({
      name: 'id',
      description: 'number',
    });
    expect((await describeIt(newUuid(), 'number')).code).toBe('NOT_FOUND');
    const untouched = await catalog.run(
      'mutation($v: Uuid!, $p: Uuid!) { patchDomainVersionProperty(domainVersionUuid: $v, propertyUuid: $p) { description } }',
      { v, p: id?.uuid },
    );
    expect(untouched.data['patchDomainVersionProperty']).toEqual({ description: 'number' });
    const patchAll = (members: Record<string, unknown>) =>
      catalog.run(
        `mutation($v: Uuid!, $p: Uuid!, $uuid: Uuid, $name: String, $type: String, $format: String, $required: Boolean, $drKey: Boolean, $reference: String, $description: String) {
          patchDomainVersionProperty(domainVersionUuid: $v, propertyUuid: $p, uuid: $uuid, name: $name, type: $type,
            format: $format, required: $required, drKey: $drKey, reference: $reference, description: $description) {
            uuid name type format required drKey reference description } }`,
        { v, p: id?.uuid, ...members },
      );
    const asRead = (await patchAll({})).data['patchDomainVersionProperty'] as Record<string, unknown>;
    expect((await patchAll(asRead)).data['patchDomainVersionProperty']).toEqual(asRead);
    const other = { uuid: newUuid(), name: 'no', type: 'object', format: 'date', required: null, drKey: false };
    const refused = await patchAll({ ...asRead, ...other, reference: '/domains/x:v1', description: 'lost' });
    expect(refused.code).toBe('VALIDATION_FAILED');
    expect(refused.causes).toEqual([...Object.keys(other), 'reference'].map((member) => `/${member} NOT_ALLOWED`));
    expect((await patchAll({})).data['patchDomainVersionProperty']).toEqual(asRead);
    await patchVersion(v, { changeVersion: 1, modelSchema: { properties: { age: { type: 'int' } } } });
    const property = () =>
      catalog.run(
        'query($v: Uuid!, $p: Uuid!) { domainVersionProperty(domainVersionUuid: $v, propertyUuid: $p) { description } }',
        { v, p: id?.uuid },
      );
    expect((await property()).data['domainVersionProperty']).toEqual({ description: 'number' });
    await patchVersion(v, {
      changeVersion: 2,
      modelSchema: { properties: { id: { type: 'int', description: 'key' } } },
    });
    expect((await property()).data['domainVersionProperty']).toEqual({ description: 'key' });
  });

  it('a new version is sent to connected adaptors that are capable of it', async () => {
    const d = await newDomain('announced');
    const created = await catalog.run(
      'mutation($z: Uuid!, $i: AdaptorInput!) { createAdaptor(zoneUuid: $z, input: $i) { clientId } }',
      {
        z: catalog.rootZoneUuid,
        i: { name: 'crm', capabilities: [{ domainName: 'announced', versionNumber: 1, action: 'POST' }] },
      },
    );
    await catalog.report(String(created.data['createAdaptor']?.['clientId']), 'STARTED');
    const v = await newVersion(d);
    expect(catalog.takeSent()).toMatchObject([
      {
        operation: 'METADATA',
        domainVersions: [
          {
            domain: 'announced',
            version: 1,
            domainVersionUuid: v,
            drKeyProperties: ['id'],
            modelSchema: { properties: { id: expect.anything() } },
          },
        ],
      },
    ]);
  });
});
