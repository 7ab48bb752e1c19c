import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { exchange } from '../../harness/exchange.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { askGraphql } from '../ask-graphql.js';
import { shareDoors } from '../set-up-doors.js';

const maxLong = 9_223_372_036_854_775_807n;

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

describe('cross-references in GraphQL', () => {
  const { doors, leftovers } = shareDoors();

  /** Number of records in each message to the adaptor. */
  const asked: number[] = [];
  let addPayer: (number: number) => Promise<unknown>;

  const create = async (name: string, json: Readonly<Record<string, unknown>>): Promise<string> =>
    requireStatus(await doors.dgs.rest('POST', '/drs', { name, json }), 201).body.uuid;

  const ask = async (document: string, variables?: Readonly<Record<string, unknown>>): Promise<Page['data']> => {
    const data = await askGraphql<Readonly<Record<string, Page>>>(doors.dgs, document, variables);
    return Object.values(data)[0]?.data ?? [];
  };

  beforeAll(async () => {
    const { dgs, root, service } = doors;
    const stored = (name: string, properties: Record<string, unknown>, drKeyProperties: readonly string[]) =>
      createVersion(dgs, { name, domainType: 'SERVICE_DATA_STORE', properties, drKeyProperties });
    await stored('town', { 'post-code': { type: 'string' }, title: { type: 'string' } }, ['post-code']);
    await stored('order', { id: { type: 'integer' }, payer: { type: 'integer' }, total: { type: 'number' } }, [
      'id',
      'payer',
    ]);
    await createVersion(dgs, {
      name: 'payer',
      domainType: 'FEDERATED',
      properties: {
        number: { type: 'integer' },
        balance: { type: 'number' },
        town: { $ref: '/domains/town:v1' },
        orders: { $ref: '/domains/order:v1', query: 'payer:${number}', multivalued: true },
        rival: { $ref: '/domains/payer:v1' },
      },
      drKeyProperties: ['number'],
    });
    await stored(
      'guest',
      {
        id: { type: 'integer' },
        name: { type: 'string' },
        nickname: { type: 'string' },
        orders: { $ref: '/domains/order:v1', query: 'payer:${id}', multivalued: true, sort: '-total', limit: 2 },
        largest: { $ref: '/domains/order:v1', query: 'payer:${id}', sort: '-total' },
        totals: { $ref: '/domains/order:v1/total', query: 'payer:${id}', multivalued: true },
        'latest-total': { $ref: '/domains/order:v1/Total', query: 'payer:${id}', sort: '-id' },
        towns: { $ref: '/domains/town:v1', multivalued: true },
        account: { $ref: '/domains/payer:v1' },
        balance: { $ref: '/domains/payer:v1/balance' },
        home: { type: 'object', properties: { town: { $ref: '/domains/town:v1' } } },
        trips: { type: 'array', items: { type: 'object', properties: { town: { $ref: '/domains/town:v1/title' } } } },
        friends: { type: 'array', items: { $ref: '/domains/guest:v1' } },
      },
      ['id', 'name'],
    );

    const source = await createAdaptor(dgs, root, { name: 'bank', capabilities: allActions('payer') });
    const running = await startSourceAdaptor(leftovers, service, source, {
      assemble: ({ records }) => {
        asked.push(records?.length ?? 0);
        return Promise.resolve({
          records: (records ?? []).map(({ drUuid, drKey }) => ({
            drUuid,
            drKey,
            data: { ...drKey, balance: 1.5, town: 'U-1', rival: 3 },
          })),
        });
      },
    });
    addPayer = (number) => running.publish({ action: 'POST', domain: 'payer', version: 1, json: { number } });
    await running.publish({ action: 'POST', domain: 'payer', version: 1, json: { number: 1, balance: 1.5 } });
    for (const code of ['U-1', 'B*', 'x OR post-code:U-1', 'a"b\\']) {
      await create('town', { 'post-code': code, title: `town ${code}` });
    }
    for (const [id, payer, total] of [
      [1, 1, 10],
      [2, 1, 30],
      [3, 1, 20],
      [4, maxLong, 5],
      [5, maxLong - 1n, 6],
    ] as const) {
      await create('order', { id, payer, total });
    }
    await eventually(async () => {
      expect((await dgs.rest('GET', '/drs?filters=name:payer')).body).toMatchObject({ _page: { totalElements: 1 } });
    });
    await create('guest', { id: 1, name: 'B*', account: 1, balance: 1, towns: ['U-1', 'B*'], home: { town: 'B*' } });
    await create('guest', {
      id: maxLong,
      name: 'x OR post-code:U-1',
      trips: [{ town: 'a"b\\' }, { town: { $ref: '/domains/town:v1?post-code=U-1' } }],
      friends: [{ id: 1, name: 'B*' }],
    });
    await eventually(() => ask('{ dr_guest_1 { data { id orders { id } account { number } } } }'), {
      deadlineMs: 5000,
    });
  }, 120_000);

  it('resolve the query of the model to many records, to one record and to single properties, with every digit', async () => {
    expect(
      await ask('{ dr_guest_1(sort: "id") { data { orders { id } largest { id } totals latest_total } } }'),
    ).toEqual([
      { orders: [{ id: 2 }, { id: 3 }], largest: { id: 2 }, totals: [10, 30, 20], latest_total: 20 },
      { orders: [{ id: 4 }], largest: { id: 4 }, totals: [5], latest_total: 5 },
    ]);
  });

  it('take query, sort and limit as literals and as variables', async () => {
    const document = `query ($q: String, $l: Int) { dr_guest_1(query: "id:1") { data {
      narrowed: orders(query: $q) { id } cut: orders(sort: "id", limit: $l) { id } none: orders(limit: 0) { id }
      other: largest(query: "-id:2") { id } some: totals(sort: "-id", limit: 2) } } }`;
    expect(await ask(document, { q: 'id:[1 TO 2]', l: 1 })).toEqual([
      { narrowed: [{ id: 2 }, { id: 1 }], cut: [{ id: 1 }], none: [], other: { id: 3 }, some: [20, 30] },
    ]);
  });

  it('treat values of the record as values, regardless of their content', async () => {
    expect(await ask('{ dr_guest_1(sort: "id") { data { towns(query: "post-code:${name}") { title } } } }')).toEqual([
      { towns: [{ title: 'town B*' }] },
      // no value is posted: only the argument links the records
      { towns: [{ title: 'town x OR post-code:U-1' }] },
    ]);
  });

  it('work in objects, in lists of objects and in lists, on several levels', async () => {
    expect(
      await ask(`{ dr_guest_1(sort: "id") { data {
        towns { post_code } home { town { title } } trips { town } friends { name towns { title } friends { name } } } } }`),
    ).toEqual([
      {
        towns: [{ post_code: 'U-1' }, { post_code: 'B*' }],
        home: { town: { title: 'town B*' } },
        trips: null,
        friends: [],
      },
      {
        towns: [],
        home: null,
        trips: [{ town: 'town a"b\\' }, { town: 'town U-1' }],
        friends: [{ name: 'B*', towns: [{ title: 'town U-1' }, { title: 'town B*' }], friends: [] }],
      },
    ]);
  });

  it('refer to federated records and from federated records', async () => {
    expect(
      await ask(`{ dr_guest_1(query: "id:1") { data { balance
        account { number balance town { title } orders(sort: "id") { id } _dr { status adaptors { name } } } } } }`),
    ).toEqual([
      {
        balance: 1.5,
        account: {
          number: 1,
          balance: 1.5,
          town: { title: 'town U-1' },
          orders: [{ id: 1 }, { id: 2 }, { id: 3 }],
          _dr: { status: 'PREFERRED_COMPLETE', adaptors: [{ name: 'bank' }] },
        },
      },
    ]);
    expect(await ask('{ dr_payer_1 { data { number orders(limit: 1) { total } town { title } } } }')).toEqual([
      { number: 1, orders: [{ total: 10 }], town: { title: 'town U-1' } },
    ]);
  });

  it.each([
    ['orders(query: "id:1 AND total:3") { id }', 'INVALID_QUERY', 9],
    ['orders(query: "payer:${nickname}") { id }', 'INVALID_QUERY', 0],
    ['orders(query: "id:[1 TO") { id }', 'INVALID_QUERY', 8],
    ['orders(sort: "total") { id }', 'INVALID_PARAMETER', undefined],
    ['orders(limit: 1001) { id }', 'INVALID_PARAMETER', undefined],
  ])('refuse %s', async (field, code, position) => {
    const { body } = await doors.dgs.graphql(`{ dr_guest_1(query: "id:1") { data { ${field} } } }`);
    expect(body.errors).toMatchObject([{ path: ['dr_guest_1', 'data', 0, 'orders'], extensions: { code } }]);
    expect(body.errors?.[0]?.extensions['position']).toBe(position);
  });

  it('count towards the cost of a document', async () => {
    const document = (limit: number): string =>
      `{ dr_guest_1(size: 1000) { data { friends(limit: ${limit}) { orders(limit: 10) { id } } } } }`;
    expect((await doors.dgs.graphql(document(1))).body).not.toHaveProperty('errors');
    expect((await doors.dgs.graphql(document(10))).body).toMatchObject({
      errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }],
    });
  });

  it('send one message to an adaptor for each level, for all fields and records', async () => {
    const { dgs } = doors;
    await addPayer(2);
    await addPayer(3);
    await eventually(async () => {
      expect((await dgs.rest('GET', '/drs?filters=name:payer')).body).toMatchObject({ _page: { totalElements: 3 } });
    });
    const second = await create('guest', { id: 2, name: 'second', account: 2, balance: 2 });
    asked.length = 0;
    expect(
      await ask(`{ dr_guest_1(query: "id:[1 TO 2]", sort: "id") { data {
        balance account { number rival { number } } again: account { balance rival { balance } } } } }`),
    ).toEqual([
      { balance: 1.5, account: { number: 1, rival: { number: 3 } }, again: { balance: 1.5, rival: { balance: 1.5 } } },
      { balance: 1.5, account: { number: 2, rival: { number: 3 } }, again: { balance: 1.5, rival: { balance: 1.5 } } },
    ]);
    expect(asked).toEqual([2, 1]);

    asked.length = 0;
    const request = {
      zoneUuid: doors.root,
      drUuids: [second],
      expandRefs: true,
      maxRefDepth: 2,
      requestedProperties: ['id', 'account'],
    };
    const { body } = await exchange<{ assembledDataRecords: readonly unknown[] }>(
      `${doors.service.assemblyUrl}/request`,
      { method: 'POST', token: dgs.token ?? '', json: request },
    );
    expect(body.assembledDataRecords).toMatchObject([
      { data: { id: 2, account: { number: 2, town: { title: 'town U-1' }, rival: { number: 3, rival: 3 } } } },
    ]);
    expect(asked).toEqual([1, 1]);
  });

  it('are expanded in REST like in GraphQL', async () => {
    const path = '/drs?filters=name:guest,dr-key:id=1&options=';
    const { drs: expanded } = requireStatus(
      await doors.dgs.rest<{ drs: unknown }>('GET', `${path}expandRefs:true`),
      200,
    ).body;
    expect(expanded).toMatchObject([
      {
        json: {
          orders: [
            { id: 2, total: 30 },
            { id: 3, total: 20 },
          ],
          largest: { id: 2 },
          totals: [10, 30, 20],
          'latest-total': 20,
          account: { number: 1 },
        },
      },
    ]);
    const { drs: keyed } = requireStatus(
      await doors.dgs.rest<{ drs: unknown }>('GET', `${path}expandRefs:false`),
      200,
    ).body;
    expect(keyed).toMatchObject([{ json: { largest: { id: 2, payer: 1 }, account: 1 } }]);
  });
});
