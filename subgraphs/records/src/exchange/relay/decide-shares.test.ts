import { describe, expect, it } from '@jest/globals';
import { decideShares } from './decide-shares.js';

const uuids = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/**
 * The processes decide one after another until nothing moves.
 *
 * @returns the number of rounds
 */
const settle = (held: Map<string, string[]>, free: string[], members: readonly string[]): number => {
  const adaptors = [...held.values()].flat().length + free.length;
  for (let round = 1; round < 20; round += 1) {
    let moved = false;
    for (const self of held.keys()) {
      const state = {
        adaptors,
        mine: held.get(self) ?? [],
        members: members.map((uuid) => ({ uuid, held: held.get(uuid)?.length ?? 0 })),
      };
      const { take, give } = decideShares(self, state);
      const taken = free.splice(0, take);
      held.get(self)?.push(...taken);
      for (const { to, adaptorUuids } of give) {
        held.set(
          self,
          (held.get(self) ?? []).filter((uuid) => !adaptorUuids.includes(uuid)),
        );
        held.get(to)?.push(...adaptorUuids);
      }
      moved ||= taken.length > 0 || give.length > 0;
    }
    if (!moved) return round;
  }
  return Infinity;
};

describe('decideShares', () => {
  it('takes everything that is free where no process shows itself', () => {
    expect(decideShares('a', { members: [], adaptors: 7, mine: [] })).toEqual({ take: 7, give: [] });
  });

  it('gives everything away when the process is not a member', () => {
    const state = { members: [{ uuid: 'b', held: 1 }], adaptors: 3, mine: ['x', 'y'] };
    expect(decideShares('a', state)).toEqual({ take: 0, give: [{ to: 'b', adaptorUuids: ['x', 'y'] }] });
  });

  it('makes the shares even after joins, ends and deaths', () => {
    for (const count of [0, 1, 2, 7, 200]) {
      for (const names of [['a'], ['a', 'b'], ['a', 'b', 'c', 'd', 'e']]) {
        // the first has everything, as before the others joined; a dead process left some
        const held = new Map(names.map((name) => [name, name === 'a' ? uuids(count, 'h') : []]));
        const rounds = settle(held, uuids(count, 'f'), names);
        const sizes = [...held.values()].map(({ length }) => length);
        expect([sizes.reduce((sum, size) => sum + size, 0), rounds]).toEqual([2 * count, expect.any(Number)]);
        expect(rounds).toBeLessThan(5);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }
    }
  });
});
