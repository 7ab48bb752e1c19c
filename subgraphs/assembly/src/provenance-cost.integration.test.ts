import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AssemblyResponse } from '@fds/assembly-contract';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { stringifyJson } from '@fds/json';
import { createRandom } from '@fds/testing';
import { answerMessage, type AskedQuestion } from './testing/faults/answer-writer.js';
import { plantWorld } from './testing/faults/plant-world.js';
import { callerOf, openFaultStage, type FaultStage } from './testing/faults/fault-stage.js';
import { propertyNames, type World } from './testing/faults/world.js';

const rounds = process.env['FDS_PRINT_FIGURES'] === 'true' ? 60 : 2;
const random = createRandom(7);
const zoneUuids = [random.uuid(), random.uuid(), random.uuid()] as const;
const adaptors = Array.from({ length: 5 }, (_, index) => ({
  uuid: random.uuid(),
  name: `adaptor ${index}`,
  zoneUuid: zoneUuids[0],
  isDown: false,
  preferred: 'GOLD' as const,
}));
const records = Array.from({ length: 100 }, (_, index) => ({ uuid: random.uuid(), key: index }));
const world: World = {
  zoneUuids,
  adaptors,
  records,
  domainUuid: random.uuid(),
  domain: 'person',
  versionUuid: random.uuid(),
  links: records.flatMap(({ uuid: recordUuid, key }) =>
    adaptors.map(({ uuid: adaptorUuid }) => ({ recordUuid, adaptorUuid, key, lastUpdated: 1000 })),
  ),
  groups: [],
  entries: [],
};
const values = {
  id: 1,
  name: 'Ada Lovelace',
  Phone: '555 0100',
  street: 'Storgata 1',
  city: 'Oslo',
  zip: 155,
  score: 0.5,
  active: true,
  address: { City: 'Oslo', geo: { lat: 59.9, lon: 10.7 } },
  tags: [{ label: 'a', weight: 1 }],
  constructor: 'x',
};

let database: TestDatabase;
let stage: FaultStage;

beforeAll(async () => {
  database = await openTestDatabase();
  await plantWorld(database, world);
  stage = openFaultStage(database);
  stage.answerAtOnce(({ adaptorUuid, requestUuid, records: asked }: AskedQuestion) =>
    answerMessage(adaptorUuid, random.uuid(), {
      requestUuid,
      part: 1,
      last: true,
      records: asked.map(({ drUuid, drKey }) => ({ drUuid, drKey, data: values })),
    }),
  );
});

afterAll(async () => {
  await stage.subgraph.close();
  await database.drop();
});

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

it('returns the same records with and without provenance, and prints time and size of both', async () => {
  const caller = callerOf(world, undefined);
  const run = async (provenance: boolean): Promise<[AssemblyResponse, number, number]> => {
    const startedAt = performance.now();
    const response = await stage.subgraph.assembler.assemble(
      { domain: world.domain, size: 100, options: { provenance } },
      caller,
    );
    const bytes = Buffer.byteLength(stringifyJson(response));
    return [response, performance.now() - startedAt, bytes];
  };
  const [plainMs, provenMs, ratios]: [number[], number[], number[]] = [[], [], []];
  let bytes = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [false, true] : [true, false];
    const measured = new Map<boolean, Awaited<ReturnType<typeof run>>>();
    for (const provenance of order) measured.set(provenance, await run(provenance));
    const [plain, proven] = [measured.get(false), measured.get(true)];
    if (plain === undefined || proven === undefined) throw new Error('not measured');
    const withoutProvenance = proven[0].assembledDataRecords.map(({ provenance: _provenance, ...record }) => record);
    expect(withoutProvenance).toEqual(plain[0].assembledDataRecords);
    expect(Object.keys(proven[0].assembledDataRecords[0]?.provenance ?? {})).toEqual(propertyNames);
    plainMs.push(plain[1]);
    provenMs.push(proven[1]);
    ratios.push(proven[1] / plain[1]);
    bytes = [plain[2], proven[2]];
  }
  if (process.env['FDS_PRINT_FIGURES'] === 'true') {
    const figures = { plainMs: median(plainMs), provenMs: median(provenMs), ratio: median(ratios), bytes };
    process.stderr.write(`provenance, 100 records x 5 adaptors, written as JSON: ${JSON.stringify(figures)}\n`);
  }
}, 120_000);
