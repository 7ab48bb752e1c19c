import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { createSampleGateway } from '../testing/sample-gateway.js';
import { contextOf, recordType } from '../testing/sample-subgraphs.js';
import { documentBytes, fetchBytes, operationBytes } from './retained-bytes.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const heapBytes = async (): Promise<number> => {
  // the target of a weak reference is retained until the next turn of the event loop
  await new Promise((resolve) => setImmediate(resolve));
  for (let round = 0; round < 4; round += 1) collectGarbage();
  return process.memoryUsage().heapUsed;
};

const repeat = (times: number, part: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => part(index)).join(' ');

/** Documents of one shape that differ, by their number. */
const shapes: readonly (readonly [name: string, write: (n: number) => string])[] = [
  ['a page', (n) => `{ zones(size: ${(n % 900) + 1}) { data { uuid a${n}: name } } }`],
  ['records', (n) => `{ dr_customer_1 { data { id a${n}: name } } }`],
  ['a join', (n) => `{ adaptors { data { uuid a${n}: linkageCount zone { name } } } }`],
  ['many pages', (n) => `{ ${repeat(20, (i) => `a${n}x${i}: zones { data { uuid name } }`)} }`],
  ['a long text', (n) => `{ zones(zoneName: "${'x'.repeat(20_000)}${n}") { data { name } } }`],
  ['many operations', (n) => repeat(20, (i) => `query Q${i} { a${n}: zones { data { uuid } } }`)],
];

describe('the estimate of the bytes that a document retains', () => {
  it.each(shapes)('is near the heap: %s', async (_name, write) => {
    const { executor, add } = createSampleGateway();
    add([recordType('customer')]);
    const run = (source: string) =>
      executor.recall(source, source.includes('Q0') ? 'Q0' : undefined).execute({}, contextOf());
    const documents = 60;
    for (let n = 0; n < 20; n += 1) await run(write(100_000 + n));
    const before = await heapBytes();
    for (let n = 0; n < documents; n += 1) expect((await run(write(n))).errors).toBeUndefined();
    const measured = ((await heapBytes()) - before) / documents;
    const source = write(0);
    const document = parse(source);
    const estimated = documentBytes(source, document) + operationBytes(source, document) + fetchBytes(source, document);
    expect(measured).toBeLessThan(estimated * 1.5);
    expect(measured).toBeGreaterThan(estimated / 5);
  });
});

describe('the caches', () => {
  it('retain a bounded heap for any number of documents and record types', async () => {
    const cacheBytes = 2 ** 20;
    const { executor, add } = createSampleGateway({ cacheBytes });
    add(Array.from({ length: 40 }, (_, n) => recordType(`c${n}`)));
    const ask = async (from: number, to: number): Promise<void> => {
      for (let n = from; n < to; n += 1) {
        const documents = [
          `{ a${n}: zones { data { uuid name } } b${n}: adaptors { data { uuid zone { name } } } }`,
          `{ a${n}: dr_c${n % 40}_1 { data { id } } b${n}: dr_c${(n * 7) % 40}_1 { data { name } } }`,
          `{ nothing${n} }`,
          `{ ${'a '.repeat(1001)} b${n} }`,
        ];
        for (const document of documents) await executor.recall(document).execute({}, contextOf());
      }
    };
    await ask(0, 40);
    const before = await heapBytes();
    await ask(40, 80);
    // the caches are full: nothing more is retained
    expect((await heapBytes()) - before).toBeLessThan(4 * cacheBytes);
  }, 120_000);
});
