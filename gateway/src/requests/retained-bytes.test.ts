import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Measured, Measurement, Shape } from '../testing/measure-retained-heap.js';

let worker: Worker;
beforeAll(() => {
  worker = new Worker(new URL('../testing/measure-retained-heap.js', import.meta.url));
});
afterAll(() => worker.terminate());

/** Rejects when the worker fails. */
const measure = async (measurement: Measurement): Promise<Measured> => {
  worker.postMessage(measurement, []);
  const [measured] = (await once(worker, 'message')) as [Measured];
  return measured;
};

const shapes: readonly Shape[] = ['a page', 'records', 'a join', 'many pages', 'a long text', 'many operations'];

describe('the estimate of the bytes that a document retains', () => {
  it.each(shapes)('is near the measured heap: %s', async (shape) => {
    const { measured, estimated = 0 } = await measure({ shape });
    expect(measured).toBeLessThan(estimated * 1.5);
    expect(measured).toBeGreaterThan(estimated / 5);
  });
});

describe('the caches', () => {
  it('retain a bounded heap for any number of documents and record types', async () => {
    const cacheBytes = 2 ** 20;
    const { measured } = await measure({ cacheBytes });
    // the caches were full: nothing more is retained
    expect(measured).toBeLessThan(4 * cacheBytes);
  }, 120_000);
});
