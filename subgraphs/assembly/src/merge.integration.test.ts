import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AssemblyRequest, AssemblyResponse, Tier } from '@fds/assembly-contract';
import type { AccessRule } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '@fds/testing';
import { answerMessage, type AskedQuestion } from './testing/faults/answer-writer.js';
import { plantWorld } from './testing/faults/plant-world.js';
import { callerOf, openFaultStage, type FaultStage } from './testing/faults/fault-stage.js';
import { logCatalogChange } from './testing/log-catalog-change.js';
import type { World, WorldAdaptor, WorldEntry } from './testing/faults/world.js';

const random = createRandom(1);
const zoneUuids = [random.uuid(), random.uuid(), random.uuid()] as const;
const [home, abroad] = zoneUuids;
const adaptor = (name: string, preferred: Tier, zoneUuid: string = home): WorldAdaptor => ({
  uuid: random.uuid(),
  name,
  zoneUuid,
  isDown: false,
  preferred,
});
const [gold, silver, bronze] = [
  adaptor('gold', 'GOLD', abroad),
  adaptor('silver', 'SILVER'),
  adaptor('bronze', 'BRONZE'),
];
const [first, second] = [random.uuid(), random.uuid()].toSorted() as [string, string];

const world: World = {
  zoneUuids,
  adaptors: [gold, silver, bronze],
  records: [
    { uuid: first, key: 1 },
    { uuid: second, key: 2 },
  ],
  domainUuid: random.uuid(),
  domain: 'person',
  versionUuid: random.uuid(),
  links: [gold, silver, bronze].flatMap(({ uuid }, index) =>
    [first, second].map((recordUuid, place) => ({
      recordUuid,
      adaptorUuid: uuid,
      key: place + 1 + 10 * index,
      lastUpdated: 1000,
    })),
  ),
  groups: [['street', 'city', 'zip']],
  entries: [],
};

let database: TestDatabase;
let stage: FaultStage;

beforeAll(async () => {
  database = await openTestDatabase();
  await plantWorld(database, world);
  stage = openFaultStage(database);
});

beforeEach(async () => {
  await database.prisma.zoneAcl.deleteMany();
  await logCatalogChange(database, 'OutboundAcl');
});

afterAll(async () => {
  await stage.subgraph.close();
  await database.drop();
});

/** An answer as JSON text, or its records; undefined for no answer. */
type Write = (question: AskedQuestion) => JsonObject | undefined;

const answerWith =
  (data: (drUuid: string) => JsonObject | null, more: JsonObject = {}): Write =>
  ({ records }) => ({
    records: records.map(({ drUuid, drKey }) => ({ drUuid, drKey, data: data(drUuid), ...more })),
  });

interface Assembled {
  readonly response: AssemblyResponse;
  readonly questions: readonly AskedQuestion[];
}

/** Assembles while the adaptors answer. */
const assemble = async (
  request: AssemblyRequest,
  answers: ReadonlyMap<WorldAdaptor, Write>,
  roles?: readonly (readonly AccessRule[])[],
): Promise<Assembled> => {
  const assembling = stage.subgraph.assembler.assemble({ domain: 'person', ...request }, callerOf(world, roles));
  const questions: AskedQuestion[] = [];
  const deadline = performance.now() + 10_000;
  for (;;) {
    if (performance.now() > deadline) throw new Error('the assembly does not end');
    const response = await Promise.race([assembling, wait(2, undefined)]);
    if (response !== undefined) return { response, questions };
    const asked = stage.takeQuestions();
    for (const question of asked) {
      const write = [...answers].find(([{ uuid }]) => uuid === question.adaptorUuid)?.[1];
      const data = write?.(question);
      if (data === undefined) continue;
      const { adaptorUuid, requestUuid } = question;
      stage.deliver(answerMessage(adaptorUuid, random.uuid(), { requestUuid, part: 1, last: true, ...data }));
    }
    questions.push(...asked);
  }
};

const recordOf = ({ response }: Assembled, uuid = first) =>
  response.assembledDataRecords.find((record) => record.uuid === uuid);

const deny = async (entry: Partial<WorldEntry> & { readonly sourceAdaptorUuid: string }): Promise<void> => {
  const { drUuids = [], properties = [], ...rest } = entry;
  await database.prisma.zoneAcl.create({
    data: {
      uuid: random.uuid(),
      chain: 'OUTBOUND',
      zoneUuid: abroad,
      position: await database.prisma.zoneAcl.count(),
      get: 'DENY',
      ...rest,
      properties: [...properties],
      records: { create: drUuids.map((recordUuid) => ({ recordUuid })) },
    },
  });
  await logCatalogChange(database, 'OutboundAcl');
};

const hides = (adaptorUuid: string, properties: readonly string[] | null, drUuids?: readonly string[]): AccessRule => ({
  effect: 'DENY',
  actions: null,
  zoneUuid: null,
  adaptorUuid,
  domainUuid: null,
  domainVersionUuid: null,
  properties,
  drUuids: drUuids ?? null,
});

