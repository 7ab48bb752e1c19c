import { createInterface } from 'node:readline';
import { eventually } from '@fds/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { exchange, type RawAnswer, type Sent } from '../../harness/exchange.js';
import { expectProblem } from '../expect-problem.js';
import { shareDoors } from '../set-up-doors.js';
import { applyLines } from './apply-lines.js';
import type { AssembledRecord, AssemblyAnswer } from './assembly-answer.js';
import { connectRawAdaptor, whole, type RawAdaptor } from './raw-adaptor.js';

const domain = 'customer';
const bigId = 9_223_372_036_854_775_807n;
const nowhere = '019a5d2e-0000-7000-8000-00000000dead';
const ndjson = 'application/x-ndjson';

describe('the assembly service', () => {
  const { doors, leftovers } = shareDoors();
  const adaptors = {} as Record<'crm' | 'shop' | 'billing', RawAdaptor & { readonly uuid: string }>;

  /** A request that names no zone asks for Root: other files of the service make its steward a user of more zones. */
  const inRoot = (json: unknown): unknown =>
    typeof json === 'object' && json !== null && !Array.isArray(json) ? { zoneUuid: doors.root, ...json } : json;
  const ask = (json: unknown, more: Sent = {}): Promise<RawAnswer<AssemblyAnswer>> =>
    exchange(`${doors.service.assemblyUrl}/request`, {
      token: doors.dgs.token ?? '',
      method: 'POST',
      json: inRoot(json),
      ...more,
    });
  const assemble = async (json: object): Promise<AssemblyAnswer> =>
    requireStatus(await ask({ domain, drKeys: [{ id: 1 }], ...json }), 200).body;
  const only = ({ assembledDataRecords: [record] }: AssemblyAnswer): AssembledRecord => {
    if (record === undefined) throw new Error('no record was assembled');
    return record;
  };
  const outcomes = ({ completeness }: AssemblyAnswer) =>
    Object.fromEntries(completeness.map(({ adaptorUuid, outcome }) => [adaptorUuid, outcome]));
  const tiers = () => ({
    goldAdaptors: [adaptors.crm.uuid],
    silverAdaptors: [adaptors.shop.uuid],
    bronzeAdaptors: [adaptors.billing.uuid],
  });

  beforeAll(async () => {
    const { dgs, root, service } = doors;
    await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: {
        id: { type: 'integer' },
        name: { type: 'string' },
        phone: { type: 'string' },
        vip: { type: 'boolean' },
      },
      drKeyProperties: ['id'],
    });
    const rows = [1, 2, 3, bigId].map((id) => ({ id }));
    requireStatus(await dgs.rest('POST', `/drs/bulk?filters=name:${domain}`, rows), 200);
    for (const name of ['crm', 'shop', 'billing'] as const) {
      const capabilities = [{ domainName: domain, versionNumber: 1, action: 'GET' }];
      const created = await createAdaptor(dgs, root, { name, capabilities });
      const raw = await connectRawAdaptor(leftovers, service.busUrl, created);
      await raw.link(domain, name === 'crm' ? rows.slice(0, 3) : rows.slice(0, 1));
      adaptors[name] = Object.assign(raw, { uuid: created.uuid });
    }
    await eventually(async () => {
      const { body } = await dgs.rest<{ _page: { totalElements: number } }>('GET', `/drs?filters=name:${domain}`);
      // one row for each link, and one row for the record without a link
      expect(body._page.totalElements).toBeGreaterThanOrEqual(5);
    });
  }, 120_000);

  beforeEach(() => {
    adaptors.crm.answering = whole({ id: 1, name: 'Ada', phone: null });
    adaptors.shop.answering = whole({ id: 1, name: 'A.', phone: '1', vip: true });
    adaptors.billing.answering = whole({ id: 1, name: 'ADA', phone: '2', vip: false });
  });

  it('answers the effective request, the records, the page, the schema and the completeness', async () => {
    const answer = await assemble({});
    expect(answer).toMatchObject({
      domain,
      versionNumber: 1,
      _page: { page: 0, size: 10, totalElements: 1, totalPages: 1 },
      virtualizationRequest: {
        domain,
        versionNumber: 1,
        timeout: 30,
        releasePolicy: 'GOLD_SILVER',
        page: 0,
        size: 10,
        zoneUuid: doors.root,
        drKeys: [{ id: 1 }],
        outputType: 'FULL',
        domainVersionUuid: answer.domainVersionUuid,
      },
    });
    expect(answer.schemaEntries).toEqual([
      { name: 'id', propertyType: 'INTEGER' },
      { name: 'name', propertyType: 'STRING' },
      { name: 'phone', propertyType: 'STRING' },
      { name: 'vip', propertyType: 'BOOLEAN' },
    ]);
    const { uuid, drKey, adaptors: sources } = only(answer);
    expect([typeof uuid, drKey]).toEqual(['string', { id: 1 }]);
    expect(sources).toContainEqual({ uuid: adaptors.crm.uuid, name: 'crm', zoneUuid: doors.root, zoneName: 'Root' });
  });

  it('asks each adaptor in one message for all its records, with the parameters of the request', async () => {
    const before = adaptors.crm.asked.length;
    await assemble({
      drKeys: null,
      adaptors: [adaptors.crm.uuid],
      requestedProperties: ['name'],
      additionalParams: { hint: { n: 1 } },
      timeout: 7,
    });
    const asked = adaptors.crm.asked.slice(before);
    expect(asked).toMatchObject([
      { domain, version: 1, requestedProperties: ['name'], additionalParams: { hint: { n: 1 } } },
    ]);
    expect(asked[0]?.records?.map(({ drKey }) => drKey)).toEqual(expect.arrayContaining([{ id: 1 }, { id: 2 }]));
    expect(asked[0]?.timeoutMilliseconds).toBeLessThanOrEqual(7000);
  });

  it('takes a property from the highest tier that sent it: null is a value, absence is not', async () => {
    const { data, provenance } = only(
      await assemble({ ...tiers(), releasePolicy: 'GOLD_SILVER', options: { provenance: true } }),
    );
    expect(data).toEqual({ id: 1, name: 'Ada', phone: null, vip: true });
    expect(provenance?.['vip']).toEqual({ adaptorUuid: adaptors.shop.uuid, tier: 'SILVER' });
    expect(provenance?.['phone']).toEqual({ adaptorUuid: adaptors.crm.uuid, tier: 'GOLD' });
    expect(only(await assemble(tiers())).provenance).toBeUndefined();
  });

  it('asks only the adaptors that the request names, in each of its lists', async () => {
    for (const lists of [{ adaptors: [adaptors.shop.uuid] }, { goldAdaptors: [adaptors.shop.uuid] }])
      expect(outcomes(await assemble(lists))).toEqual({ [adaptors.shop.uuid]: 'ANSWERED' });
  });

  it('finds records by uuid, DR Key, expression or all of them, sorted and paged by DR Key', async () => {
    const keys = async (json: object) =>
      (await assemble({ adaptors: [adaptors.crm.uuid], drKeys: null, ...json })).assembledDataRecords.map(
        ({ drKey }) => drKey['id'],
      );
    expect(await keys({ sort: '-id' })).toEqual([bigId, 3, 2, 1]);
    expect(await keys({ sort: 'id', page: 1, size: 2 })).toEqual([3, bigId]);
    expect(await keys({ query: 'id:[2 TO 3]', sort: 'id' })).toEqual([2, 3]);
    expect(await keys({ drKeys: [{ id: bigId }] })).toEqual([bigId]);
    const { uuid } = only(await assemble({}));
    expect(await keys({ domain: null, drUuids: [uuid] })).toEqual([1]);
  });

  it('releases at GOLD without waiting for the other adaptors, and marks them in the completeness', async () => {
    adaptors.billing.answering = () => [];
    const answer = await assemble({ ...tiers(), releasePolicy: 'GOLD' });
    expect(only(answer)).toMatchObject({ status: 'PREFERRED_COMPLETE', data: { name: 'Ada' } });
    expect(outcomes(answer)).toMatchObject({ [adaptors.crm.uuid]: 'ANSWERED', [adaptors.billing.uuid]: 'LATE' });
  });

  it('answers at the time-out with the records collected so far', async () => {
    adaptors.crm.answering = () => [];
    const answer = await assemble({ ...tiers(), timeout: 1 });
    expect(only(answer)).toMatchObject({ status: 'PREFERRED_PARTIAL', data: { name: 'A.' } });
    expect(outcomes(answer)).toMatchObject({ [adaptors.crm.uuid]: 'LATE' });
  });

  it('counts an error as FAILED and stops waiting for it; a record without a preferred answer is FALLBACK', async () => {
    const failing = () => [{ part: 1, last: true, records: [], error: { code: 'SOURCE', message: 'no connection' } }];
    adaptors.crm.answering = failing;
    adaptors.shop.answering = failing;
    const answer = await assemble(tiers());
    expect(outcomes(answer)).toMatchObject({ [adaptors.crm.uuid]: 'FAILED', [adaptors.shop.uuid]: 'FAILED' });
    const { status } = only(await assemble({ ...tiers(), bronzeAdaptors: [] }));
    expect(status).toBe('UNAVAILABLE');
  });

  it('merges the parts of an answer, even if they arrive out of order or repeated', async () => {
    adaptors.crm.answering = ({ records }) => {
      const [first] = records ?? [];
      const { drUuid, drKey } = first ?? { drUuid: '', drKey: {} };
      const last = { part: 2, last: true, records: [{ drUuid, drKey, data: { name: 'whole' } }] };
      const empty = { part: 1, last: false, records: [] };
      return [last, empty, empty, last];
    };
    const answer = await assemble({ adaptors: [adaptors.crm.uuid] });
    expect([only(answer).data['name'], outcomes(answer)[adaptors.crm.uuid]]).toEqual(['whole', 'ANSWERED']);
  });

  it('returns members that an adaptor adds to a record, and timestamps of a search', async () => {
    adaptors.crm.answering = whole({ name: 'Ada' }, { additionalParams: { etag: 'x' } });
    const added = only(await assemble({ adaptors: [adaptors.crm.uuid] }));
    expect(added.adaptors[0]).toMatchObject({ additionalParams: { etag: 'x' } });
    adaptors.crm.answering = ({ records }) => [
      { part: 1, last: true, timestamps: [5, 6], records: (records ?? []).map((record) => ({ ...record, data: {} })) },
    ];
    const searched = only(
      await assemble({ adaptors: [adaptors.crm.uuid], additionalParams: { 'timestamp-search': true } }),
    );
    expect(searched.timestamps).toEqual([5, 6]);
  });

  it('refuses a request with a pointer for each wrong input', async () => {
    const requests: readonly (readonly [json: unknown, pointers: readonly string[]])[] = [
      [{ domain, requestedProperties: ['name', 'colour'] }, ['/requestedProperties/1']],
      [{ domain, adaptors: [nowhere] }, ['/adaptors/0']],
      [{ domain, options: { foo: true } }, ['/options/foo']],
      [{ domain, size: 1001 }, ['/size']],
      [{ domain, foo: 1, size: 0, timeout: 'x' }, ['/foo', '/size', '/timeout']],
      [{ domain, drKeys: [{ id: 1 }, { id: 'x' }] }, ['/drKeys/1/id']],
    ];
    for (const [json, pointers] of requests) {
      const answer = await ask(json);
      expectProblem(answer, { status: 400, code: 'VALIDATION_FAILED' });
      expect([pointers, answer.body.errors?.map(({ pointer }) => pointer).toSorted()]).toEqual([pointers, pointers]);
      // a progressive answer may be larger
      if (pointers[0] === '/size') continue;
      const lines = await ask(json, { headers: { accept: ndjson } });
      expect([lines.status, lines.body.errors]).toEqual([400, answer.body.errors]);
    }
  });

  it('reports wrong options of a GraphQL field, and accepts the options of the assembly service', async () => {
    const asking = async (options: unknown) => {
      const query = `query ($o: String) { dr_${domain}_1(query: "id:1", additionalParameters: $o) { data { name } } }`;
      const { body } = await doors.dgs.graphql<Record<string, { data: { name: string | null }[] }>>(query, {
        o: typeof options === 'string' ? options : JSON.stringify(options),
      });
      const causes = body.errors?.flatMap(({ extensions }) => extensions['errors'] as { pointer: string }[]);
      return causes?.map(({ pointer }) => pointer) ?? body.data?.[`dr_${domain}_1`]?.data;
    };
    await eventually(() => asking({}));
    expect(await asking({ adaptors: [adaptors.billing.uuid] })).toEqual([{ name: 'ADA' }]);
    expect(await asking('{"timeout"')).toEqual(['additionalParameters']);
    expect(await asking({ timeout: '5', foo: 1 })).toEqual([
      'additionalParameters/timeout',
      'additionalParameters/foo',
    ]);
    expect(await asking({ adaptors: [nowhere] })).toEqual(['additionalParameters/adaptors/0']);
    expect(await asking({ timeout: 0 })).toEqual(['additionalParameters/timeout']);
  });

  it('requires a token, the permission and a body within the limit', async () => {
    const json = { domain };
    expectProblem(await exchange(`${doors.service.assemblyUrl}/request`, { method: 'POST', json }), {
      status: 401,
      code: 'UNAUTHENTICATED',
    });
    expectProblem(await ask({ domain, query: 'x'.repeat(2 ** 20) }), { status: 413, code: 'PAYLOAD_TOO_LARGE' });
    const deep = `{"domain":"${domain}","additionalParams":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`;
    const headers = { 'content-type': 'application/json' };
    expectProblem(await ask(undefined, { headers, text: deep }), { status: 400, code: 'MALFORMED_JSON' });
  });

  it('accepts 1000 DR Keys', async () => {
    const drKeys = Array.from({ length: 1000 }, (_, id) => ({ id }));
    const { _page } = await assemble({ drKeys, size: 1000, adaptors: [adaptors.crm.uuid] });
    expect(_page.totalElements).toBe(3);
  });

  it('is healthy, and counts its answers', async () => {
    const health = await exchange(`${doors.service.assemblyUrl}/health`);
    expect(health).toMatchObject({ status: 200, body: { status: 'UP', checks: { database: 'UP', bus: 'UP' } } });
    const { text } = await exchange(`${doors.service.assemblyUrl}/metrics`);
    expect(text).toMatch(/fds_assembly_seconds_count\{form="plain",status="200"\} [1-9]/);
  });

  it('shows the number of adaptors that it skips because they keep failing', async () => {
    const { dgs, root, service } = doors;
    const capabilities = [{ domainName: domain, versionNumber: 1, action: 'GET' }];
    const broken = await createAdaptor(dgs, root, { name: 'broken', capabilities });
    const raw = await connectRawAdaptor(leftovers, service.busUrl, broken);
    raw.answering = () => [{ part: 1, last: true, records: [], error: { code: 'SOURCE', message: 'no connection' } }];
    await raw.link(domain, [{ id: 2 }]);
    const outcome = async () => outcomes(await assemble({ drKeys: [{ id: 2 }], adaptors: [broken.uuid] }))[broken.uuid];
    const circuits = async () =>
      Object.fromEntries(
        [
          ...(await exchange(`${service.assemblyUrl}/metrics`)).text.matchAll(
            /fds_assembly_circuits\{state="(\w+)"\} (\d+)/g,
          ),
        ].map(([, state, count]) => [state, Number(count)]),
      );
    expect(await circuits()).toEqual({ open: 0, half_open: 0 });
    await eventually(async () => expect(await outcome()).toBe('FAILED'));
    await eventually(async () => expect(await outcome()).toBe('DOWN'), { intervalMs: 0 });
    // the adaptor received every request that failed
    expect(raw.asked.length).toBe(20);
    expect(await circuits()).toEqual({ open: 1, half_open: 0 });
  });

  it('sends each record when it is released, then patches, which add up to the plain answer at the time-out', async () => {
    let answerGold = (): void => undefined;
    const gold = new Promise<void>((resolve) => {
      answerGold = resolve;
    });
    adaptors.crm.answering = async (asked) => {
      await gold;
      return whole({ id: 1, name: 'Ada', phone: '0' })(asked);
    };
    const json = inRoot({ domain, drKeys: [{ id: 1 }], ...tiers(), releasePolicy: 'ASAP' });
    const answer = await request(`${doors.service.assemblyUrl}/request`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${doors.dgs.token}`,
        accept: `${ndjson}, application/json;q=0.5`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(json),
    });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, `${ndjson}; charset=utf-8`]);
    const seen: string[] = [];
    const watched = async function* () {
      for await (const line of createInterface({ input: answer.body })) {
        seen.push(Object.keys(JSON.parse(line) as object)[0] ?? '');
        // the slowest adaptor answers when the client has its first record
        answerGold();
        yield line;
      }
    };
    const applied = await applyLines(watched());
    expect([seen[0], seen.at(-1)]).toEqual(['record', 'uuid']);
    expect(seen.length).toBeGreaterThan(2);
    const plain = await assemble({ ...tiers(), releasePolicy: 'GOLD_SILVER' });
    expect((applied['assembledDataRecords'] as AssembledRecord[])[0]?.data).toEqual(only(plain).data);
  });

  it('validates lines against the OpenAPI document', async () => {
    const { status, text } = await ask({ domain, ...tiers() }, { headers: { accept: ndjson } });
    expect(status).toBe(200);
    expect(text.trim().split('\n').length).toBeGreaterThanOrEqual(5);
    const data = await ask({ domain, ...tiers(), outputType: 'DATA_ONLY' }, { headers: { accept: ndjson } });
    expect(Object.keys((JSON.parse(data.text.split('\n')[0] ?? '') as { record: object }).record)).toEqual([
      'uuid',
      'data',
    ]);
  });
});
