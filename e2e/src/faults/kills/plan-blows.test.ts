import { describe, expect, it } from '@jest/globals';
import { createRandom } from '@fds/testing';
import { crashPointNames } from '../crash-points/crash-points.js';
import { planBlows } from './plan-blows.js';

const plan = (seed: number, atCrashPoints: number) =>
  planBlows({
    kills: 200,
    kinds: ['SERVER', 'DATABASE'],
    atCrashPoints,
    disturbed: 0.5,
    random: createRandom(seed).next,
  });

describe('planBlows', () => {
  it('returns the same plan for the same seed, and different plans for different seeds', () => {
    expect(plan(1, 0.5)).toEqual(plan(1, 0.5));
    expect(plan(1, 0.5)).not.toEqual(plan(2, 0.5));
  });

  it('kills every process equally often', () => {
    const kinds = plan(3, 0).map(({ kill }) => kill.kind);
    expect(kinds.filter((kind) => kind === 'SERVER')).toHaveLength(100);
    expect(kinds.filter((kind) => kind === 'DATABASE')).toHaveLength(100);
  });

  it('includes every crash point, at an occurrence that the process reaches', () => {
    const points = plan(4, 1).flatMap(({ kill }) => (kill.kind === 'CRASH_POINT' ? [kill] : []));
    expect(new Set(points.map(({ point }) => point))).toEqual(new Set(crashPointNames));
    expect(points.every(({ time }) => time >= 1)).toBe(true);
  });
});
