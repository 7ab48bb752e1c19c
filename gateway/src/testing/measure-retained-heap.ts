// Runs as a worker thread: its heap contains nothing of other tests, and its garbage collection takes a few
// milliseconds. It measures one thing after the other, because loading the gateway takes seconds.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { parse } from 'graphql';
import { documentBytes, fetchBytes, operationBytes } from '../requests/retained-bytes.js';
import { createSampleGateway } from './sample-gateway.js';
import { contextOf, recordType } from './sample-subgraphs.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const heapBytes = async (): Promise<number> => {
  // the target of a weak reference stays in memory until the next turn of the event loop
  await new Promise((resolve) => setImmediate(resolve));
  for (let round = 0; round < 4; round += 1) collectGarbage();
  return process.memoryUsage().heapUsed;
};

const repeat = (times: number, part: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => part(index)).join(' ');

/** Creates different documents of one shape, by number. */
const shapes = {
  'a page': (n) => `{ zones(size: ${(n % 900) + 1}) { data { uuid a${n}: name } } }`,
  records: (n) => `{ dr_customer_1 { data { id a${n}: name } } }`,
  'a join': (n) => `{ adaptors { data { uuid a${n}: linkageCount zone { name } } } }`,
  'many pages': (n) => `{ ${repeat(20, (i) => `a${n}x${i}: zones { data { uuid name } }`)} }`,
  'a long text': (n) => `{ zones(zoneName: "${'x'.repeat(20_000)}${n}") { data { name } } }`,
  'many operations': (n) => repeat(20, (i) => `query Q${i} { a${n}: zones { data { uuid } } }`),
} as const satisfies Readonly<Record<string, (n: number) => string>>;

export type Shape = keyof typeof shapes;

/** What to measure: a document of a shape, or the caches with a limit in bytes. */
export type Measurement = { readonly shape: Shape } | { readonly cacheBytes: number };

/** Bytes of a document, or the bytes that the caches gained after they were full. */
export interface Measured {
  readonly measured: number;
  /** The estimate for a document. */
  readonly estimated?: number;
}

const measureDocument = async (write: (n: number) => string): Promise<Measured> => {
  const { executor, add } = createSampleGateway();
  add([recordType('customer')]);
  const run = async (source: string): Promise<void> => {
    const { errors } = await executor.recall(source, source.includes('Q0') ? 'Q0' : undefined).execute({}, contextOf());
    if (errors !== undefined) throw new Error(`${source}: ${errors.map(({ message }) => message).join()}`);
  };
  const documents = 60;
  for (let n = 0; n < 20; n += 1) await run(write(100_000 + n));
  const before = await heapBytes();
  for (let n = 0; n < documents; n += 1) await run(write(n));
  const measured = ((await heapBytes()) - before) / documents;
  const source = write(0);
  const document = parse(source);
  const estimated = documentBytes(source, document) + operationBytes(source, document) + fetchBytes(source, document);
  return { measured, estimated };
};

const measureCaches = async (cacheBytes: number): Promise<Measured> => {
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
  await ask(0, 20);
  const before = await heapBytes();
  await ask(20, 40);
  return { measured: (await heapBytes()) - before };
};

const measure = (measurement: Measurement): Promise<Measured> =>
  'shape' in measurement ? measureDocument(shapes[measurement.shape]) : measureCaches(measurement.cacheBytes);

parentPort?.on('message', (measurement: Measurement) => {
  void measure(measurement).then((measured) => parentPort?.postMessage(measured, []));
});
