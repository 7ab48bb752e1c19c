import { describe, expect, it } from '@jest/globals';
import { createSampleGateway } from '../testing/sample-gateway.js';
import { contextOf } from '../testing/sample-subgraphs.js';

const { executor } = createSampleGateway();

const run = (document: string, variables: Readonly<Record<string, unknown>> = {}) =>
  executor.prepare(document).execute(variables, contextOf());

const createZone = (argument: string): string =>
  `mutation { createZone(input: { name: "a", changeVersion: ${argument} }) { changeVersion } }`;
const createRecord = (json: string): string =>
  `mutation { createDataRecord(input: { name: "customer", json: ${json} }) { json } }`;

describe('integers beyond 2^53', () => {
  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '"9223372036854775807"'])(
    'are exact as the literal %s of a Long',
    async (literal) => {
      const { data } = await run(createZone(literal));
      expect(data).toEqual({ createZone: { changeVersion: BigInt(literal.replaceAll('"', '')) } });
    },
  );

  it.each([
    [
      '{a: 9223372036854775807, b: [1, 2.5, "x\\"", null, true]}',
      '{"a":9223372036854775807,"b":[1,2.5,"x\\"",null,true]}',
    ],
    ['[9223372036854775807]', '[9223372036854775807]'],
    ['"{\\"a\\": 9223372036854775807}"', '{"a":9223372036854775807}'],
    ['{a: 1}', '{"a":1}'],
  ])('are exact in the Json literal %s', async (literal, expected) => {
    expect(await run(createRecord(literal))).toEqual({ data: { createDataRecord: { json: expected } } });
  });

  it('are exact in variables and their defaults', async () => {
    const document =
      'mutation ($v: Long = 9223372036854775806) { createZone(input: { name: "a", changeVersion: $v }) { changeVersion } }';
    expect(await run(document)).toMatchObject({ data: { createZone: { changeVersion: 9223372036854775806n } } });
    expect(await run(document, { v: 9223372036854775805n })).toMatchObject({
      data: { createZone: { changeVersion: 9223372036854775805n } },
    });
  });

  it('are refused when they exceed 64 bits', async () => {
    expect(await run(createZone('9223372036854775808'))).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    expect(
      await run('mutation ($v: Long) { createZone(input: { name: "a", changeVersion: $v }) { changeVersion } }', {
        v: 2n ** 63n,
      }),
    ).toMatchObject({ errors: [{ extensions: { code: 'INVALID_PARAMETER' } }] });
  });
});
