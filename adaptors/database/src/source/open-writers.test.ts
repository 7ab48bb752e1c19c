import { describe, expect, it } from '@jest/globals';
import { createWriterWatch } from './open-writers.js';

const hidden = (id: string) => ({ id, startedAt: undefined });

describe('createWriterWatch', () => {
  it('is complete until the look without a writer', () => {
    expect(createWriterWatch().completeUntil([], 100n, 5n)).toBe(100n);
  });

  it('is complete until the start of the oldest writer, also of one that began before the last look', () => {
    const watch = createWriterWatch();
    expect(watch.completeUntil([], 100n, 5n)).toBe(100n);
    const writers = [
      { id: 'a', startedAt: 90n },
      { id: 'b', startedAt: 105n },
    ];
    expect(watch.completeUntil(writers, 110n, 5n)).toBe(90n);
    expect(watch.completeUntil([], 120n, 5n)).toBe(120n);
  });

  it('takes the last look without the writer for a start that is not visible', () => {
    const watch = createWriterWatch();
    expect(watch.completeUntil([hidden('a')], 100n, 5n)).toBe(5n);
    expect(watch.completeUntil([hidden('b')], 110n, 5n)).toBe(100n);
    expect(watch.completeUntil([hidden('b'), hidden('c')], 120n, 5n)).toBe(100n);
    expect(watch.completeUntil([hidden('c')], 130n, 5n)).toBe(110n);
  });
});