const address = { street: 'Storgata', city: 'Oslo', zip: 155 };
const otherAddress = { street: 'Side street', city: 'Bergen', zip: 5003 };
const all = (goldData: JsonObject, silverData: JsonObject, more?: JsonObject) =>
  new Map([
    [gold, answerWith(() => goldData, more)],
    [silver, answerWith(() => silverData)],
    [bronze, answerWith(() => ({}))],
  ]);
const provenance = { options: { provenance: true } };

describe('values that the caller may not see', () => {
  it.each([
    ['governance', () => deny({ sourceAdaptorUuid: gold.uuid, properties: ['NAME'] }), undefined],
    ['a role', () => Promise.resolve(), [[hides(gold.uuid, ['name'])]]],
  ])('never decide, are not asked for, and leave no trace when they are hidden by %s', async (_, govern, roles) => {
    await govern();
    const assembled = await assemble(
      provenance,
      all({ Name: 'secret', Phone: '1' }, { name: 'Ada' }, { additionalParams: { nick: 'secret too' } }),
      roles,
    );
    expect(recordOf(assembled)).toMatchObject({
      status: 'PREFERRED_COMPLETE',
      data: { name: 'Ada', Phone: '1' },
      provenance: { name: { adaptorUuid: silver.uuid, tier: 'SILVER' }, Phone: { adaptorUuid: gold.uuid } },
    });
    expect(stringifyJson(assembled.response)).not.toContain('secret');
    const ofGold = assembled.questions.filter(({ adaptorUuid }) => adaptorUuid === gold.uuid);
    expect(ofGold.flatMap(({ requestedProperties }) => requestedProperties ?? ['name'])).not.toContain('name');
  });

  it('do not break a group: only the visible part of the best source is used', async () => {
    await deny({ sourceAdaptorUuid: gold.uuid, properties: ['city'] });
    const assembled = await assemble(provenance, all(address, otherAddress));
    expect(recordOf(assembled)?.data).toEqual({ street: 'Storgata', zip: 155 });
  });

  it('do not make their source the best one for a group', async () => {
    await deny({ sourceAdaptorUuid: gold.uuid, properties: ['city'] });
    const assembled = await assemble(provenance, all({ city: 'Oslo' }, otherAddress));
    expect(recordOf(assembled)?.data).toEqual(otherAddress);
  });

  it('are asked for with the other records when they are hidden in one record only', async () => {
    const assembled = await assemble(provenance, all({ name: 'G' }, { name: 'S' }), [
      [hides(gold.uuid, ['name'], [first])],
    ]);
    expect([recordOf(assembled)?.data, recordOf(assembled, second)?.data]).toEqual([{ name: 'S' }, { name: 'G' }]);
    const ofGold = assembled.questions.filter(({ adaptorUuid }) => adaptorUuid === gold.uuid);
    expect(ofGold.map(({ records }) => records.map(({ drUuid }) => drUuid))).toEqual([[first], [second]]);
    expect(ofGold[0]?.requestedProperties).not.toContain('name');
    expect(ofGold[1]?.requestedProperties).toBeNull();
  });

  it.each([
    ['governance', () => deny({ sourceAdaptorUuid: gold.uuid }), undefined],
    ['a role', () => Promise.resolve(), [[hides(gold.uuid, null)]]],
  ])('do not occur by name when %s hides the whole source', async (_, govern, roles) => {
    await govern();
    const assembled = await assemble(provenance, all({ name: 'secret' }, { name: 'Ada' }), roles);
    expect(recordOf(assembled)).toMatchObject({ status: 'PREFERRED_COMPLETE', data: { name: 'Ada' } });
    expect(stringifyJson(assembled.response.assembledDataRecords)).not.toContain(gold.uuid);
    expect(stringifyJson(assembled.response.completeness)).not.toContain(gold.uuid);
    expect(assembled.response.completeness.filter(({ outcome }) => outcome === 'DENIED')).toHaveLength(1);
    expect(assembled.questions.some(({ adaptorUuid }) => adaptorUuid === gold.uuid)).toBe(false);
  });

  it('do not deny an adaptor that has none of the records', async () => {
    await deny({ sourceAdaptorUuid: gold.uuid, drUuids: [first] });
    const { response } = await assemble({ drUuids: [second] }, all({ name: 'G' }, { name: 'S' }));
    expect(response.completeness.map(({ outcome }) => outcome)).toEqual(['ANSWERED', 'ANSWERED', 'ANSWERED']);
  });
});

