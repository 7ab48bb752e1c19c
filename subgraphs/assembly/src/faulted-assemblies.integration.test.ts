import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { casesOf, createRandom } from '@fds/testing';
import { randomCase } from './testing/faults/assembly-case.js';
import { openFaultStage, type FaultStage } from './testing/faults/fault-stage.js';
import { plantWorld } from './testing/faults/plant-world.js';
import { runCase, runProgressiveCase, type CaseOutcome } from './testing/faults/run-case.js';
import { randomWorld } from './testing/faults/world.js';

/** The cases of a run begin with seed FDS_TEST_ASSEMBLY_SEED. Each world has 20. */
const count = casesOf(100);
const firstSeed = Number(process.env['FDS_TEST_ASSEMBLY_SEED'] ?? 1);
const casesPerWorld = 20;

let database: TestDatabase;
let stage: FaultStage;
/** Statuses and outcomes that occurred in the cases of the run. */
const seen = new Map<string, number>();

beforeAll(async () => {
  database = await openTestDatabase();
  stage = openFaultStage(database);
});

afterAll(async () => {
  await stage.subgraph.close();
  await database.drop();
});

const note = ({ expected }: CaseOutcome): void => {
  const { records, completeness } = expected as {
    records: readonly { status: string }[];
    completeness: readonly { outcome: string }[];
  };
  const words = new Set([...records.map(({ status }) => status), ...completeness.map(({ outcome }) => outcome)]);
  for (const word of words) seen.set(word, (seen.get(word) ?? 0) + 1);
};

/** Runs all cases of the world with the seed. Every fourth one is a progressive answer. */
const runWorld = async (seed: number): Promise<void> => {
  const world = randomWorld(createRandom(seed));
  await plantWorld(database, world);
  for (let index = 0; index < casesPerWorld; index += 1) {
    const caseSeed = seed * casesPerWorld + index;
    const given = randomCase(createRandom(caseSeed), world);
    const run = index % 4 === 3 ? runProgressiveCase : runCase;
    const outcome = await run(stage, world, given, caseSeed);
    expect({ seed, index, ...(outcome.actual as object) }).toEqual({ seed, index, ...(outcome.expected as object) });
    note(outcome);
  }
};

describe('assemblies with faults', () => {
  it(`answer like a naive implementation of the specification: ${count} of them`, async () => {
    const startedAt = performance.now();
    for (let seed = firstSeed; seed < firstSeed + count / casesPerWorld; seed += 1) await runWorld(seed);
    const words = [
      'PREFERRED_COMPLETE',
      'PREFERRED_PARTIAL',
      'FALLBACK',
      'UNAVAILABLE',
      'ANSWERED',
      'LATE',
      'DOWN',
      'FAILED',
      'DENIED',
    ];
    // a run in which one of them never occurs does not prove enough
    expect([...seen.keys()].toSorted()).toEqual(words.toSorted());
    if (process.env['FDS_PRINT_FIGURES'] === 'true') {
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      process.stderr.write(`${count} cases in ${seconds} s; cases with: ${JSON.stringify(Object.fromEntries(seen))}\n`);
    }
  }, 3_600_000);
});
