import { describe, expect, it } from '@jest/globals';
import {
  createVersion,
  requireStatus,
  type CreatedVersion,
  type VersionSpecification,
} from '../../harness/catalogue.js';
import { expectProblem } from '../expect-problem.js';
import { shareDoors } from '../set-up-doors.js';
import { nobody, uniqueName } from '../unique-name.js';

interface Entry {
  readonly uuid: string;
  readonly adaptorUuid?: string | null;
  readonly domainVersionUuid: string;
  readonly dateCreated: number;
  readonly drKey: Readonly<Record<string, unknown>>;
  readonly json?: Readonly<Record<string, unknown>>;
}

interface Listing {
  readonly drs: readonly Entry[];
  readonly _links: Readonly<Record<'self' | 'first' | 'last', string>> & {
    readonly next?: string;
    readonly prev?: string;
  };
  readonly _page: { page: number; size: number; totalElements: number; totalPages: number };
}

const greatest = 9_223_372_036_854_775_807n;
const least = -9_223_372_036_854_775_808n;

const properties = {
  id: { type: 'integer' },
  code: { type: 'string', minLength: 2 },
  level: { type: 'string', default: 'basic', enum: ['basic', 'gold'] },
  active: { type: 'boolean', default: false },
  weight: { type: 'number', maximum: 10 },
  since: { type: 'string', format: 'date' },
  address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  phones: { type: 'array', maxItems: 2, items: { type: 'object', properties: { number: { type: 'string' } } } },
};

