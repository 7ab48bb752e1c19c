import { afterEach, expect, it } from '@jest/globals';
import { casesOf, createRandom } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { openCaseWorld } from './case-world.js';
import { planCase } from './plan-case.js';
import { runCases } from './run-cases.js';

const leftovers = createLeftovers();
afterEach(() => leftovers.dispose(), 60_000);

/** Cases of one service. A campaign starts a new service for each number of them. */
const casesOfWorld = 200;

it('compares random tables and makes them equal as a naive reading of the specification does', async () => {
  // a campaign may begin with another seed
  const first = Number(process.env['FDS_FIRST_SEED'] ?? 1);
  const seeds = Array.from({ length: casesOf(12) }, (_, index) => first + index);
  const faults: string[] = [];
  for (let at = 0; at < seeds.length; at += casesOfWorld) {
    const world = await openCaseWorld(leftovers);
    const cases = seeds.slice(at, at + casesOfWorld).map((seed) => planCase(createRandom(seed), seed));
    faults.push(...(await runCases(world, cases)));
    await leftovers.dispose();
  }
  expect(faults).toEqual([]);
}, 86_400_000);
