import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AssemblyLine } from '@fds/assembly-contract';
import { openReferenceWorld, type ReferenceWorld } from '../../testing/reference-world.js';

/** The first window has 100 records. */
const people = 120;
const firstWindow = 100;

let world: ReferenceWorld;

beforeAll(async () => {
  world = await openReferenceWorld();
});

afterAll(() => world.close());

it('lets the other windows continue while the references of one wait for an adaptor', async () => {
  const company = await world.addVersion('company', 'FEDERATED', { properties: { id: { type: 'integer' } } }, ['id']);
  const person = await world.addVersion(
    'person',
    'FEDERATED',
    {
      properties: {
        id: { type: 'integer' },
        note: { type: 'string' },
        employer: { $ref: '/domains/company:v1' },
      },
    },
    ['id'],
  );
  const [early, late] = [await world.addAdaptor('early', [person]), await world.addAdaptor('late', [person])];
  const silent = await world.addAdaptor('silent', [company]);
  const employer = { $ref: `/drs/${await world.addRecord(company, { id: 1 }, [silent])}` };
  for (let id = 0; id < people; id += 1) {
    const uuid = await world.addRecord(person, { id }, [early, late]);
    late.records.set(uuid, { id, note: 'late', ...(id < firstWindow ? { employer } : {}) });
  }
  late.manner = 100;
  silent.manner = 'SILENT';
  const request = {
    domain: 'person',
    size: 2_000,
    sort: 'id',
    goldAdaptors: [early.uuid],
    bronzeAdaptors: [late.uuid, silent.uuid],
    expandRefs: true,
    timeout: 1,
  };
  const lines: AssemblyLine[] = [];
  for await (const line of world.subgraph.assembler.assembleProgressively(request, world.principal)) lines.push(line);
  const changed = lines.flatMap((line) => ('patch' in line ? [line.index] : []));
  expect(new Set(changed).size).toBe(people);
  // the patches of the first window wait for the company until the time-out
  expect(changed.slice(0, people - firstWindow).every((index) => index >= firstWindow)).toBe(true);
}, 120_000);
