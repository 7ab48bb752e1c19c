import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UpHandler } from '@fds/adaptor-bus';
import {
  adaptorSource,
  buildMessage,
  parseMessage,
  type AssemblyAnswer,
  type AssemblyRequest,
} from '@fds/adaptor-protocol';
import type { AssemblyLine, AssemblyResponse } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { createLog } from '@fds/service';
import { graphql } from 'graphql';
import { v7 as newUuid } from 'uuid';
import type { QuestionBus } from './bus/create-adaptor-questions.js';
import { createAssemblySubgraph, type AssemblySubgraph } from './create-assembly-subgraph.js';
import { logCatalogChange } from './testing/log-catalog-change.js';

const modelSchema = { properties: { id: { type: 'integer' }, name: { type: 'string' }, phone: { type: 'string' } } };
const [home, abroad] = [newUuid(), newUuid()];
const [crm, shop, billing] = [newUuid(), newUuid(), newUuid()];
/** An adaptor without records and capabilities. */
const idle = newUuid();
const versionUuid = newUuid();
const recordUuid = newUuid();
const bigId = 9223372036854775807n;

type Answer = Omit<AssemblyAnswer, 'requestUuid'> | 'SILENT';

let database: TestDatabase;
let subgraph: AssemblySubgraph;
let answers: Map<string, Answer[]>;
let asked: Map<string, AssemblyRequest>;

let handler: UpHandler | undefined;

/** Answers the last question that was sent to the adaptor. */
const answerNow = (adaptorUuid: string, parts: readonly Answer[]): void => {
  for (const answer of parts) {
    if (answer === 'SILENT') continue;
    const message = buildMessage('up/rsp', {
      id: newUuid(),
      source: adaptorSource(adaptorUuid),
      type: 'fds.assembly.answer.v1',
      time: new Date().toISOString(),
      data: { ...answer, requestUuid: asked.get(adaptorUuid)?.requestUuid ?? '' },
    });
    void handler?.({ adaptorUuid, kind: 'rsp', payload: Buffer.from(message) });
  }
};

/** A bus whose adaptors send the answers of the test. */
const createBus = (): QuestionBus => ({
  replyInstance: 'server',
  observe: () => undefined,
  handle: (_kind, given) => {
    handler = given;
  },
  publish: async (adaptorUuid, _kind, payload) => {
    const request = parseMessage('down/req', Buffer.from(payload));
    if (!request.ok) throw new Error('the request is not valid');
    asked.set(adaptorUuid, request.value.data);
    answerNow(adaptorUuid, answers.get(adaptorUuid) ?? []);
  },
});

const whole = (data: JsonObject, lastUpdated?: number): Answer[] => [
  {
    part: 1,
    last: true,
    records: [
      { drUuid: recordUuid, drKey: { id: bigId }, data, ...(lastUpdated === undefined ? {} : { lastUpdated }) },
    ],
  },
];

const principal = (permits: boolean, ...zones: string[]): Principal => ({
  kind: 'PERSON',
  uuid: newUuid(),
  username: 'ada',
  zones: zones.map((zoneUuid) => ({
    zoneUuid,
    zoneName: 'Z',
    zoneUserUuid: newUuid(),
    default: true,
    knowsPerson: true,
    roles: [],
    groups: [],
  })),
  defaultZoneUuid: zones[0],
  permits: () => permits,
});

const run = async (request: object, as = principal(true, home)) => {
  const { data, errors } = await graphql({
    schema: subgraph.schema,
    source: 'query($request: AssemblyRequestInput!) { assemble(request: $request) { response } }',
    variableValues: { request },
    contextValue: { principal: as, requestId: 'r' },
  });
  const text = (data?.['assemble'] as { response: string } | null | undefined)?.response;
  return {
    response: text === undefined ? undefined : (parseJson(text) as unknown as AssemblyResponse),
    code: errors?.[0]?.extensions['code'],
    causes: ((errors?.[0]?.extensions['errors'] ?? []) as { pointer: string }[]).map(({ pointer }) => pointer),
  };
};

