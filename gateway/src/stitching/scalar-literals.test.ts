import { describe, expect, it } from '@jest/globals';
import { createSampleGateway } from '../testing/sample-gateway.js';
import { contextOf } from '../testing/sample-subgraphs.js';

const { executor } = createSampleGateway();

const run = (document: string, variables: Readonly<Record<string, unknown>> = {}) =>
  executor.prepare(document).execute(variables, contextOf());

const refused = { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] };

/** Literals, and the JSON text of each as a `Json!`; undefined when it is refused. */
const literals: readonly (readonly [literal: string, json: string | undefined])[] = [
  ['1', '1'],
  ['-0', '0'],
  ['9223372036854775807', '9223372036854775807'],
  ['1.5', '1.5'],
  ['2e3', '2000'],
  ['true', 'true'],
  ['null', undefined],
  ['RED', '"RED"'],
  ['"RED"', undefined],
  ['"{\\"a\\": [1]}"', '{"a":[1]}'],
  ['""', undefined],
  ['"""[1, "b"]"""', '[1,"b"]'],
  ['"2026-01-02T03:04:05Z"', undefined],
  ['"0190c000-0000-7000-8000-00000000000a"', undefined],
  ['[]', '[]'],
  ['[1, "1", RED, null, [true], {a: RED}]', '[1,"1","RED",null,[true],{"a":"RED"}]'],
  ['[[[]]]', '[[[]]]'],
  ['{}', '{}'],
  ['{a: RED, b: ["[1]", 2], c: {d: null}, type: true}', '{"a":"RED","b":["[1]",2],"c":{"d":null},"type":true}'],
  ['{a: 9223372036854775807, e: ENUM}', '{"a":9223372036854775807,"e":"ENUM"}'],
];

/** Places that can hold a `Json` literal. */
const places: readonly (readonly [place: string, document: (literal: string) => string])[] = [
  ['an input', (json) => `mutation { createDataRecord(input: { name: "customer", json: ${json} }) { json } }`],
  [
    'a default value',
    (json) => `mutation ($j: Json = ${json}) { createDataRecord(input: { name: "customer", json: $j }) { json } }`,
  ],
  [
    'the default value of an input',
    (json) =>
      `mutation ($i: DataRecordInput = {name: "customer", json: ${json}}) { createDataRecord(input: $i) { json } }`,
  ],
];

describe.each(places)('a Json literal in %s', (_place, document) => {
  it.each(literals)('%s is read as %s', async (literal, json) => {
    const answer = await run(document(literal));
    if (json === undefined) expect(answer).toMatchObject(refused);
    else expect(answer).toEqual({ data: { createDataRecord: { json } } });
  });
});

describe('a Json literal with variables', () => {
  it.each([
    ['{a: $v, b: RED, c: [$v, "[1]"]}', '{"a":7,"b":"RED","c":[7,"[1]"]}'],
    ['[$v, RED, "1", {a: $v}]', '[7,"RED","1",{"a":7}]'],
  ])('%s keeps every digit', async (literal, json) => {
    const document = `mutation ($v: Json!) { createDataRecord(input: { name: "customer", json: ${literal} }) { json } }`;
    expect(await run(document, { v: 7 })).toEqual({ data: { createDataRecord: { json } } });
  });

  it.each(['{a: $v, b: 9007199254740993}', '[$v, 9007199254740993]'])(
    '%s is refused, because its integer would be rounded',
    async (literal) => {
      const document = `mutation ($v: Json!) { createDataRecord(input: { name: "customer", json: ${literal} }) { json } }`;
      expect(await run(document, { v: 7 })).toMatchObject(refused);
    },
  );
});

describe.each<[scalar: string, document: (literal: string) => string, accepted: readonly string[]]>([
  [
    'Long',
    (literal) => `mutation { createZone(input: { name: "a", changeVersion: ${literal} }) { changeVersion } }`,
    ['1', '-0', '9223372036854775807', 'null'],
  ],
  [
    'Uuid',
    (literal) => `{ adaptors(zoneUuid: ${literal}) { page { page } } }`,
    ['null', '"0190c000-0000-7000-8000-00000000000a"'],
  ],
  ['String', (literal) => `{ domains(domainName: ${literal}) { page { page } } }`, ['null', '"', '"""']],
  ['Int', (literal) => `{ domains(size: ${literal}) { page { page } } }`, ['1', '-0', 'null']],
  ['Boolean', (literal) => `{ adaptors(includeInactive: ${literal}) { page { page } } }`, ['true', 'null']],
])('a literal of %s', (_scalar, document, accepted) => {
  it.each(literals)('%s is read or refused', async (literal) => {
    const isText = accepted.includes('"') && literal.startsWith('"');
    const answer = await run(document(literal));
    if (accepted.includes(literal) || isText) expect(answer.errors).toBeUndefined();
    else expect(answer).toMatchObject(refused);
  });
});
