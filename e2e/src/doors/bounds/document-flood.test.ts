import { expect, it } from '@jest/globals';
import { setUpDoors } from '../set-up-doors.js';

const smallDocuments = 1_250;
const largeDocuments = 250;
const senders = 8;
/** Without a limit of the caches, the documents would need more memory. */
const heapMib = 256;

const { doors } = setUpDoors({
  NODE_OPTIONS: `--max-old-space-size=${heapMib}`,
  FDS_GRAPHQL_PLANNING_SECONDS: '60',
});

const smallDocument = (n: number): string => `query Small${n} { zones(size: 1) { page { size } } }`;

/** About 900 fields, planned and not executed. */
const largeDocument = (n: number): string => {
  const version = 'uuid description versionNumber dateCreated lastUpdated changeVersion drKeyProperties modelSchema';
  const fields = `@include(if: $never) { page { page size totalElements totalPages } data { ${version} } }`;
  const aliases = Array.from({ length: 49 }, (_, alias) => `a${alias}: domainVersions(size: 1, page: ${n}) ${fields}`);
  return `query Large${n}($never: Boolean = false) { zones(size: 1) { page { size } } ${aliases.join(' ')} }`;
};

it('1500 distinct documents neither fill the heap nor delay another caller', async () => {
  const documents = Array.from({ length: smallDocuments + largeDocuments }, (_, n) =>
    n % 6 === 0 ? largeDocument(n) : smallDocument(n),
  );
  const state = { flooding: true };
  const faults: unknown[] = [];
  const flood = async (): Promise<void> => {
    for (let document = documents.pop(); document !== undefined; document = documents.pop()) {
      const { status, body } = await doors.dgs.graphql(document);
      if (status !== 200 || body.errors !== undefined) faults.push([status, body.errors]);
    }
  };
  const flooded = Promise.all(Array.from({ length: senders }, flood)).finally(() => {
    state.flooding = false;
  });
  const waitedMs: number[] = [];
  while (state.flooding) {
    const startedMs = performance.now();
    const { status, body } = await doors.admin.graphql('{ zones(size: 1) { page { size } } }');
    waitedMs.push(performance.now() - startedMs);
    expect([status, body.errors]).toEqual([200, undefined]);
  }
  await flooded;
  expect(faults).toEqual([]);
  expect(Math.max(...waitedMs)).toBeLessThan(2_000);
  expect((await doors.dgs.rest('GET', '/zones')).status).toBe(200);
}, 240_000);
