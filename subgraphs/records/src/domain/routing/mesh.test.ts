import { casesOf } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { randomComparingScenario } from '../../testing/mesh/comparing-scenario.js';
import { randomScenario, type MeshScenario, type MeshShares } from '../../testing/mesh/mesh-scenario.js';
import { shrinkScenario } from '../../testing/mesh/shrink-scenario.js';
import { simulateMesh } from '../../testing/mesh/simulate-mesh.js';

/**
 * The meshes of a run begin with seed FDS_TEST_MESH_SEED. FDS_TEST_MESH_DELETES is the share of deletions in half of
 * them, FDS_TEST_MESH_UP_LINKS the share of adaptors that report links on `up/link`, FDS_TEST_MESH_COMPARES the share of
 * those that write only new values and keep the values that they have not reported.
 */
const count = casesOf(60);
const firstSeed = Number(process.env['FDS_TEST_MESH_SEED'] ?? 1);
const shares: MeshShares = {
  deletes: Number(process.env['FDS_TEST_MESH_DELETES'] ?? 0.15),
  upLinks: Number(process.env['FDS_TEST_MESH_UP_LINKS'] ?? 0.2),
  compares: Number(process.env['FDS_TEST_MESH_COMPARES'] ?? 0.4),
};

const fails = (scenario: MeshScenario): boolean => {
  const { settled, differences } = simulateMesh(scenario);
  return !settled || differences.length > 0;
};

describe('meshes that differed or did not come to rest', () => {
  it.each([
    ['an adaptor that states nothing loses its connection again and again', 3629, 0.3],
    ['two zones hide properties from each other, and adaptors in both rewrite whole records', 3490, 0],
    ['a report of a link names a record that is gone, and another record has its key', 374, 0.3],
    ['a report of a deletion arrives after many messages that followed the deletion', 405, 0.3],
  ])('%s', (_reason, seed, deletes) => {
    expect(simulateMesh(randomScenario(seed, { deletes, upLinks: 0 }))).toMatchObject({
      settled: true,
      differences: [],
      issues: [],
    });
  });
});

describe('random meshes of adaptors that write only new values and keep values that they have not reported', () => {
  it(`come to rest, and each edit is in all systems, replaced by a user who saw it, or named in overrides: ${count} of them`, () => {
    const failsToName = (scenario: MeshScenario): boolean => {
      const { settled, differences, unnamed } = simulateMesh(scenario);
      return !settled || differences.length > 0 || unnamed.length > 0;
    };
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      const scenario = randomComparingScenario(seed);
      if (!failsToName(scenario)) continue;
      const least = shrinkScenario(scenario, failsToName);
      const { settled, differences, unnamed } = simulateMesh(least);
      expect({ seed, settled, differences, unnamed, scenario: least }).toEqual({ settled: true, differences: [] });
    }
  }, 600_000);
});

describe('random meshes of adaptors', () => {
  it(`come to rest and agree: ${count} of them`, () => {
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      const scenario = randomScenario(seed, shares);
      if (!fails(scenario)) continue;
      const least = shrinkScenario(scenario, fails);
      const { settled, differences, issues } = simulateMesh(least);
      expect({ seed, settled, differences, issues, scenario: least }).toEqual({ settled: true, differences: [] });
    }
  }, 600_000);
});
