import { describe, expect, it } from '@jest/globals';
import { batchLimits, createLanes, nextLimit, type LaneOptions } from './create-lanes.js';

/** A lane whose batches end when the test says so. */
const heldWork = () => {
  const begun: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const options: LaneOptions<string, string> = {
    bytesOf: (item) => item.length,
    work: (items) => {
      begun.push(items);
      return new Promise((resolve) => {
        ends.push(() => resolve({ results: items.map((value) => ({ status: 'fulfilled', value })) }));
      });
    },
  };
  return { begun, options, end: () => ends.shift()?.() };
};

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => String(index));
const open = (places: number) => createLanes({ places, nowMs: () => 0 });

describe('lanes', () => {
  it('begin a single item at once, and the next ones together', async () => {
    const { begun, options, end } = heldWork();
    const lane = open(1).lane(options);
    const all = ['a', 'b', 'c'].map((item) => lane.add(item));
    expect(begun).toEqual([['a']]);
    end();
    await settled();
    expect(begun).toEqual([['a'], ['b', 'c']]);
    end();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
  });

  it('limit a batch in items and bytes, and take an item that is larger alone', async () => {
    const { begun, options, end } = heldWork();
    const lane = open(1).lane(options);
    const large = 'x'.repeat(batchLimits.bytes);
    for (const item of ['first', ...numbered(batchLimits.items + 1), large, large]) void lane.add(item);
    for (let count = 0; count < 5; count += 1) {
      end();
      await settled();
    }
    expect(begun.map((items) => items.length)).toEqual([1, batchLimits.items, 1, 1, 1]);
  });

  it('make the next batch smaller after a slow one, and larger after a fast one', () => {
    expect(nextLimit(100, 100, 400)).toBe(25);
    expect(nextLimit(100, 10, 400)).toBe(2);
    expect(nextLimit(1, 1, 10_000)).toBe(1);
    expect(nextLimit(25, 25, 10)).toBe(50);
    expect(nextLimit(80, 80, 10)).toBe(100);
    expect(nextLimit(50, 10, 10)).toBe(50);
    expect(nextLimit(50, 50, 60)).toBe(50);
  });

  it('work on the table whose item came first, as many batches at the same time as there are places', async () => {
    const [one, other] = [heldWork(), heldWork()];
    const lanes = open(1);
    const [left, right] = [lanes.lane(one.options), lanes.lane(other.options)];
    for (const [lane, item] of [[left, 'a'] as const, [right, 'b'] as const, [left, 'c'] as const]) void lane.add(item);
    expect([one.begun, other.begun]).toEqual([[['a']], []]);
    one.end();
    await settled();
    expect([one.begun, other.begun]).toEqual([[['a']], [['b']]]);
    other.end();
    await settled();
    expect(one.begun).toEqual([['a'], ['c']]);
  });

  it('do not let a table that hangs stop another one', async () => {
    const [hanging, other] = [heldWork(), heldWork()];
    const lanes = open(1);
    void lanes.lane(hanging.options).add('a');
    const applied = lanes.lane({
      ...other.options,
      work: async (items) => ({ results: items.map((value) => ({ status: 'fulfilled', value })) }),
    });
    expect(await applied.add('b')).toBe('b');
    expect(hanging.begun).toEqual([['a']]);
  });

  it('do not make the next batch smaller after a refusal, which takes longer', async () => {
    let now = 0;
    const sizes: number[] = [];
    const lane = createLanes({ places: 1, nowMs: () => now }).lane<string, string>({
      bytesOf: () => 1,
      work: async (items) => {
        sizes.push(items.length);
        now += 3_000;
        return { results: items.map(() => ({ status: 'rejected', reason: new Error('locked') })) };
      },
    });
    await Promise.allSettled(numbered(50).map((item) => lane.add(item)));
    expect(sizes).toEqual([1, 49]);
  });

  it('reject the items that wait when a batch finds that the table has stopped, and try those that come later', async () => {
    const begun: number[] = [];
    const lane = open(1).lane<string, string>({
      bytesOf: () => 1,
      work: async (items) => {
        begun.push(items.length);
        const reason = new Error('away');
        const isAway = begun.length === 1;
        return isAway
          ? { results: items.map(() => ({ status: 'rejected', reason })), stopped: reason }
          : { results: items.map((value) => ({ status: 'fulfilled', value })) };
      },
    });
    const results = await Promise.allSettled(numbered(20).map((item) => lane.add(item)));
    expect(results.map((one) => one.status === 'rejected' && String(one.reason))).toEqual(
      Array(20).fill('Error: away'),
    );
    expect(await lane.add('later')).toBe('later');
    expect(begun).toEqual([1, 1]);
  });

  it('reject an item with its own reason', async () => {
    const lane = open(1).lane<string, string>({
      bytesOf: () => 1,
      work: async (items) => ({
        results: items.map((item) =>
          item === 'bad' ? { status: 'rejected', reason: new Error(item) } : { status: 'fulfilled', value: item },
        ),
      }),
    });
    const results = await Promise.allSettled(['good', 'bad', 'good'].map((item) => lane.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