describe('data records', () => {
  const { doors } = shareDoors();

  const newDomain = (specification: Partial<VersionSpecification> = {}): Promise<CreatedVersion> =>
    createVersion(doors.dgs, {
      name: uniqueName('records'),
      domainType: 'SERVICE_DATA_STORE',
      properties,
      drKeyProperties: ['id'],
      ...specification,
    });
  const post = <Body = Entry>(json: unknown) => doors.dgs.rest<Body>('POST', '/drs', json);
  const list = async (query: string): Promise<Listing> =>
    requireStatus(await doors.dgs.rest<Listing>('GET', `/drs?${query}`), 200).body;
  const fill = async (name: string, ids: readonly number[]): Promise<string[]> => {
    const uuids: string[] = [];
    for (const id of ids) uuids.push(requireStatus(await post({ name, json: { id, code: `c-${id}` } }), 201).body.uuid);
    return uuids;
  };
  const idsOf = ({ drs }: Listing): unknown[] => drs.map(({ drKey }) => drKey['id']);

  it.each([
    ['name', ({ domainName: name }: CreatedVersion) => ({ name })],
    ['name and version', ({ domainName: name }: CreatedVersion) => ({ name, version: 1 })],
    ['uuid', ({ domainUuid }: CreatedVersion) => ({ domainUuid })],
    ['uuid and version', ({ domainUuid }: CreatedVersion) => ({ domainUuid, version: 1 })],
    ["the version's uuid", ({ domainVersionUuid }: CreatedVersion) => ({ domainVersionUuid })],
  ])('are posted to a data-store domain given by %s', async (_, reference) => {
    const domain = await newDomain();
    const before = Date.now();
    const json = { id: 7, code: 'c-7', address: { city: 'Köln 🌍' }, phones: [{ number: '1' }], weight: 0.1 };
    const answer = requireStatus(await post({ ...reference(domain), json }), 201);
    const { uuid } = answer.body;
    expect(answer.headers['location']).toMatch(new RegExp(`/drs/${uuid}$`));
    expect(answer.body).toMatchObject({
      domainVersionUuid: domain.domainVersionUuid,
      drKey: { id: 7 },
      json: { ...json, level: 'basic', active: false },
    });
    expect(answer.body.dateCreated).toBeGreaterThanOrEqual(before - 1000);
    expect(answer.body.dateCreated).toBeLessThanOrEqual(Date.now() + 1000);
    const read = requireStatus(await doors.dgs.rest<Entry>('GET', `/drs/${uuid}`), 200);
    expect(read.body).toEqual(answer.body);
    expect(read.body).toHaveProperty('createdByUuid', expect.any(String));
    const { drs } = await list(`filters=name:${domain.domainName}&size=1000`);
    const row = ['createdByUuid', 'dateCreated', 'domainVersionUuid', 'drKey', 'json', 'uuid'];
    expect(Object.keys(drs[0] ?? {}).toSorted()).toEqual(row);
  });

  it('in federated domains are refused with options of the data store only, also where it is the default', async () => {
    const { domainName: name } = await newDomain({ domainType: 'FEDERATED' });
    const { uuid } = requireStatus(await post({ name, json: { id: 7 } }), 201).body;
    for (const option of ['refs:true', 'refs:false', 'expandRefs:true', 'expandRefs:false', 'includeJson:false']) {
      const answer = await doors.dgs.rest('GET', `/drs/${uuid}?options=${option}`);
      const pointers = [`options.${option.split(':')[0]}`];
      expectProblem(answer, { status: 400, code: 'INVALID_PARAMETER', pointers });
    }
    expect((await list(`filters=name:${name}&options=expandRefs:false`)).drs).toHaveLength(1);
  });

  it('are posted to a federated domain as an entry of the catalogue, without data', async () => {
    const domain = await newDomain({ domainType: 'FEDERATED' });
    const answer = requireStatus(await post({ name: domain.domainName, json: { id: 7, code: 'secret-data' } }), 201);
    expect(answer.body.drKey).toEqual({ id: 7 });
    const read = await doors.dgs.rest<Entry>('GET', `/drs/${answer.body.uuid}`);
    const listing = await doors.dgs.rest<Listing>(
      'GET',
      `/drs?filters=name:${domain.domainName},exclude-adaptors:true`,
    );
    expect(listing.body.drs.map(({ uuid }) => uuid)).toEqual([answer.body.uuid]);
    const row = ['adaptorUuid', 'dateCreated', 'domainVersionUuid', 'drKey', 'uuid'];
    expect(Object.keys(listing.body.drs[0] ?? {}).toSorted()).toEqual(row);
    for (const { body } of [answer, read])
      expect(Object.keys(body).toSorted()).toEqual(['adaptorUuid', 'changeVersion', ...row.slice(1)]);
    for (const { text } of [answer, read, listing]) expect(text).not.toContain('secret-data');
  });

  it('treat null as absent if there is a default', async () => {
    const { domainName: name } = await newDomain();
    const { body } = requireStatus(await post({ name, json: { id: 1, level: null } }), 201);
    expect(body.json).toMatchObject({ level: 'basic' });
  });

  it('are refused with every fault', async () => {
    const { domainName: name } = await newDomain();
    const json = {
      id: 'seven',
      code: 'x',
      level: 'silver',
      active: 'yes',
      weight: 11,
      since: 'yesterday',
      address: {},
      phones: [{ number: 1 }, {}, {}],
    };
    expectProblem(await post<unknown>({ name, json }), {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: [
        '/json/id',
        '/json/code',
        '/json/level',
        '/json/active',
        '/json/weight',
        '/json/since',
        '/json/address/city',
        '/json/phones/0/number',
        '/json/phones',
      ],
    });
    expect((await list(`filters=name:${name}`))._page.totalElements).toBe(0);
  });

  it.each([
    ['no domain', { json: { id: 1 } }, []],
    ['no data', { name: '{name}' }, ['/json']],
    ['data that are a list', { name: '{name}', json: [] }, ['/json']],
    ['no DR Key', { name: '{name}', json: { code: 'c-1' } }, ['/json/id']],
    ['a DR Key of null', { name: '{name}', json: { id: null } }, ['/json/id']],
    ['a fraction for an integer', { name: '{name}', json: { id: 1.5 } }, ['/json/id']],
    ['a version in words', { name: '{name}', version: 'one', json: { id: 1 } }, ['/version']],
  ])('are refused with %s', async (_, json, pointers) => {
    const { domainName } = await newDomain();
    const body = JSON.parse(JSON.stringify(json).replace('{name}', domainName)) as unknown;
    expectProblem(await post<unknown>(body), { status: 400, code: 'VALIDATION_FAILED', pointers });
  });

  it.each(['9223372036854775808', '-9223372036854775809', '1e400'])(
    'are refused with the integer %s',
    async (digits) => {
      const { domainName } = await newDomain();
      const answer = await doors.dgs.call('/api/drs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        text: `{"name": "${domainName}", "json": {"id": ${digits}}}`,
      });
      expectProblem(answer, { status: 400, code: 'VALIDATION_FAILED', pointers: ['/json/id'] });
    },
  );

  it.each([
    ['a name', { name: 'nowhere' }],
    ['a version', { name: '{name}', version: 9 }],
  ])('are not posted to %s that is unknown', async (_, reference) => {
    const { domainName } = await newDomain();
    const json = JSON.parse(JSON.stringify({ ...reference, json: { id: 1 } }).replace('{name}', domainName)) as unknown;
    const answer = await post<unknown>(json);
    expect([400, 404]).toContain(answer.status);
    expectProblem(answer, { status: answer.status, code: answer.status === 404 ? 'NOT_FOUND' : 'UNKNOWN_REFERENCE' });
  });

  it.each(['SERVICE_DATA_STORE', 'FEDERATED'] as const)(
    'are posted once in a %s domain, and the refusal of a duplicate names the existing record',
    async (domainType) => {
      const { domainName: name } = await newDomain({ domainType, drKeyProperties: ['id', 'code'] });
      const { uuid } = requireStatus(await post({ name, json: { id: 1, code: 'Ab' } }), 201).body;
      const answer = await post<unknown>({ name, json: { id: 1, code: 'Ab' } });
      expectProblem(answer, { status: 409, code: 'DUPLICATE_DR_KEY' });
      expect(answer.text).toContain(uuid);
      // exact matching is case-sensitive, for all properties of the key
      requireStatus(await post({ name, json: { id: 1, code: 'ab' } }), 201);
      requireStatus(await post({ name, json: { id: 2, code: 'Ab' } }), 201);
    },
  );

  it('are created once when posted many times at once', async () => {
    const { domainName: name } = await newDomain();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post<unknown>({ name, json: { id: 1 } })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it.each([greatest, least, 9_007_199_254_740_993n])('keep every digit of %s at every door', async (value) => {
    const { dgs } = doors;
    const { domainName: name } = await newDomain({
      properties: { id: { type: 'integer' }, size: { type: 'integer' } },
    });
    const digits = new RegExp(`:\\s*${value}\\b`);
    const created = await dgs.call<Entry>('/api/drs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      text: `{"name":"${name}","json":{"id":${value},"size":${value}}}`,
    });
    expect(requireStatus(created, 201).body).toMatchObject({ drKey: { id: value }, json: { id: value, size: value } });
    const field = `dr_${name}_1`;
    const selection = '{ data { id size _dr { drKey } } }';
    const answers = [
      created,
      await dgs.rest('GET', `/drs/${created.body.uuid}`),
      await dgs.rest('GET', `/drs?filters=name:${name}`),
      await dgs.rest('GET', `/drs?filters=name:${name},dr-key:id=${value}`),
      await dgs.graphql(`{ ${field} ${selection} }`),
      await dgs.graphql(
        'query ($name: String, $key: String) { dataRecords(domainName: $name, drKey: $key) { data { drKey json } } }',
        { name, key: `id=${value}` },
      ),
    ];
    for (const answer of answers) expect(requireStatus(answer, 200 + Number(answer === created)).text).toMatch(digits);
    const { body } = await dgs.graphql<
      Record<string, { data: { id: bigint; size: bigint; _dr: { drKey: string } }[] }>
    >(`{ ${field} ${selection} }`);
    expect(body.data?.[field]?.data).toEqual([
      { id: value, size: value, _dr: { drKey: expect.stringMatching(digits) } },
    ]);
  });

  it.each(['0.1', '-1.5', '1e-7', '5e-324', '9007199254740993', '1e20', '12345678901234567890.5', '1e308'])(
    'keep the number %s with the precision of 64 bits at every door',
    async (digits) => {
      const { dgs } = doors;
      const { domainName: name } = await newDomain({
        properties: { id: { type: 'integer' }, weight: { type: 'number' } },
      });
      const created = await dgs.call<Entry>('/api/drs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        text: `{"name":"${name}","json":{"id":1,"weight":${digits}}}`,
      });
      const { uuid } = requireStatus(created, 201).body;
      const read = requireStatus(await dgs.rest<Entry>('GET', `/drs/${uuid}`), 200);
      const field = `dr_${name}_1`;
      const queried = await dgs.graphql<Record<string, { data: { weight: number }[] }>>(
        `{ ${field} { data { weight } } }`,
      );
      expect(queried.body.errors).toBeUndefined();
      for (const weight of [
        created.body.json?.['weight'],
        read.body.json?.['weight'],
        queried.body.data?.[field]?.data[0]?.weight,
      ])
        expect(Number(weight)).toBe(Number(digits));
    },
  );

  it('keep every digit of a GraphQL variable, and of a literal', async () => {
    const { dgs } = doors;
    const { domainName: name } = await newDomain({ properties: { id: { type: 'integer' } } });
    const mutation = (declared: string, input: string) =>
      `mutation${declared} { createDataRecord(input: ${input}) { drKey json } }`;
    const digitsOf = (text = ''): string => text.replaceAll(/[^-\d]/g, '');
    const byVariable = await dgs.call<{ data: { createDataRecord: { drKey: string; json: string } } }>('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      text: JSON.stringify({
        query: mutation('($input: DataRecordInput!)', '$input'),
        variables: { input: { name, version: 1, json: `{"id": ${greatest}}` } },
      }),
    });
    expect(digitsOf(byVariable.body.data.createDataRecord.drKey)).toBe(String(greatest));
    const byLiteral = await dgs.graphql<{ createDataRecord: { drKey: string } }>(
      mutation('', `{ name: "${name}", version: 1, json: "{\\"id\\": ${least}}" }`),
    );
    expect(digitsOf(byLiteral.body.data?.createDataRecord.drKey)).toBe(String(least));
  });

  it('are listed ten at a time, by typed DR Key, and walked by their links', async () => {
    const { domainName: name } = await newDomain();
    const ids = [10, 2, 1, 33, 4, 100, 5, 21, 9, 3, 11, 20];
    await fill(name, ids);
    const ascending = ids.toSorted((a, b) => a - b);
    expect(idsOf(await list(`filters=name:${name}&sort=id&size=50`))).toEqual(ascending);
    expect(idsOf(await list(`filters=name:${name}&sort=-id&size=50`))).toEqual(ascending.toReversed());

    const first = await list(`filters=name:${name}&sort=id`);
    expect(first._page).toEqual({ page: 0, size: 10, totalElements: 12, totalPages: 2 });
    expect(first._links.prev).toBeUndefined();
    const follow = async (link = ''): Promise<Listing> => {
      const { pathname, search, origin } = new URL(link);
      expect(origin).toBe(doors.service.baseUrl);
      return requireStatus(await doors.dgs.call<Listing>(`${pathname}${search}`), 200).body;
    };
    const last = await follow(first._links.next);
    expect(last._links.next).toBeUndefined();
    expect([...idsOf(first), ...idsOf(last)]).toEqual(ascending);
    expect(await follow(first._links.last)).toEqual({ ...last, _links: expect.anything() });
    expect(await follow(last._links.prev)).toEqual({ ...first, _links: expect.anything() });
    expect(await list(`filters=name:${name}&page=7`)).toMatchObject({ drs: [], _page: { totalElements: 12 } });
  });

  it('are filtered by uuids, by key and by version', async () => {
    const { domainName: name, domainUuid, domainVersionUuid } = await newDomain();
    const [one = '', , three = ''] = await fill(name, [1, 2, 3]);
    const uuids = (listing: Listing) => listing.drs.map(({ uuid }) => uuid).toSorted();
    expect(uuids(await list(`filters=name:${name},dr-uuids:${one}:${three}`))).toEqual([one, three].toSorted());
    expect(uuids(await list(`filters=dr-uuids:${one}:${three}:${nobody}`))).toEqual([one, three].toSorted());
    expect(uuids(await list(`filters=name:${name},dr-key:id=3`))).toEqual([three]);
    expect(uuids(await list(`filters=name:${name},dr-key:id=33`))).toEqual([]);

    const json = { modelSchema: { properties }, drKeyProperties: ['code'] };
    requireStatus(await doors.dgs.rest('POST', `/domains/${domainUuid}/versions`, json), 201);
    const second = requireStatus(await post({ name, version: 2, json: { id: 1, code: 'c-1' } }), 201).body;
    expect(uuids(await list(`filters=name:${name},version:2`))).toEqual([second.uuid]);
    const byDefault = await list(`filters=name:${name}`);
    expect(new Set(byDefault.drs.map((entry) => entry.domainVersionUuid))).toEqual(new Set([domainVersionUuid]));
  });

  it('show only the requested fields', async () => {
    const { domainName: name } = await newDomain();
    const [uuid = ''] = await fill(name, [1]);
    const listing = await doors.dgs.rest<Listing>('GET', `/drs?filters=name:${name}&fields=uuid,drKey.id`);
    expect(listing.body.drs).toEqual([{ uuid, drKey: { id: 1 } }]);
    const one = await doors.dgs.rest<Entry>('GET', `/drs/${uuid}?fields=json.code`);
    expect(one.body).toEqual({ json: { code: 'c-1' } });
  });

  it('are sorted and paged in GraphQL as in REST', async () => {
    const { domainName: name } = await newDomain();
    await fill(name, [10, 2, 1]);
    const field = `dr_${name}_1`;
    interface Page {
      data: { id: number; level: string; address: { city: string } | null; _dr: { uuid: string } }[];
      page: { page: number; size: number; totalElements: number; totalPages: number };
    }
    const { body } = await doors.dgs.graphql<Record<string, Page>>(
      `{ ${field}(sort: "-id", size: 2, page: 0) {
        data { id level address { city } _dr { uuid dateCreated } } page { page size totalElements totalPages } } }`,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data?.[field]?.data.map(({ id }) => id)).toEqual([10, 2]);
    expect(body.data?.[field]?.data[0]).toMatchObject({ level: 'basic', address: null });
    expect(body.data?.[field]?.page).toEqual({ page: 0, size: 2, totalElements: 3, totalPages: 2 });
  });
});
