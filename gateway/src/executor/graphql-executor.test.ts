import { describe, expect, it } from '@jest/globals';
import { casesOf } from '@fds/testing';
import { AppError } from '@fds/errors';
import fc from 'fast-check';
import { getIntrospectionQuery } from 'graphql';
import { sampleOperations } from '../testing/operations.js';
import { createSampleGateway, silent } from '../testing/sample-gateway.js';
import { contextOf, nothingPermitted, recordType } from '../testing/sample-subgraphs.js';
import { defaultLimits } from '../limits/operation-limits.js';
import { createGraphqlExecutor } from './graphql-executor.js';

const sample = createSampleGateway();
sample.add([recordType('customer', 'customer')]);
const { executor } = sample;

const errorsOf = async (document: string, variables: Readonly<Record<string, unknown>> = {}) => {
  const { data, errors } = await executor.prepare(document).execute(variables, contextOf());
  return { data, errors: errors?.map(({ extensions }) => extensions) };
};

describe('mutations of one request', () => {
  const counted: number[] = [];
  const counting = createGraphqlExecutor({
    gateway: sample.gateway,
    countMutations: async (_context, further) => {
      counted.push(further);
      if (further > 2) throw new AppError('RATE_LIMITED', 'too many');
    },
    log: silent,
  });
  const run = async (document: string) => {
    counted.length = 0;
    const { errors } = await counting.prepare(document).execute({}, contextOf());
    return [counted, errors?.map(({ extensions }) => extensions?.code)];
  };
  const create = (alias: string): string => `${alias}: createZone(input: { name: "" }) { name }`;

  it('count each, with aliases and fragments', async () => {
    expect(await run(`mutation { ${create('a')} }`)).toEqual([[], ['VALIDATION_FAILED']]);
    expect(await run(`mutation { ${create('a')} ${create('b')} ${create('b')} }`)).toEqual([[1], expect.anything()]);
    const inFragments = `mutation { ...F ...F ... on Mutation { ${create('c')} } } fragment F on Mutation { ${create('a')} ${create('b')} }`;
    expect(await run(inFragments)).toEqual([[2], expect.anything()]);
  });

  it('run none when they exceed the rate', async () => {
    expect(await run(`mutation { ${['a', 'b', 'c', 'd'].map(create).join(' ')} }`)).toEqual([[3], ['RATE_LIMITED']]);
  });

  it('do not count queries', async () => {
    expect(await run('{ a: domains { page { page } } b: domains { page { page } } }')).toEqual([[], undefined]);
  });
});