describe('the data of an adaptor', () => {
  it('may be gone; then another source is the best one, and the adaptor counts as answered', async () => {
    const answers = all({}, { name: 'Ada' }).set(
      gold,
      answerWith((uuid) => (uuid === first ? null : { name: 'G' })),
    );
    const assembled = await assemble({}, answers);
    expect(recordOf(assembled)).toMatchObject({ status: 'PREFERRED_COMPLETE', data: { name: 'Ada' } });
    expect(recordOf(assembled)?.adaptors.map(({ uuid }) => uuid)).not.toContain(gold.uuid);
    expect(recordOf(assembled, second)?.data).toEqual({ name: 'G' });
    expect(assembled.response.completeness.map(({ outcome }) => outcome)).toEqual(['ANSWERED', 'ANSWERED', 'ANSWERED']);
  });

  it('may be without a record, which then is partial', async () => {
    const answers = all({}, { name: 'Ada' }).set(gold, () => ({ records: [] }));
    expect(recordOf(await assemble({}, answers))).toMatchObject({ status: 'PREFERRED_PARTIAL', data: { name: 'Ada' } });
  });

  it('is used only as far as it fits the names and types of the model', async () => {
    const hostile = parseJson(
      `{"__proto__": {"polluted": true}, "constructor": "c", "NAME": "Ada", "zip": "no number", "score": 1.5, "other": 1,
        "address": {"city": "Oslo", "__proto__": {"x": 1}, "street": "s"}, "tags": ${'['.repeat(500)}${']'.repeat(500)}}`,
    ) as JsonObject;
    const assembled = await assemble(provenance, all(hostile, { zip: 5003 }));
    expect(stringifyJson(recordOf(assembled)?.data)).toBe(
      '{"name":"Ada","zip":5003,"score":1.5,"address":{"City":"Oslo"},"constructor":"c"}',
    );
    expect(recordOf(assembled)?.status).toBe('PREFERRED_PARTIAL');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('may identify records only by the key of the adaptor', async () => {
    const answers = all({}, {}).set(gold, () => ({ records: [{ drKey: { ID: 2 }, data: { name: 'by key' } }] }));
    expect(recordOf(await assemble({}, answers), second)?.data).toEqual({ name: 'by key' });
  });

  it('may have additions, which are returned under the adaptor', async () => {
    const assembled = await assemble({}, all({ name: 'G' }, {}, { additionalParams: { revision: 7 } }));
    expect(recordOf(assembled)?.adaptors).toEqual([
      { uuid: bronze.uuid, name: 'bronze', zoneUuid: home, zoneName: home },
      { uuid: gold.uuid, name: 'gold', zoneUuid: abroad, zoneName: abroad, additionalParams: { revision: 7 } },
      { uuid: silver.uuid, name: 'silver', zoneUuid: home, zoneName: home },
    ]);
  });
});

describe('requestedProperties', () => {
  it('take parts of objects and lists, in any case', async () => {
    const data = {
      name: 'Ada',
      address: { City: 'Oslo', geo: { lat: 1, lon: 2 } },
      tags: [{ label: 'a', weight: 1 }, { weight: 2 }],
    };
    const assembled = await assemble({ requestedProperties: ['ADDRESS.geo.Lat', 'tags.LABEL'] }, all(data, {}));
    expect(recordOf(assembled)?.data).toEqual({ address: { geo: { lat: 1 } }, tags: [{ label: 'a' }, {}] });
    expect(assembled.questions[0]?.requestedProperties).toEqual(['address', 'tags']);
    expect(assembled.response.schemaEntries).toEqual([
      { name: 'address', propertyType: 'OBJECT' },
      { name: 'tags', propertyType: 'ARRAY' },
    ]);
  });

  it('take a member of a group from the source of the whole group', async () => {
    const assembled = await assemble({ requestedProperties: ['zip'] }, all({ city: 'Oslo' }, otherAddress));
    expect(recordOf(assembled)?.data).toEqual({});
    expect(assembled.questions[0]?.requestedProperties).toEqual(['street', 'city', 'zip']);
  });

  it('that the model does not have are refused, each with a pointer', async () => {
    await expect(assemble({ requestedProperties: ['name', 'nobody', 'address.x'] }, new Map())).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [
        { pointer: '/requestedProperties/1', code: 'UNKNOWN_PROPERTY' },
        { pointer: '/requestedProperties/2', code: 'UNKNOWN_PROPERTY' },
      ],
    });
  });
});

describe('temporal parameters', () => {
  it('are refused when they do not follow the specification', async () => {
    await expect(
      assemble({ additionalParams: { timestamp: 'now', 'timestamp-max': 'x' } }, new Map()),
    ).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/additionalParams/timestamp' }, { pointer: '/additionalParams/timestamp-max' }],
    });
  });

  it.each([
    [{}, [100, 200, 300, 400]],
    [{ 'timestamp-ascending': false, 'timestamp-max': 3 }, [400, 300, 200]],
  ])('search timestamps with one message for each record, and merge them by %j', async (more, timestamps) => {
    const answers = new Map<WorldAdaptor, Write>([
      [gold, () => ({ records: [], timestamps: [300, 100] })],
      [silver, answerWith(() => null, { timestamps: [200, 300, 400] })],
      [bronze, answerWith(() => ({ name: 'does not know the search' }))],
    ]);
    const assembled = await assemble({ additionalParams: { 'timestamp-search': true, ...more } }, answers);
    for (const uuid of [first, second]) {
      expect(recordOf(assembled, uuid)).toMatchObject({ data: {}, status: 'PREFERRED_COMPLETE', timestamps });
      expect(recordOf(assembled, uuid)?.adaptors.map(({ name }) => name)).toEqual(['gold', 'silver']);
    }
    expect(assembled.questions).toHaveLength(6);
    expect(assembled.questions.every(({ records }) => records.length === 1)).toBe(true);
  });
});
