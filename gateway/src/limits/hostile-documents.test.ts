import { describe, expect, it } from '@jest/globals';
import { createSampleGateway } from '../testing/sample-gateway.js';
import { contextOf, recordType } from '../testing/sample-subgraphs.js';

const repeat = (times: number, part: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => part(index)).join(' ');

const fragments = (times: number, selections: (index: number) => string): string =>
  repeat(times, (n) => `fragment F${n} on Query { ${selections(n)} }`);

const refused = 'QUERY_TOO_COMPLEX';
const invalid = 'GRAPHQL_VALIDATION_FAILED';

const zones = '{ data { uuid name } }';
const createAdaptor = (metadata: string): string =>
  `mutation { createAdaptor(input: { name: "x", metadata: ${metadata} }) { clientId } }`;

/**
 * Documents that are small to send, and large to parse, validate, plan or answer. Each has the expected code of its
 * answer.
 */
const hostile: readonly (readonly [name: string, code: string | undefined, document: string])[] = [
  ['aliases of a page', undefined, `{ ${repeat(50, (n) => `a${n}: zones ${zones}`)} }`],
  ['aliases of joins', undefined, `{ ${repeat(49, (n) => `a${n}: adaptors { data { uuid linkageCount } }`)} }`],
  [
    'aliases of changes',
    undefined,
    `mutation { ${repeat(49, (n) => `a${n}: createZone(input: { name: "x" }) { name }`)} }`,
  ],
  [
    'aliased introspection',
    refused,
    `{ ${repeat(50, (n) => `a${n}: __schema { types { name fields { name args { name type { name } } } } }`)} }`,
  ],
  [
    'aliases within introspection',
    refused,
    `{ __schema { ${repeat(50, (n) => `a${n}: types { name fields { name args { name } } }`)} } }`,
  ],
  [
    'introspection by fragments',
    refused,
    `{ ${repeat(40, (n) => `a${n}: __schema { ...S }`)} } fragment S on __Schema { types { ...T } } fragment T on __Type { fields { name args { name type { name } } } }`,
  ],
  ['deep introspection', invalid, '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'],
  [
    'chained fragments',
    refused,
    `{ ...F0 } ${fragments(900, (n) => `...F${n + 1}`)} fragment F900 on Query { __typename }`,
  ],
  [
    'a chain below the limit',
    undefined,
    `{ ...F0 } ${fragments(98, (n) => `...F${n + 1}`)} fragment F98 on Query { __typename }`,
  ],
  [
    'a chain of deep fragments',
    refused,
    `{ ...F0 } ${fragments(25, (n) => `${'... { '.repeat(100)} ...F${n + 1} ${'} '.repeat(100)}`)} fragment F25 on Query { __typename }`,
  ],
  ['a circle of fragments', refused, `{ ...F0 } ${fragments(900, (n) => `...F${(n + 1) % 900}`)}`],
  ['a small circle', invalid, '{ zones { data { ...F } } } fragment F on Zone { name ...F }'],
  ['fragments all in all', refused, `{ ...F0 } ${fragments(90, () => repeat(90, (n) => `...F${n}`))}`],
  [
    'fragments in one place',
    refused,
    `{ ${repeat(99, (n) => `...F${n}`)} } ${fragments(99, () => repeat(9, () => 'zones { page { page } }'))}`,
  ],
  ['fragments that nothing uses', refused, `{ __typename } ${fragments(90, () => repeat(50, () => '__typename'))}`],
  ['a repeated field', undefined, `{ ${repeat(999, () => '__typename')} }`],
  ['repeated pages', undefined, `{ ${repeat(330, () => 'zones { data { name } }')} }`],
  ['repeats within repeats', undefined, `{ ${repeat(30, () => `zones { ${repeat(15, () => 'data { uuid }')} }`)} }`],
  ['repeated inline fragments', undefined, `{ ${repeat(900, () => '... @include(if: true) { __typename }')} }`],
  [
    'repeats in several spellings',
    refused,
    `{ ${repeat(330, (n) => `zones(size:${' '.repeat(n)}1) { data { name } }`)} }`,
  ],
  ['leaves in several spellings', refused, `{ ${repeat(990, (n) => `__typename @include(if:${' '.repeat(n)}true)`)} }`],
  ['nested inline fragments', undefined, `{ ${'... { '.repeat(190)} __typename ${'} '.repeat(190)} }`],
  ['directives', refused, `{ __typename ${repeat(6_000, () => '@include(if: true)')} }`],
  [
    'conditions',
    'INVALID_PARAMETER',
    `query (${repeat(12, (n) => `$v${n}: Boolean!`)}) { ${repeat(80, (n) => `... @include(if: $v${n % 12}) { zones { data { name } } }`)} }`,
  ],
  ['variables', refused, `query (${repeat(4_000, (n) => `$v${n}: Int`)}) { __typename }`],
  ['variables below the limit', invalid, `query (${repeat(2_400, (n) => `$v${n}: Int`)}) { __typename }`],
  ['one variable over and over', invalid, `query (${repeat(2_400, () => '$v: Int')}) { __typename }`],
  ['a huge list', refused, createAdaptor(`[${repeat(19_000, () => '1')}]`)],
  ['a list below the limit', invalid, createAdaptor(`[${repeat(9_900, () => '1')}]`)],
  ['an object', invalid, createAdaptor(`{ ${repeat(3_000, (n) => `k${n}: 1`)} }`)],
  ['a long string', invalid, createAdaptor(`"${'x'.repeat(1_000_000)}"`)],
  ['escapes', invalid, createAdaptor(`"${'\\u0041'.repeat(160_000)}"`)],
  ['a block string', refused, createAdaptor(`"""${'\n x'.repeat(300_000)}"""`)],
  ['comments', refused, `{ __typename } ${'#x\n'.repeat(330_000)}`],
  ['operations', refused, repeat(900, (n) => `query Q${n} { __typename }`)],
  ['operations below the limit', invalid, repeat(100, (n) => `query Q${n} { zones ${zones} }`)],
  ['one argument over and over', invalid, `{ zones(${repeat(3_000, () => 'size: 1')}) { data { name } } }`],
  ['unknown fields', invalid, `{ ${repeat(990, (n) => `f${n}`)} }`],
  ['unknown types', invalid, `query (${repeat(2_400, (n) => `$v${n}: T${n}`)}) { __typename }`],
];

/** Milliseconds of processor time that a document may take on a busy machine. */
const maxMs = 250;

describe('a hostile document', () => {
  const { executor, add } = createSampleGateway();
  add([recordType('customer', 'customer')]);

  it.each(hostile)('%s is refused or answered quickly', async (_name, code, document) => {
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const before = process.cpuUsage();
      // another text in each round, so that it is not cached
      const { errors } = await executor.recall(`${document}\n# ${round}`).execute({}, contextOf());
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
      expect(errors?.[0]?.extensions?.code).toBe(code);
    }
    expect(Math.min(...times)).toBeLessThan(maxMs);
  });
});