describe('errors', () => {
  const requestId = 'request-1';

  it('that a resolver throws keep code, causes, message and path', async () => {
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

  it('that are unexpected do not reveal internals', async () => {
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

  it('never suggest names that the document does not contain', async () => {
    const { errors } = await executor.prepare('{ dr_customer_2 { page { page } } }').execute({}, contextOf());
    expect(JSON.stringify(errors)).not.toContain('dr_customer_1');
  });

  it('for a caller without the permission come from the subgraph', async () => {
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

  it('apply to depth', async () => {
    expect((await errorsOf(nested(15))).errors).toMatchObject([{ code: 'GRAPHQL_VALIDATION_FAILED' }]);
    expect(await errorsOf(nested(16))).toEqual(tooComplex);
  });

  it('apply to fields, counted with fragments expanded', async () => {
    const doubling = Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);
    expect(await errorsOf(`{ ...F0 } ${doubling.join(' ')} fragment F40 on Query { __typename }`)).toEqual(tooComplex);
    expect(await errorsOf(`{ ${'a '.repeat(1001)} }`)).toEqual(tooComplex);
    expect(await errorsOf(`{ ${'__typename '.repeat(100)} }`)).toEqual({ data: { __typename: 'Query' } });
  });

  it('apply to aliases', async () => {
    const aliased = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, n) => `a${n}: __typename`).join(' ')} }`;
    expect(await errorsOf(aliased(50))).not.toHaveProperty('errors.0');
    expect(await errorsOf(aliased(51))).toEqual(tooComplex);
  });

  it('also apply to circular fragments', async () => {
    expect((await errorsOf('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }')).errors).toMatchObject(
      [{ code: 'GRAPHQL_VALIDATION_FAILED' }],
    );
  });

  it('apply to the size of the answer, in which aliases repeat a value', async () => {
    let hits = 0;
    const narrow = createGraphqlExecutor({
      gateway: sample.gateway,
      maxAnswerCharacters: 600,
      onTooLarge: () => {
        hits += 1;
      },
      log: silent,
    });
    const ask = (aliases: number) =>
      narrow
        .prepare(`{ zones { data { ${Array.from({ length: aliases }, (_, n) => `alias${n}: uuid`).join(' ')} } } }`)
        .execute({}, contextOf());
    expect((await ask(1)).errors).toBeUndefined();
    expect(await ask(40)).toEqual({
      errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'QUERY_TOO_COMPLEX' }) })],
    });
    expect(hits).toBe(1);
  });

  it('apply to the cost, which includes the page sizes of literals, variables and defaults', async () => {
    const strict = createGraphqlExecutor({
      gateway: sample.gateway,
      limits: { ...defaultLimits, maxFields: 100, maxCost: 161 },
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
    // 1 + 5 * (1 + 1 + limit * 3); the default of limit is 10
    const related = (limit: string) => `{ dr_customer_1(size: 5) { data { related${limit} { id best { id } } } } }`;
    expect(await codesOf(related(''))).toBeUndefined();
    expect(await codesOf(related('(limit: 10)'))).toBeUndefined();
    expect(await codesOf(related('(limit: 11)'))).toEqual(refused);
    const limited = `query ($l: Int) ${related('(limit: $l)')}`;
    expect(await codesOf(limited)).toBeUndefined();
    expect(await codesOf(limited, { l: 11 })).toEqual(refused);
  });
});

describe('hostile documents', () => {
  const many = (count: number, write: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => write(n)).join(' ');
  const invalid = 'GRAPHQL_VALIDATION_FAILED';
  const complex = 'QUERY_TOO_COMPLEX';

  it.each([
    ['nested fields', `${'{a'.repeat(24_000)}${'}'.repeat(24_000)}`, complex],
    ['nested fields that do not end', '{a'.repeat(300_000), complex],
    ['nested lists', `{ zones(zoneName: ${'['.repeat(9000)}${']'.repeat(9000)}) { data { name } } }`, complex],
    ['nested objects', `{ assemble(request: ${'{a:'.repeat(9000)}1${'}'.repeat(9000)}) { response } }`, complex],
    ['nested types', `query ($a: ${'['.repeat(9000)}Int${']'.repeat(9000)}) { __typename }`, complex],
    ['nested inline fragments', `{ ${'... { '.repeat(5000)}__typename ${'} '.repeat(5000)} }`, complex],
    ['a chain of fragments', `{ ...F0 } ${many(5000, (n) => `fragment F${n} on Query { ...F${n + 1} }`)}`, complex],
    [
      'circles of fragments',
      `{ ...F0 } ${many(900, (n) => `fragment F${n} on Query { ...F${(n + 1) % 900} ...F${(n * 7) % 900} }`)}`,
      complex,
    ],
    ['a directive over and over', `{ __typename ${'@skip(if: false) '.repeat(1400)} }`, invalid],
    ['unknown directives', `{ __typename ${'@a '.repeat(4000)} }`, invalid],
    ['many variables', `query(${many(2400, (n) => `$v${n}: Int`)}) { __typename }`, invalid],
    ['many operations', many(5000, (n) => `query Q${n} { __typename }`), complex],
    ['many spreads', `{ ${'...F '.repeat(5000)} } fragment F on Query { __typename }`, complex],
    ['more tokens than fields could need', `{ __typename ${'@a '.repeat(15_000)} }`, complex],
    ['a schema in place of a query', 'type A { a: Int } '.repeat(100), invalid],
    ['a number without end', `{ domainVersions(versionNumber: ${'9'.repeat(100_000)}) { page { page } } }`, invalid],
    ['deferred parts', '{ ... @defer { __typename } }', invalid],
    [
      'introspection in circles',
      `{ __schema { types { ${'fields { type { '.repeat(5)} name ${'} }'.repeat(5)} } } }`,
      complex,
    ],
    ['a subscription', 'subscription { dataEvents { cursor } }', invalid],
    ['nothing', '', 'GRAPHQL_PARSE_FAILED'],
  ])('are refused with a code: %s', async (_, document, code) => {
    const started = process.cpuUsage();
    const { data, errors } = await errorsOf(document);
    expect(data).toBeUndefined();
    expect(new Set(errors?.map((error) => error?.['code']))).toEqual(new Set([code]));
    // measures processor time, so that other load of the machine does not count
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(1_000);
  });

  it.each([
    ['names of the language', '{ __proto__: __typename constructor: __typename }'],
    ['a long text', `{ domains(domainName: "${'{['.repeat(200_000)}") { page { page } } }`],
    ['comments and commas', `${'#'.repeat(100_000)}\n${','.repeat(100_000)}{ __typename }`],
  ])('are answered when they are valid: %s', async (_, document) => {
    expect((await errorsOf(document)).errors).toBeUndefined();
  });

  it('that are made at random of other documents get one of the documented codes, never an internal error', async () => {
    const documents = sampleOperations.map(({ document }) => document);
    const cut = fc.tuple(fc.constantFrom(...documents), fc.nat(200), fc.nat(200), fc.constantFrom(...documents));
    const glue = fc.constantFrom(
      '',
      ' ',
      '{',
      '}',
      '(',
      ')',
      '...',
      '@include(if: $i)',
      '$v',
      ': ',
      '"',
      '__typename',
      '\u0000',
    );
    await fc.assert(
      fc.asyncProperty(cut, glue, async ([one, end, start, other], between) => {
        const { errors } = await errorsOf(`${one.slice(0, end)}${between}${other.slice(start)}`);
        expect((errors ?? []).map((error) => error?.['code'])).not.toContain('INTERNAL');
      }),
      { numRuns: casesOf(150) },
    );
  });
});
