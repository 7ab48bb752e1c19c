import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createPageReads } from './create-page-reads.js';

/** Pages 1 to 5. A read ends when the test answers it. */
const createWorld = () => {
  const answers = new Map<number, { resolve(): void; reject(error: unknown): void }>();
  const begun: number[] = [];
  let ahead = 2;
  const reads = createPageReads<number, string>({
    load: async (after) => Number(after ?? '0') + 1,
    lastOf: (page) => (page > 5 ? undefined : String(page)),
    read: (page) => {
      begun.push(page);
      return new Promise((resolve, reject) => answers.set(page, { resolve: () => resolve(`page ${page}`), reject }));
    },
    ahead: () => ahead,
  });
  return {
    reads,
    begun,
    setAhead: (next: number) => {
      ahead = next;
    },
    answer: async (page: number) => {
      answers.get(page)?.resolve();
      await turn();
    },
    refuse: (page: number) => answers.get(page)?.reject(new Error(`page ${page} is refused`)),
  };
};

describe('pages of a job', () => {
  it('are read ahead, at most so many, and handed out in their order', async () => {
    const { reads, begun, answer } = createWorld();
    const first = reads.next(null);
    await turn();
    expect(begun).toEqual([1, 2]);
    await answer(2);
    expect(begun).toEqual([1, 2]);
    await answer(1);
    expect(await first).toBe('page 1');
    await turn();
    expect(begun).toEqual([1, 2, 3]);
    expect(await reads.next('1')).toBe('page 2');
    await turn();
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it('end with the last one', async () => {
    const { reads, begun, answer } = createWorld();
    let place: string | null = null;
    for (let page = 1; page <= 6; page += 1) {
      const next = reads.next(place);
      await turn();
      await answer(page);
      expect(await next).toBe(`page ${page}`);
      place = String(page);
    }
    await turn();
    expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('are read one at a time while there is other traffic', async () => {
    const { reads, begun, answer, setAhead } = createWorld();
    setAhead(0);
    const first = reads.next(null);
    await turn();
    await answer(1);
    await first;
    await turn();
    expect(begun).toEqual([1]);
  });

  it('are read again after one was dropped, from another place, and after a failure', async () => {
    const { reads, begun, answer, refuse, setAhead } = createWorld();
    setAhead(1);
    const first = reads.next(null);
    await turn();
    await answer(1);
    await first;
    await turn();
    reads.drop();
    const again = reads.next('1');
    await turn();
    refuse(2);
    await expect(again).rejects.toThrow('page 2 is refused');
    void reads.next('3');
    await turn();
    expect(begun).toEqual([1, 2, 2, 4]);
  });

  it('settle when the reads that were dropped have ended too', async () => {
    const { reads, answer, refuse } = createWorld();
    const first = reads.next(null);
    await turn();
    await answer(1);
    await first;
    reads.drop();
    let isSettled = false;
    const settled = reads.settle().then(() => {
      isSettled = true;
    });
    await turn();
    expect(isSettled).toBe(false);
    await answer(2);
    refuse(3);
    await settled;
  });
});
