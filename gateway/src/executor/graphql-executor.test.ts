import { describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { createSampleGateway, silent } from '../testing/sample-gateway.js';
import { contextOf, nothingPermitted, recordType } from '../testing/sample-subgraphs.js';
import { createGraphqlExecutor } from './graphql-executor.js';

const sample = createSampleGateway();
sample.add([recordType('customer')]);
const { executor } = sample;

const errorsOf = async (document: string, variables: Readonly<Record<string, unknown>> = {}) => {
  const { data, errors } = await executor.prepare(document).execute(variables, contextOf());
  return { data, errors: errors?.map(({ extensions }) => extensions) };
};

describe('errors', () => {
  const requestId = 'request-1';

  it('of a resolver keep code, causes, message and path', async () => {
    const answer = await executor
      .prepare('mutation { createZone(input: { name: "" }) { name } }')
      .execute({}, contextOf());
    expect(answer).toEqual({
      data: null,
      errors: [
        {
          message: 'the zone is not valid',
          path: ['createZone'],
          extensions: {
            code: 'VALIDATION_FAILED',
            requestId,
            errors: [{ pointer: '/name', code: 'REQUIRED', detail: 'name is required' }],
          },
        },
      ],
    });
  });

  it('that nobody foresaw say nothing of our insides', async () => {
    const answer = await executor
      .prepare('{ domains(domainName: "broken") { page { page } } }')
      .execute({}, contextOf());
    expect(answer).toEqual({
      data: null,
      errors: [{ message: 'The service failed', path: ['domains'], extensions: { code: 'INTERNAL', requestId } }],
    });
  });

  it.each([
    ['{ zones', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ adaptors(size: "many") { page { page } } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ zone(zoneUuid: "no uuid") { name } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query ($z: Uuid!) { zone(zoneUuid: $z) { name } }', 'INVALID_PARAMETER'],
  ])('of the document %s have the code %s', async (document, code) => {
    expect(await errorsOf(document)).toEqual({ data: undefined, errors: [{ code, requestId }] });
  });

  it('never suggest names that the caller did not write', async () => {
    const { errors } = await executor.prepare('{ dr_customer_2 { page { page } } }').execute({}, contextOf());
    expect(JSON.stringify(errors)).not.toContain('dr_customer_1');
  });

  it('of a caller without the permission come from the subgraph', async () => {
    const answer = await executor
      .prepare('query ($z: Uuid!) { zone(zoneUuid: $z) { name } }')
      .execute({ z: '0190c000-0000-7000-8000-00000000000a' }, contextOf(nothingPermitted));
    expect(answer).toMatchObject({ data: null, errors: [{ extensions: { code: 'FORBIDDEN', requestId } }] });
  });
});

describe('limits', () => {
  const tooComplex = { data: undefined, errors: [{ code: 'QUERY_TOO_COMPLEX', requestId: 'request-1' }] };
  const nested = (levels: number): string => '{ a '.repeat(levels) + '}'.repeat(levels);

  it('let the standard introspection query pass', async () => {
    for (const document of [
      getIntrospectionQuery(),
      getIntrospectionQuery({
        inputValueDeprecation: true,
        schemaDescription: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
      }),
    ]) {
      expect(await executor.prepare(document).execute({}, contextOf())).not.toHaveProperty('errors');
    }
  });

  it('hold for depth', async () => {
    expect((await errorsOf(nested(15))).errors).toMatchObject([{ code: 'GRAPHQL_VALIDATION_FAILED' }]);
    expect(await errorsOf(nested(16))).toEqual(tooComplex);
  });

  it('hold for fields, fragments expanded', async () => {
    const doubling = Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);
    expect(await errorsOf(`{ ...F0 } ${doubling.join(' ')} fragment F40 on Query { __typename }`)).toEqual(tooComplex);
    expect(await errorsOf(`{ ${'a '.repeat(1001)} }`)).toEqual(tooComplex);
    expect(await errorsOf(`{ ${'__typename '.repeat(500)} }`)).toEqual({ data: { __typename: 'Query' } });
  });

  it('hold for aliases', async () => {
    const aliased = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, n) => `a${n}: __typename`).join(' ')} }`;
    expect(await errorsOf(aliased(50))).not.toHaveProperty('errors.0');
    expect(await errorsOf(aliased(51))).toEqual(tooComplex);
  });

  it('hold for fragments in a circle', async () => {
    expect((await errorsOf('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }')).errors).toMatchObject(
      [{ code: 'GRAPHQL_VALIDATION_FAILED' }],
    );
  });

  it('hold for the cost, with the page sizes of literals, variables and defaults', async () => {
    const strict = createGraphqlExecutor({
      gateway: sample.gateway,
      limits: { maxDepth: 15, maxFields: 100, maxAliases: 50, maxCost: 161 },
      log: silent,
    });
    const codesOf = async (document: string, variables = {}) => {
      const { errors } = await strict.prepare(document).execute(variables, contextOf());
      return errors?.map(({ extensions }) => extensions?.code);
    };
    const refused = ['QUERY_TOO_COMPLEX'];
    const rows = '{ data { uuid name } }'; // 3 a row
    expect(await codesOf(`{ zones ${rows} }`)).toBeUndefined(); // 1 + 50 * 3
    expect(await codesOf(`{ zones(size: 53) ${rows} }`)).toBeUndefined();
    expect(await codesOf(`{ zones(size: 54) ${rows} }`)).toEqual(refused);
    const byVariable = `query ($s: Int) { zones(size: $s) ${rows} }`;
    expect(await codesOf(byVariable)).toBeUndefined();
    expect(await codesOf(byVariable, { s: 53 })).toBeUndefined();
    expect(await codesOf(byVariable, { s: 54 })).toEqual(refused);
    expect(await codesOf(`query ($s: Int = 54) { zones(size: $s) { ...R } } fragment R on Zones ${rows}`)).toEqual(
      refused,
    );
    expect(await codesOf(`{ dr_customer_1(size: 60) { data { id name } } }`)).toEqual(refused);
  });
});
