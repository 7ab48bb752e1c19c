import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { askGraphql, fieldsOf } from '../ask-graphql.js';
import { doorOf, type Door } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { typeText } from '../specified-schema.js';
import { uniqueName } from '../unique-name.js';

describe('record types in GraphQL', () => {
  const { doors } = setUpDoors();

  beforeAll(async () => {
    await createVersion(doors.dgs, {
      name: 'queried',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
  }, 120_000);

  const ask = <Data>(query: string, variables?: Record<string, unknown>): Promise<Data> =>
    askGraphql<Data>(doors.dgs, query, variables);

  it('hides record types from callers who may not see their domains', async () => {
    const { dgs, root, service } = doors;
    const { clientId, clientSecret } = await createAdaptor(dgs, root, { name: 'Curious', capabilities: [] });
    const token = await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret });
    const { status, text } = await doorOf(service, token).graphql('{ __schema { types { name fields { name } } } }');
    expect(status).toBe(200);
    expect(text).not.toContain('dr_queried_1');
    // and an error does not reveal the type: it is the same as for a missing type
    const errorsOf = async (name: string) => {
      const answer = await doorOf(service, token).graphql(`{ ${name} { data { id } } }`);
      return answer.body.errors?.map(({ message, extensions: { code } }) => ({
        code,
        message: message.replace(name, ''),
      }));
    };
    expect(await errorsOf('dr_queried_1')).toEqual(await errorsOf('dr_nowhere_1'));
    expect(await errorsOf('dr_queried_1')).toMatchObject([{ code: 'GRAPHQL_VALIDATION_FAILED' }]);
  });

  it('refuses data to a caller who may see the domain but not its data', async () => {
    const { admin } = doors;
    expect((await fieldsOf(admin, 'dr_queried_1')).has('id')).toBe(true);
    const { body } = await admin.graphql('{ dr_queried_1 { data { id } } }');
    expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  it('supports aliases, fragments, directives and variables on record types', async () => {
    const { dgs } = doors;
    const { domainName: name } = await createVersion(dgs, {
      name: uniqueName('fragments'),
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, address: { type: 'object', properties: { city: { type: 'string' } } } },
      drKeyProperties: ['id'],
    });
    for (const id of [1, 2, 3]) {
      requireStatus(await dgs.rest('POST', '/drs', { name, json: { id, address: { city: `c${id}` } } }), 201);
    }
    const field = `dr_${name}_1`;
    const query = `query ($size: Int!, $sort: String, $no: Boolean!) {
      one: ${field}(size: $size, sort: $sort) { ...p } other: ${field}(size: 1, page: 1, sort: "id") { ...p }
      domains(domainName: "${name}") @skip(if: $no) { page { size } } }
      fragment p on ${field}_page { __typename data { ...r } }
      fragment r on ${field} { key: id ... on ${field} { address { city @include(if: $no) } } }`;
    const variables = { size: 2, sort: '-id', no: true };
    expect(await eventually(() => ask(query, variables), { deadlineMs: 5000 })).toEqual({
      one: {
        __typename: `${field}_page`,
        data: [
          { key: 3, address: { city: 'c3' } },
          { key: 2, address: { city: 'c2' } },
        ],
      },
      other: { __typename: `${field}_page`, data: [{ key: 2, address: { city: 'c2' } }] },
    });
  });

  it('answers for a federated record without any adaptor', async () => {
    const { dgs } = doors;
    const { domainName: name } = await createVersion(dgs, {
      name: uniqueName('federated'),
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, city: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const { uuid } = requireStatus(await dgs.rest('POST', '/drs', { name, json: { id: 5, city: 'Ulm' } }), 201).body;
    const field = `dr_${name}_1`;
    const answer = await eventually(
      () =>
        ask<Record<string, unknown>>(`{ ${field} { data { city _dr { uuid status drKey } } page { totalElements } } }`),
      { deadlineMs: 5000 },
    );
    expect(answer[field]).toEqual({
      data: [{ city: null, _dr: { uuid, status: 'UNAVAILABLE', drKey: expect.stringMatching(/^\{"id":\s*5\}$/) } }],
      page: { totalElements: 1 },
    });
  });

  it.each([
    ['plain', 'plain'],
    ['with-dashes-in-it', 'with_dashes_in_it'],
    ['Mixed-Case_name', 'Mixed_Case_name'],
  ])('answers for the records of a new domain %s soon after its 201', async (name, graphqlName) => {
    await createVersion(doors.dgs, {
      name,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' }, 'two-words': { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const field = `dr_${graphqlName}_1`;
    const query = `{ ${field} { data { id two_words _dr { uuid dateCreated drKey adaptors { uuid } status } } page { totalElements } } }`;
    // the promise is one second; a loaded machine gets more time
    await eventually(() => ask(query), { deadlineMs: 5000, intervalMs: 20 });
    const json = { name, json: { id: 'a', 'two-words': 'here' } };
    const record = requireStatus(await doors.dgs.rest('POST', '/drs', json), 201).body;
    const answer = await ask<Record<string, { data: Record<string, unknown>[] }>>(query);
    expect(answer[field]?.data).toEqual([
      {
        id: 'a',
        two_words: 'here',
        _dr: {
          uuid: record.uuid,
          dateCreated: expect.any(String),
          drKey: expect.stringMatching(/^\{"id":\s*"a"\}$/),
          adaptors: [],
          status: null,
        },
      },
    ]);
  });

  it('knows a second version in addition to the first, and a changed version', async () => {
    const { dgs } = doors;
    const created = await createVersion(dgs, {
      name: uniqueName('versioned'),
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const modelSchema = { properties: { code: { type: 'string' } } };
    const path = `/domains/${created.domainUuid}/versions`;
    requireStatus(await dgs.rest('POST', path, { modelSchema, drKeyProperties: ['code'] }), 201);
    const [first, second] = [`dr_${created.domainName}_1`, `dr_${created.domainName}_2`];
    const together = `{ ${first} { data { id } } ${second} { data { code } } }`;
    await eventually(() => ask(together), { deadlineMs: 5000, intervalMs: 20 });
    const json = { changeVersion: 1, modelSchema: { properties: { added: { type: 'long' } } } };
    requireStatus(await dgs.rest('PATCH', `${path}/${created.domainVersionUuid}`, json), 200);
    await eventually(() => ask(`{ ${first} { data { id added } } }`), { deadlineMs: 5000, intervalMs: 20 });
  });

  describe('mutations with typed input', () => {
    const name = uniqueName('written');
    const beyondNumbers = 9_007_199_254_740_993n;
    type Written = Record<string, { uuid: string; json: string; changeVersion: number }>;

    beforeAll(async () => {
      await createVersion(doors.dgs, {
        name,
        domainType: 'SERVICE_DATA_STORE',
        properties: {
          id: { type: 'integer' },
          'post-code': { type: 'string', maxLength: 5 },
          state: { type: 'string', enum: ['OPEN', 'CLOSED'] },
          place: {
            type: 'object',
            properties: { city: { type: 'string' }, since: { type: 'string', format: 'date-time' } },
          },
          other: { $ref: '/domains/queried:v1' },
        },
        drKeyProperties: ['id'],
      });
      await eventually(() => ask(`{ dr_${name}_1 { page { size } } }`), { deadlineMs: 5000 });
    });

    const create = `mutation ($input: input_dr_${name}_1!) { written: create_dr_${name}_1(input: $input) { uuid json changeVersion } }`;
    const update = `mutation ($uuid: Uuid!, $input: input_dr_${name}_1!, $v: Long) {
      written: update_dr_${name}_1(drUuid: $uuid, input: $input, changeVersion: $v) { uuid json changeVersion } }`;
    const written = async (query: string, variables: Record<string, unknown>) => {
      const { written: record } = await ask<Written>(query, variables);
      if (record === undefined) throw new Error('nothing was written');
      return record;
    };
    const errorsOf = async (door: Door, query: string, variables: Record<string, unknown>) =>
      (await door.graphql(query, variables)).body.errors?.map(({ extensions }) => ({
        ...extensions,
        requestId: undefined,
      }));

    it('write records as the model defines them, with every digit, and distinguish null from absent', async () => {
      const other = requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'queried', json: { id: 77 } }), 201).body
        .uuid;
      const place = { city: 'Ulm', since: '2026-01-02T03:04:05+02:00' };
      const input = { id: beyondNumbers, post_code: 'a', state: 'OPEN', place, other: { drKey: '77' } };
      const { uuid, json } = await written(create, { input });
      expect(json).toContain('"id":9007199254740993');
      expect(JSON.parse(json)).toMatchObject({ 'post-code': 'a', state: 'OPEN', place, other: { id: 77 } });
      const changed = await written(update, { uuid, input: { post_code: null, place: { city: 'Bonn' } }, v: '1' });
      expect(changed.changeVersion).toBe(2);
      const after = JSON.parse(changed.json) as Record<string, unknown>;
      expect(after).toMatchObject({ state: 'OPEN', place: { ...place, city: 'Bonn' } });
      expect(after).not.toHaveProperty('post-code');
      expect((await written(update, { uuid, input: { other: { uuid: other } } })).changeVersion).toBe(2);
      const removed = `mutation ($uuid: Uuid!) { gone: delete_dr_${name}_1(drUuid: $uuid) { drUuid } }`;
      expect(await ask(removed, { uuid })).toEqual({ gone: { drUuid: uuid } });
      expect(await errorsOf(doors.dgs, removed, { uuid })).toMatchObject([{ code: 'NOT_FOUND' }]);
    });

    it('refuse the same input as the generic mutations, with the same causes', async () => {
      const { dgs, admin } = doors;
      const { uuid } = await written(create, { input: { id: 1 } });
      const generic =
        'mutation ($json: Json!) { createDataRecord(input: { name: "NAME", json: $json }) { uuid } }'.replace(
          'NAME',
          name,
        );
      const json = { 'post-code': 'too long', place: { since: 'today' } };
      const asked = await errorsOf(dgs, generic, { json });
      const typed = await errorsOf(dgs, create, { input: { post_code: json['post-code'], place: json.place } });
      expect(typed?.[0]).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ pointer: '/post-code' }, { pointer: '/place/since' }, { pointer: '/id' }],
      });
      expect(JSON.stringify(typed)).toBe(JSON.stringify(asked).replaceAll('"/json/', '"/'));
      expect(await errorsOf(dgs, create, { input: { id: 1 } })).toMatchObject([{ code: 'DUPLICATE_DR_KEY', uuid }]);
      expect(await errorsOf(dgs, update, { uuid, input: {}, v: 9 })).toMatchObject([{ code: 'STALE_CHANGE_VERSION' }]);
      expect(await errorsOf(dgs, create, { input: { state: 'GONE' } })).toMatchObject([{ code: 'INVALID_PARAMETER' }]);
      // a record of another version does not belong to this version
      const { body } = requireStatus(await dgs.rest('POST', '/drs', { name: 'queried', json: { id: 5 } }), 201);
      expect(await errorsOf(dgs, update, { uuid: body.uuid, input: { id: 6 } })).toMatchObject([{ code: 'NOT_FOUND' }]);
      // first a caller who may see the domain but not its data, then a caller who may not see the domain
      expect(await errorsOf(admin, create, { input: { id: 2 } })).toMatchObject([{ code: 'FORBIDDEN' }]);
      const hidden = await errorsOf(admin, create.replaceAll(name, 'nowhere'), { input: {} });
      expect(hidden?.map(({ code }) => code)).toContain('GRAPHQL_VALIDATION_FAILED');
    });
  });

  it('answers a value that is not in the list of the model with null and an error at its field', async () => {
    const { dgs } = doors;
    const name = uniqueName('stale');
    const { domainUuid, domainVersionUuid } = await createVersion(dgs, {
      name,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, state: { type: 'string', enum: ['OPEN', 'GONE'] } },
      drKeyProperties: ['id'],
    });
    requireStatus(await dgs.rest('POST', '/drs', { name, json: { id: 1, state: 'GONE' } }), 201);
    const query = `{ dr_${name}_1 { data { id state } } }`;
    await eventually(async () =>
      expect(await ask(query)).toMatchObject({ [`dr_${name}_1`]: { data: [{ state: 'GONE' }] } }),
    );
    const modelSchema = { properties: { id: { type: 'integer' }, state: { type: 'string', enum: ['OPEN'] } } };
    const body = { changeVersion: 1, modelSchema, drKeyProperties: ['id'] };
    requireStatus(await dgs.rest('PUT', `/domains/${domainUuid}/versions/${domainVersionUuid}`, body), 200);
    await eventually(async () => {
      const { body: answer } = await dgs.graphql(query);
      expect(answer).toMatchObject({
        data: { [`dr_${name}_1`]: { data: [{ id: 1, state: null }] } },
        errors: [{ path: [`dr_${name}_1`, 'data', 0, 'state'], extensions: { code: 'VALUE_NOT_IN_ENUM' } }],
      });
    });
  });

  it('gives record fields the types of the model and the arguments of the specification', async () => {
    const { dgs } = doors;
    const name = uniqueName('typed');
    const properties = {
      id: { type: 'string' },
      count: { type: 'integer' },
      ratio: { type: 'number' },
      on: { type: 'boolean' },
      day: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      address: { type: 'object', properties: { city: { type: 'string' } } },
      phones: { type: 'array', items: { type: 'object', properties: { number: { type: 'string' } } } },
    };
    const drKeyProperties = ['id'];
    await createVersion(dgs, { name, domainType: 'SERVICE_DATA_STORE', properties, drKeyProperties });
    await createVersion(dgs, { name: `${name}f`, domainType: 'FEDERATED', properties, drKeyProperties });
    await eventually(() => ask(`{ dr_${name}_1 { data { id } } dr_${name}f_1 { page { size } } }`), {
      deadlineMs: 5000,
    });
    const fields = await fieldsOf(doors.dgs, `dr_${name}_1`);
    const given = Object.fromEntries([...fields].map(([field, { type }]) => [field, typeText(type).replace(/!$/, '')]));
    expect(given).toMatchObject({
      id: 'String',
      count: 'Long',
      ratio: 'Float',
      on: 'Boolean',
      day: 'String',
      at: 'DateTime',
      address: `dr_${name}_1__address`,
      phones: expect.stringMatching(new RegExp(`^\\[dr_${name}_1__phones!?\\]$`)),
    });
    const queries = await fieldsOf(doors.dgs, 'Query');
    const args = (field: string) => queries.get(field)?.args.map((arg) => arg.name) ?? [];
    expect(args(`dr_${name}_1`)).toEqual(expect.arrayContaining(['page', 'size', 'query', 'sort']));
    expect(args(`dr_${name}f_1`)).toEqual(
      expect.arrayContaining(['page', 'size', 'query', 'sort', 'zoneUuid', 'drUuids', 'additionalParameters']),
    );
  });
});