const theRecord = (response: AssemblyResponse | undefined) => response?.assembledDataRecords[0];
const outcomes = (response: AssemblyResponse | undefined) =>
  Object.fromEntries(
    (response?.completeness ?? []).map(({ adaptorUuid, outcome }) => [adaptorUuid ?? 'unnamed', outcome]),
  );

/** Sets preferences of zones for the version. */
const prefer = async (preferences: readonly (readonly [zoneUuid: string, adaptorUuid: string, type: string])[]) => {
  await database.prisma.adaptorPreference.createMany({
    data: preferences.map(([zoneUuid, adaptorUuid, preferenceType]) => ({
      uuid: newUuid(),
      zoneUuid,
      adaptorUuid,
      preferenceType,
      domainVersionUuid: versionUuid,
    })),
  });
  await logCatalogChange(database, 'Preference');
};

const addEntry = async (data: Parameters<TestDatabase['prisma']['zoneAcl']['create']>[0]['data']): Promise<void> => {
  await database.prisma.zoneAcl.create({ data });
  await logCatalogChange(database, 'OutboundAcl');
};

const seed = async (): Promise<void> => {
  const { prisma, pool } = database;
  await prisma.zone.createMany({
    data: [
      { uuid: home, name: 'Home' },
      { uuid: abroad, name: 'Abroad' },
    ],
  });
  const typeUuid = newUuid();
  await prisma.adaptorType.create({ data: { uuid: typeUuid, name: 'any' } });
  const domainUuid = newUuid();
  await prisma.domain.create({
    data: { uuid: domainUuid, name: 'person', nameKey: 'person', domainType: 'FEDERATED', zoneUuid: home },
  });
  const version = {
    uuid: versionUuid,
    domainUuid,
    versionNumber: 1,
    modelSchema: stringifyJson(modelSchema),
    drKeyProperties: ['id'],
  };
  await prisma.domainVersion.create({ data: version });
  for (const [uuid, name, zoneUuid] of [
    [crm, 'CRM', home],
    [shop, 'Shop', home],
    [billing, 'Billing', abroad],
  ] as const) {
    const capability = { position: 0, domainName: 'person', versionNumber: 1, action: 'GET' };
    await prisma.adaptor.create({
      data: {
        uuid,
        name,
        zoneUuid,
        adaptorTypeUuid: typeUuid,
        state: 'STARTED',
        inheritsCapabilities: false,
        capabilities: { create: capability },
      },
    });
  }
  await prisma.adaptor.create({
    data: { uuid: idle, name: 'Idle', zoneUuid: home, adaptorTypeUuid: typeUuid, state: 'STARTED' },
  });
  const { model } = compileModelSchema({ modelSchema, drKeyProperties: ['id'] });
  const digest = Buffer.from(model?.keyDigest({ id: bigId }) ?? '', 'hex');
  const key = stringifyJson({ id: bigId });
  await pool.query(
    'INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key) VALUES ($1, $2, $3, $4::jsonb)',
    [recordUuid, versionUuid, digest, key],
  );
  for (const adaptorUuid of [crm, shop, billing]) {
    await pool.query(
      `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content) VALUES ($1, $2, $3, $4, $5::jsonb, '{}')`,
      [recordUuid, adaptorUuid, versionUuid, digest, key],
    );
  }
};

beforeAll(async () => {
  database = await openTestDatabase();
  await seed();
  subgraph = createAssemblySubgraph({
    database,
    bus: createBus(),
    log: createLog('silent'),
    now: () => new Date(),
    newUuid: () => newUuid(),
  });
});

