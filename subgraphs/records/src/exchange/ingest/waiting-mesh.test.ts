import { casesOf } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import type { MeshScenario } from '../../testing/mesh/mesh-scenario.js';
import { shrinkScenario } from '../../testing/mesh/shrink-scenario.js';
import { simulateMesh } from '../../testing/mesh/simulate-mesh.js';
import { randomWaitingScenario } from '../../testing/mesh/waiting-scenario.js';

/** The meshes of a run begin with seed FDS_TEST_MESH_SEED. */
const count = casesOf(30);
const firstSeed = Number(process.env['FDS_TEST_MESH_SEED'] ?? 1);

const fails = (scenario: MeshScenario): boolean => {
  const { settled, lost, issues } = simulateMesh(scenario);
  return !settled || lost.length > 0 || issues.length > 0;
};

describe('random meshes in which events wait, of adaptors that state nothing', () => {
  it(`settle every event, and no accepted change is lost or undone: ${count} of them`, () => {
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      const scenario = randomWaitingScenario(seed);
      if (!fails(scenario)) continue;
      const least = shrinkScenario(scenario, fails);
      const { settled, lost, issues } = simulateMesh(least);
      expect({ seed, settled, lost, issues, scenario: least }).toEqual({ settled: true, lost: [], issues: [] });
    }
  }, 600_000);
});
