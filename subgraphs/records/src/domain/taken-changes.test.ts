import { describe, expect, it } from '@jest/globals';
import { advanceTaken, isTaken, withTaken, type TakenChanges } from './taken-changes.js';

const at = (upTo: bigint): TakenChanges => ({ upTo, beyond: new Set() });

describe('taken changes', () => {
  it('are all up to a position, and those beyond that were looked up', () => {
    const taken = withTaken(at(4n), [7n]);
    expect([3n, 4n, 5n, 7n, 8n].filter((position) => isTaken(taken, position))).toEqual([3n, 4n, 7n]);
  });

  it('leave out what appears later below one that was looked up', () => {
    expect(isTaken(withTaken(at(4n), [6n]), 5n)).toBe(false);
  });

  it('keep those beyond the position of the reader', () => {
    expect(advanceTaken(withTaken(at(4n), [6n, 9n]), 7n)).toEqual({ upTo: 7n, beyond: new Set([9n]) });
  });

  it('never go back', () => {
    expect(advanceTaken(at(4n), 2n)).toEqual(at(4n));
  });
});