beforeEach(async () => {
  answers = new Map();
  asked = new Map();
  await database.prisma.zoneAcl.deleteMany();
  await database.prisma.adaptorPreference.deleteMany();
  await logCatalogChange(database, 'OutboundAcl');
  await database.prisma.adaptor.updateMany({ data: { state: 'STARTED' } });
});

afterAll(async () => {
  await subgraph.close();
  await database.drop();
});

describe('assemble', () => {
  it('merges the data of the adaptors by the priorities of the request, with every digit', async () => {
    answers.set(crm, whole({ id: bigId, name: 'Ada', phone: null }));
    answers.set(shop, whole({ id: bigId, name: 'A.', phone: '1' }));
    answers.set(billing, whole({ name: 'ADA', phone: '2' }));
    const { response } = await run({
      domain: 'person',
      drKeys: [{ id: bigId }],
      goldAdaptors: [shop],
      silverAdaptors: [crm],
      bronzeAdaptors: [billing],
      options: { provenance: true },
    });
    expect(theRecord(response)).toMatchObject({
      uuid: recordUuid,
      status: 'PREFERRED_COMPLETE',
      drKey: { id: bigId },
      data: { id: bigId, name: 'A.', phone: '1' },
      provenance: { name: { adaptorUuid: shop, tier: 'GOLD' } },
    });
    expect(response).toMatchObject({
      domain: 'person',
      versionNumber: 1,
      domainVersionUuid: versionUuid,
      _page: { totalElements: 1, totalPages: 1 },
    });
    expect(response?.schemaEntries).toContainEqual({ name: 'id', propertyType: 'INTEGER' });
    expect(response?.virtualizationRequest).toMatchObject({
      timeout: 30,
      releasePolicy: 'GOLD_SILVER',
      page: 0,
      size: 10,
      zoneUuid: home,
      outputType: 'FULL',
    });
  });

  it('merges by the preferences of the asking zone, which the lists of the request replace', async () => {
    answers.set(crm, whole({ name: 'Ada', phone: '0' }, 3));
    answers.set(shop, whole({ name: 'A.', phone: '1' }, 2));
    answers.set(billing, whole({ name: 'ADA', phone: '2' }, 1));
    const merged = async (request: object, as = principal(true, home)) => {
      const { response } = await run({ domain: 'person', options: { provenance: true }, ...request }, as);
      const { data, provenance } = theRecord(response) ?? {};
      return [data?.['name'], provenance?.['name']?.tier];
    };
    // without preferences all adaptors are bronze, and the latest change wins
    expect(await merged({})).toEqual(['Ada', 'BRONZE']);
    await prefer([
      [home, shop, 'SILVER'],
      [home, billing, 'GOLD'],
      [abroad, shop, 'GOLD'],
    ]);
    expect(await merged({})).toEqual(['ADA', 'GOLD']);
    expect(await merged({ adaptors: [shop, crm] })).toEqual(['A.', 'SILVER']);
    expect(await merged({ goldAdaptors: [crm], adaptors: [billing] })).toEqual(['Ada', 'GOLD']);
    expect(await merged({}, principal(true, abroad))).toEqual(['A.', 'GOLD']);
    const { response } = await run({ domain: 'person' });
    expect(Object.fromEntries((response?.completeness ?? []).map((it) => [it.adaptorUuid, it.tier]))).toEqual({
      [crm]: 'BRONZE',
      [shop]: 'SILVER',
      [billing]: 'GOLD',
    });
  });

  it("asks each adaptor for the requested properties, with the adaptor's own key of the record", async () => {
    answers.set(crm, whole({ name: 'Ada' }));
    const { response } = await run({
      domain: 'person',
      adaptors: [crm],
      requestedProperties: ['name'],
      additionalParams: { timestamp: 5 },
    });
    expect([...asked.keys()]).toEqual([crm]);
    expect(asked.get(crm)).toMatchObject({
      domain: 'person',
      version: 1,
      records: [{ drUuid: recordUuid, drKey: { id: bigId } }],
      requestedProperties: ['name'],
      additionalParams: { timestamp: 5 },
      timeoutMilliseconds: 30_000,
    });
    expect(theRecord(response)?.data).toEqual({ name: 'Ada' });
  });

  it('combines the parts of an answer', async () => {
    answers.set(crm, [
      { part: 1, last: false, records: [] },
      ...whole({ name: 'Ada' }).map((answer) => (answer === 'SILENT' ? answer : { ...answer, part: 2 })),
    ]);
    expect(theRecord((await run({ domain: 'person', adaptors: [crm] })).response)?.data).toEqual({ name: 'Ada' });
  });

  it('does not wait for adaptors that are down, fail, or are not preferred, and reports their outcomes', async () => {
    await database.prisma.adaptor.update({ where: { uuid: crm }, data: { state: 'DOWN' } });
    answers.set(shop, [{ part: 1, last: true, records: [], error: { code: 'SOURCE', message: 'no connection' } }]);
    answers.set(billing, whole({ name: 'Ada' }));
    const { response } = await run({
      domain: 'person',
      goldAdaptors: [crm],
      silverAdaptors: [shop],
      bronzeAdaptors: [billing],
      releasePolicy: 'ASAP',
    });
    expect(outcomes(response)).toEqual({ [crm]: 'DOWN', [shop]: 'FAILED', [billing]: 'ANSWERED' });
    expect([...asked.keys()]).not.toContain(crm);
    expect(theRecord(response)).toMatchObject({
      data: { name: 'Ada' },
      adaptors: [{ uuid: billing, name: 'Billing', zoneName: 'Abroad' }],
    });
  });

  it('answers at the time-out with the data that has arrived', async () => {
    answers.set(crm, ['SILENT']);
    answers.set(shop, whole({ name: 'Ada' }));
    const { response } = await run({ domain: 'person', goldAdaptors: [crm], bronzeAdaptors: [shop], timeout: 1 });
    expect(outcomes(response)).toEqual({ [crm]: 'LATE', [shop]: 'ANSWERED' });
    expect(theRecord(response)?.status).toBe('FALLBACK');
  });

  it('sends each record at its release, then the changes of later answers, then the end', async () => {
    answers.set(crm, whole({ id: bigId, name: 'Ada', phone: '1' }));
    answers.set(shop, []);
    const request = { domain: 'person', goldAdaptors: [shop], bronzeAdaptors: [crm], releasePolicy: 'ASAP' as const };
    const lines: AssemblyLine[] = [];
    for await (const line of subgraph.assembler.assembleProgressively(request, principal(true, home))) {
      lines.push(line);
      if (lines.length === 1) answerNow(shop, whole({ id: bigId, name: 'A.' }));
    }
    expect(lines).toMatchObject([
      { index: 0, record: { uuid: recordUuid, data: { name: 'Ada', phone: '1' }, status: 'PREFERRED_PARTIAL' } },
      { index: 0, uuid: recordUuid, patch: { data: { name: 'A.' }, status: 'PREFERRED_COMPLETE' } },
      { domain: 'person', _page: { totalElements: 1 }, schemaEntries: expect.any(Array) as unknown },
    ]);
    expect(lines[2]).not.toHaveProperty('assembledDataRecords');
    expect(lines[2]).toMatchObject({
      completeness: expect.arrayContaining([
        expect.objectContaining({ adaptorUuid: shop, tier: 'GOLD', outcome: 'ANSWERED' }),
        expect.objectContaining({ adaptorUuid: crm, tier: 'BRONZE', outcome: 'ANSWERED' }),
      ]) as unknown,
    });
  });

  it('counts adaptors that governance denies without their names, and withholds denied properties', async () => {
    const entry = { zoneUuid: abroad, chain: 'OUTBOUND', position: 0, sourceAdaptorUuid: billing };
    await addEntry({ ...entry, uuid: newUuid(), get: 'DENY', properties: ['phone'] });
    answers.set(billing, whole({ name: 'Ada', phone: 'secret' }));
    const partly = await run({ domain: 'person', adaptors: [billing] });
    expect(theRecord(partly.response)?.data).toEqual({ name: 'Ada' });

    await addEntry({ ...entry, position: 1, uuid: newUuid(), get: 'DENY' });
    const wholly = await run({ domain: 'person', adaptors: [billing] });
    expect(theRecord(wholly.response)).toMatchObject({ status: 'UNAVAILABLE', data: {}, adaptors: [] });
    expect(outcomes(wholly.response)).toEqual({ unnamed: 'DENIED' });
    expect(stringifyJson(wholly.response?.completeness)).not.toContain(billing);
  });

  it.each([
    [`id:${bigId}`, 1],
    ['id:[5 TO *] AND NOT 7', 1],
    [recordUuid, 1],
    ['id:7', 0],
  ])('assembles the records that %s finds', async (query, total) => {
    const { response } = await run({ domain: 'person', query, sort: '-ID', size: 1, adaptors: [idle] });
    expect(response?._page).toEqual({ page: 0, size: 1, totalElements: total, totalPages: total });
    expect(response?.assembledDataRecords.map(({ uuid }) => uuid)).toEqual(total === 0 ? [] : [recordUuid]);
  });

  it('needs the zone from a caller in several zones', async () => {
    const request = { domain: 'person', sort: 'id', adaptors: [idle] };
    const named = await run({ ...request, zoneUuid: home }, principal(true, home, abroad));
    expect(named.response?.assembledDataRecords.length).toBeGreaterThan(0);
    const unnamed = await run(request, principal(true, home, abroad));
    expect(unnamed).toMatchObject({ code: 'VALIDATION_FAILED', causes: ['/zoneUuid'] });
  });

  it('refuses properties and adaptors that do not exist, in every list, in one answer', async () => {
    const refused = await run({
      domain: 'person',
      timeout: 0,
      requestedProperties: ['NAME', 'nothing', 'name.first'],
      adaptors: [crm, newUuid()],
      goldAdaptors: [newUuid()],
      silverAdaptors: [idle, newUuid()],
      bronzeAdaptors: [newUuid()],
      drKeys: [{ id: 'x' }],
    });
    expect(refused).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(refused.causes).toEqual([
      '/timeout',
      '/requestedProperties/1',
      '/requestedProperties/2',
      '/drKeys/0/id',
      '/adaptors/1',
      '/goldAdaptors/0',
      '/silverAdaptors/1',
      '/bronzeAdaptors/0',
    ]);
    const sorted = await run({ domain: 'person', sort: 'phone', query: 'phone:1', requestedProperties: ['nothing'] });
    expect(sorted).toMatchObject({ code: 'VALIDATION_FAILED', causes: ['/requestedProperties/0', '/query', '/sort'] });
    expect([...asked.keys()]).toEqual([]);
  });

  it('refuses a hidden adaptor like an unknown one', async () => {
    const stranger: Principal = { ...principal(true, home), permits: (_, path) => path === '/drs' };
    const refusal = async (adaptorUuid: string) => {
      const { code, causes } = await run({ domain: 'person', adaptors: [adaptorUuid] }, stranger);
      return { code, causes };
    };
    const unknown = await refusal(newUuid());
    expect(unknown).toEqual({ code: 'VALIDATION_FAILED', causes: ['/adaptors/0'] });
    expect(await refusal(idle)).toEqual(unknown);
    answers.set(billing, whole({ name: 'Ada' }));
    expect((await refusal(billing)).code).toBeUndefined();
    const denial = { zoneUuid: abroad, chain: 'OUTBOUND', position: 0, sourceAdaptorUuid: billing, get: 'DENY' };
    await addEntry({ ...denial, uuid: newUuid() });
    expect(await refusal(billing)).toEqual(unknown);
  });

  it('returns the effective request with every member of the specification', async () => {
    answers.set(crm, whole({ name: 'Ada' }));
    const { response } = await run({ domain: 'PERSON', adaptors: [crm], outputType: 'DATA_ONLY', maxRefSize: 3 });
    expect(response?.virtualizationRequest).toEqual({
      page: 0,
      size: 10,
      timeout: 30,
      releasePolicy: 'GOLD_SILVER',
      expandRefs: false,
      outputType: 'DATA_ONLY',
      drUuids: null,
      domain: 'person',
      versionNumber: 1,
      domainVersionUuid: versionUuid,
      zoneUuid: home,
      requestedProperties: null,
      goldAdaptors: null,
      silverAdaptors: null,
      bronzeAdaptors: null,
      adaptors: [crm],
      drKeys: null,
      query: null,
      sort: null,
      additionalParams: null,
    });
    expect(response?.assembledDataRecords).toEqual([{ uuid: recordUuid, data: { name: 'Ada' } }]);
  });

  it('does not ask adaptors for a property that governance withholds', async () => {
    const entry = { zoneUuid: abroad, chain: 'OUTBOUND', position: 0, sourceAdaptorUuid: billing, get: 'DENY' };
    await addEntry({ ...entry, uuid: newUuid(), properties: ['phone'] });
    answers.set(billing, whole({ name: 'Ada' }));
    await run({ domain: 'person', adaptors: [billing] });
    expect(asked.get(billing)?.requestedProperties).toEqual(['id', 'name']);
    await run({ domain: 'person', adaptors: [billing], requestedProperties: ['PHONE', 'name'] });
    expect(asked.get(billing)?.requestedProperties).toEqual(['name']);
    asked.clear();
    const { response } = await run({ domain: 'person', adaptors: [billing], requestedProperties: ['phone'] });
    expect(asked.size).toBe(0);
    expect(outcomes(response)).toEqual({ unnamed: 'DENIED' });
  });

  it('is refused at the time-out when a statement of its planning is slow', async () => {
    const client = await database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('LOCK TABLE zone_acl IN ACCESS EXCLUSIVE MODE');
      const startedAt = performance.now();
      expect((await run({ domain: 'person', timeout: 1 })).code).toBe('UNAVAILABLE');
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect([...asked.keys()]).toEqual([]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('refuses invalid requests with all their faults', async () => {
    expect(await run({})).toMatchObject({ code: 'VALIDATION_FAILED', causes: ['/domain'] });
    expect((await run({ domain: 'person', size: 0, timeout: 601, zoneUuid: abroad, maxRefSize: 0 })).causes).toEqual([
      '/zoneUuid',
      '/timeout',
      '/size',
      '/maxRefSize',
    ]);
    expect((await run({ domain: 'person' }, principal(true))).causes).toEqual(['/zoneUuid']);
    expect((await run({ domain: 'nobody' })).code).toBe('NOT_FOUND');
    expect(
      (await run({ domain: 'person', maxRefSize: 0, maxRefDepth: 101, page: 2 ** 31 - 1, size: 1000 })).causes,
    ).toEqual(['/maxRefSize', '/maxRefDepth']);
    expect((await run({ domain: 'person', drKeys: [{ id: 'x' }] })).causes).toEqual(['/drKeys/0/id']);
    const drKeys = ['{"id":1}', 'null', '"x"', '[]'];
    expect((await run({ domain: 'person', drKeys })).causes).toEqual(['/drKeys/1', '/drKeys/2', '/drKeys/3']);
    expect((await run({ domain: 'person', sort: 'phone' })).code).toBe('INVALID_PARAMETER');
    expect((await run({ domain: 'person', query: 'phone:1' })).code).toBe('INVALID_QUERY');
    expect((await run({ domain: 'person' }, principal(false, home))).code).toBe('FORBIDDEN');
  });
});
