import { describe, expect, it } from '@jest/globals';
import { validate, version } from 'uuid';
import { createUuids } from './create-uuids.js';

const timeOf = (uuid: string): number => Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);

describe('uuids', () => {
  it('are of version 7, carry the time, and rise within a millisecond and when the clock goes back', () => {
    let nowMs = 1_700_000_000_000;
    const newUuid = createUuids(() => nowMs);
    const made = Array.from({ length: 5000 }, (_, index) => {
      if (index === 2000) nowMs += 3;
      if (index === 4000) nowMs -= 1000;
      return newUuid();
    });
    expect(made.every((uuid) => validate(uuid) && version(uuid) === 7)).toBe(true);
    expect(new Set(made).size).toBe(5000);
    expect(made.toSorted()).toEqual(made);
    expect([made[0], made[1999], made[2000], made[4999]].map((uuid) => timeOf(uuid ?? ''))).toEqual([
      1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_003, 1_700_000_000_003,
    ]);
  });

  it('from several sources differ', () => {
    const sources = [createUuids(() => 1), createUuids(() => 1)];
    expect(new Set(sources.flatMap((newUuid) => Array.from({ length: 2000 }, newUuid))).size).toBe(4000);
  });
});
