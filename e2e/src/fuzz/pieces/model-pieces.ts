import { ask, fill, type HostilePiece } from './hostile-piece.js';

const bytes = 990_000;

const quoted = (count: number, write: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => JSON.stringify(write(n))).join(',');

/** A pattern whose program is as large as is allowed. */
const largePattern = (n: number): string => `${n}[a-z]{200}[0-9]{150}x*`;

const wide = (count: number, schema: (n: number) => string): string =>
  `{"properties":{${Array.from({ length: count }, (_, n) => `"p${n}":${schema(n)}`).join(',')}}}`;

const nested = (depth: number, leaf: string): string =>
  depth === 0 ? leaf : `{"type":"object","properties":{"o":${nested(depth - 1, leaf)}}}`;

type Version = readonly [input: string, members: () => Readonly<Record<string, string>>];

const string = '{"type":"string"}';
const plain = `{"properties":{"p0":${string}}}`;

const versions: readonly Version[] = [
  ['999 large patterns', () => ({ modelSchema: wide(999, (n) => `{"type":"string","pattern":"${largePattern(n)}"}`) })],
  [
    '999 patterns of classes',
    () => ({ modelSchema: wide(999, (n) => `{"type":"string","pattern":"${`[^a-z${n}]`.repeat(45)}"}`) }),
  ],
  [
    '999 patterns of categories',
    () => ({
      modelSchema: wide(999, (n) => `{"type":"string","pattern":"${String.raw`\\p{Letter}`.repeat(30)}${n}"}`),
    }),
  ],
  [
    '999 patterns of foldings',
    () => ({ modelSchema: wide(999, (n) => `{"type":"string","pattern":"(?i)${`[a-z${n}]`.repeat(45)}"}`) }),
  ],
  [
    '999 patterns that are too large',
    () => ({ modelSchema: wide(999, (n) => `{"type":"string","pattern":"((a{100}){100}${n}){9}"}`) }),
  ],
  [
    '999 patterns that cannot be read',
    () => ({ modelSchema: wide(999, () => `{"type":"string","pattern":"${'('.repeat(900)}"}`) }),
  ],
  [
    '999 patterns with defaults',
    () => ({
      modelSchema: wide(
        999,
        (n) => `{"type":"string","pattern":"${largePattern(n)}|a","default":"${'a'.repeat(400)}"}`,
      ),
    }),
  ],
  ['999 properties', () => ({ modelSchema: wide(999, () => string) })],
  [
    '999 wrong properties',
    () => ({ modelSchema: wide(999, () => '{"type":"x","pattern":1,"enum":1,"minLength":-1}') }),
  ],
  ['properties over the limit', () => ({ modelSchema: `{"properties":{${fill(bytes, (n) => `"p${n}":{}`)}}}` })],
  ['999 cross-references', () => ({ modelSchema: wide(999, (n) => `{"$ref":"/domains/store:v1","query":"id:${n}"}`) })],
  [
    'long linking queries',
    () => ({
      modelSchema: wide(
        90,
        () =>
          `{"$ref":"/domains/store:v1","query":"${Array.from({ length: 499 }, () => 'id:a?')
            .join(' OR ')
            .slice(0, 9_000)}"}`,
      ),
    }),
  ],
  [
    'nested objects of wide objects',
    () => ({
      modelSchema: `{"properties":{"p0":${string},"q":${nested(29, wide(900, () => string).replace('{', '{"type":"object",'))}}}`,
    }),
  ],
  [
    'unknown keywords',
    () => ({ modelSchema: `{"properties":{"p0":{"type":"string",${fill(bytes, (n) => `"k${n}":1`)}}}}` }),
  ],
  [
    'unknown keywords at the top',
    () => ({ modelSchema: `{"properties":{"p0":${string}},${fill(bytes, (n) => `"k${n}":1`)}}` }),
  ],
  [
    'a long enum',
    () => ({ modelSchema: `{"properties":{"p0":{"type":"string","enum":[${fill(bytes, (n) => `"v${n}"`)}]}}}` }),
  ],
  [
    'a long enum with a pattern',
    () => ({
      modelSchema: `{"properties":{"p0":{"type":"string","pattern":"${largePattern(1)}|[a-z0-9]*","enum":[${fill(bytes, (n) => `"v${n}"`)}]}}}`,
    }),
  ],
  [
    'a wrong enum',
    () => ({ modelSchema: `{"properties":{"p0":{"type":"integer","enum":[${fill(bytes, () => '"v"')}]}}}` }),
  ],
  [
    'a long default',
    () => ({ modelSchema: `{"properties":{"p0":{"type":"string","default":"${'x'.repeat(bytes)}"}}}` }),
  ],
  ['a long name', () => ({ modelSchema: `{"properties":{"p0":${string},"${'x'.repeat(bytes)}":${string}}}` })],
  [
    'many required names',
    () => ({ modelSchema: `{"properties":{"p0":${string}},"required":[${fill(bytes, () => '"p1"')}]}` }),
  ],
  [
    'many groups',
    () => ({ modelSchema: `{"properties":{"p0":${string}},"propertyGroups":[${fill(bytes, () => '["p0"]')}]}` }),
  ],
  ['many key properties', () => ({ modelSchema: plain, drKeyProperties: `[${fill(bytes, () => '"p0"')}]` })],
  [
    'many unknown key properties',
    () => ({ modelSchema: plain, drKeyProperties: `[${fill(bytes, (n) => `"q${n}"`)}]` }),
  ],
  ['many search properties', () => ({ modelSchema: plain, searchProperties: `[${fill(bytes, () => '"p0"')}]` })],
  ['a long search property', () => ({ modelSchema: plain, searchProperties: `["${'p0.'.repeat(bytes / 3)}"]` })],
  [
    'many rules of matching',
    () => ({
      modelSchema: plain,
      matchingAlgorithm: `{"type":"SCORED","rules":[${fill(bytes, () => '{"all":[{"property":"p0","comparator":"EXACT"}]}')}],"thresholds":{"match":1,"review":1}}`,
    }),
  ],
  [
    'wrong rules of matching',
    () => ({
      modelSchema: plain,
      matchingAlgorithm: `{"type":"SCORED","rules":[${fill(bytes, () => '{}')}],"scores":[${quoted(9, String)}]}`,
    }),
  ],
  [
    'many comparisons in a rule',
    () => ({
      modelSchema: plain,
      matchingAlgorithm: `{"type":"RULES","rules":[{"all":[${fill(bytes, () => '{"property":"p0","comparator":"EXACT"}')}]}]}`,
    }),
  ],
];

/** Model schemas and matching algorithms, as bodies of domain versions that are only validated. */
export const modelPieces: readonly HostilePiece[] = versions.map(([input, members]) => ({
  door: 'POST /domains/{d}/versions',
  input,
  send: async ({ doors: { service, dgs }, store }) => {
    const body = Object.entries({ drKeyProperties: '["p0"]', ...members() }).map(([name, json]) => `"${name}":${json}`);
    await ask({
      url: `${service.baseUrl}/api/domains/${store.domainUuid}/versions?validate-only=true`,
      body: `{${body.join(',')}}`,
      headers: { authorization: `Bearer ${dgs.token ?? ''}` },
    });
  },
}));
