import { casesOf } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import type { MeshScenario } from '../../testing/mesh/mesh-scenario.js';
import { shrinkScenario } from '../../testing/mesh/shrink-scenario.js';
import { simulateMesh } from '../../testing/mesh/simulate-mesh.js';
import { randomWaitingScenario, type WaitingConnections } from '../../testing/mesh/waiting-scenario.js';

/** The meshes of a run begin with seed FDS_TEST_MESH_SEED. */
const count = casesOf(30);
const firstSeed = Number(process.env['FDS_TEST_MESH_SEED'] ?? 1);

/** A lost change is a fault only where no connection breaks (docs/decisions/0040-events-that-wait.md#meshes-in-which-events-wait). */
const faultsOf = (scenario: MeshScenario, connections: WaitingConnections) => {
  const { settled, lost, issues } = simulateMesh(scenario);
  return {
    settled,
    issues,
    faults: connections === 'STEADY' ? lost : lost.filter((fault) => fault.includes('differs')),
  };
};

describe.each([
  ['adaptors that state nothing', 'no accepted change is lost or undone', 'STEADY'],
  ['adaptors that state what they have seen and lose their connections', 'the adaptors agree', 'BREAKING'],
] as const)('random meshes in which events wait, of %s', (_adaptors, holds, connections) => {
  it(`settle every event, and ${holds}: ${count} of them`, () => {
    const fails = (scenario: MeshScenario): boolean => {
      const { settled, issues, faults } = faultsOf(scenario, connections);
      return !settled || faults.length > 0 || issues.length > 0;
    };
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      const scenario = randomWaitingScenario(seed, connections);
      if (!fails(scenario)) continue;
      const least = shrinkScenario(scenario, fails);
      expect({ seed, ...faultsOf(least, connections), scenario: least }).toEqual({
        settled: true,
        faults: [],
        issues: [],
      });
    }
  }, 600_000);
});

describe('meshes in which events wait and connections break', () => {
  it.each([
    ['a report is sent long after it was made, and many messages later', 181],
    ['a report of a whole row arrives ten seconds late', 305],
    ['a source repeats the older value that a confirmation wrote over its waiting change', 430],
    ['a correction leaves out a waiting value that only a confirmation had changed', 670],
  ])('lose no change: %s', (_reason, seed) => {
    expect(simulateMesh(randomWaitingScenario(seed, 'BREAKING'))).toMatchObject({
      settled: true,
      lost: [],
      issues: [],
    });
  });
});
