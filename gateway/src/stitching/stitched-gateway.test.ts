import { ApolloGateway } from '@apollo/gateway';
import { stringifyJson } from '@fds/json';
import { describe, expect, it } from '@jest/globals';
import { parse, validate, type ExecutionResult } from 'graphql';
import { createInProcessDataSource } from '../data-sources/in-process-data-source.js';
import { sampleOperations, type SampleOperation } from '../testing/operations.js';
import { createSampleGateway, silent } from '../testing/sample-gateway.js';
import { contextOf, nothingPermitted, recordType, type SampleSubgraphs } from '../testing/sample-subgraphs.js';
import { composeSupergraph } from './compose-supergraph.js';

const customer = recordType('customer', 'invoice');
const invoice = recordType('invoice');

type Run = (operation: SampleOperation) => Promise<ExecutionResult>;

/** The stock gateway on everything composed, over the same subgraphs. */
const openStockGateway = async (subgraphs: SampleSubgraphs): Promise<{ run: Run; close: () => Promise<void> }> => {
  const names = new Set([customer.typeName, invoice.typeName]);
  const { types, queryFields } = subgraphs.records.registry.sdl(names, { type: '', queryField: '' });
  const recordsSdl = `${subgraphs.records.typeDefs}\n${types}\nextend type Query {\n${queryFields}\n}`;
  const gateway = new ApolloGateway({
    supergraphSdl: composeSupergraph(
      Object.values(subgraphs).map(({ name, typeDefs }) => ({
        name,
        typeDefs: name === 'records' ? recordsSdl : typeDefs,
      })),
    ),
    buildService: ({ name }) => createInProcessDataSource(subgraphs[name as keyof SampleSubgraphs], silent),
    logger: silent,
  });
  const { schema, executor } = await gateway.load();
  const run: Run = async ({ document: source, variables = {} }) => {
    const document = parse(source);
    expect(validate(schema, document)).toEqual([]);
    return executor({
      request: { query: source, variables },
      document,
      source,
      queryHash: source,
      operationName: null,
      context: contextOf(),
      schema,
      logger: silent,
      metrics: {},
    } as unknown as Parameters<typeof executor>[0]);
  };
  return { run, close: () => gateway.stop() };
};

/** What clients would see of a result. */
const visible = ({ data, errors }: ExecutionResult): string =>
  stringifyJson({
    data,
    errors: errors?.map(({ message, path, extensions }) => ({ message, path, extensions })),
  });

describe('the stitched gateway beside the stock one', () => {
  it('answers every operation alike', async () => {
    const { gateway, subgraphs, add } = createSampleGateway();
    add([customer, invoice]);
    const stock = await openStockGateway(subgraphs);
    for (const operation of sampleOperations) {
      const document = parse(operation.document);
      expect(validate(gateway.schema, document)).toEqual([]);
      const planned = gateway.plan({ document, source: operation.document, operationName: undefined });
      const answer = await gateway.run(planned, operation.variables ?? {}, contextOf());
      expect(answer.errors === undefined).toBe(!operation.about.includes('refus'));
      expect({ about: operation.about, answer: visible(answer) }).toEqual({
        about: operation.about,
        answer: visible(await stock.run(operation)),
      });
    }
    await stock.close();
  });
});

describe('record types at run time', () => {
  const query = '{ dr_customer_1 { data { name big } } }';

  it('are unknown before and queryable after they are published, with a thousand others live', async () => {
    const { executor, add } = createSampleGateway();
    add(Array.from({ length: 1000 }, (_, index) => recordType(`other${index}`, `other${(index * 7 + 1) % 1000}`)));
    const prepared = executor.prepare(query);
    expect((await prepared.execute({}, contextOf())).errors).toMatchObject([
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED', requestId: 'request-1' } },
    ]);
    add([customer]);
    expect(await prepared.execute({}, contextOf())).toMatchObject({
      data: { dr_customer_1: { data: [{ name: 'Ada', big: 9223372036854775807n }, { name: 'Bo' }] } },
    });
    expect(
      await executor.prepare('{ dr_other999_1 { data { related { name } } } }').execute({}, contextOf()),
    ).not.toHaveProperty('errors');
  });

  it('disturb no operation that was planned before', async () => {
    const { gateway, add, remove } = createSampleGateway();
    const operation = { document: parse(query), source: query, operationName: undefined };
    const other = recordType('other');
    add([customer]);
    const planned = gateway.plan(operation);
    const before = gateway.schema;
    add([other]);
    expect(gateway.schema).not.toBe(before);
    expect(gateway.plan(operation) === planned).toBe(true);
    remove(other.typeName);
    expect(gateway.plan(operation) === planned).toBe(true);
    expect(await gateway.run(planned, {}, contextOf())).toMatchObject({
      data: { dr_customer_1: { data: { length: 2 } } },
    });
  });

  it('run to their end although their type is hidden meanwhile', async () => {
    const { gateway, add } = createSampleGateway();
    add([customer]);
    const planned = gateway.plan({ document: parse(query), source: query, operationName: undefined });
    const running = gateway.run(planned, {}, contextOf());
    gateway.removeVersion(customer.typeName);
    gateway.publish();
    expect(await running).toMatchObject({ data: { dr_customer_1: { data: [{ name: 'Ada' }, { name: 'Bo' }] } } });
  });

  it('show what a changed version has, and no longer what it had', async () => {
    const { executor, add } = createSampleGateway();
    const lean = { ...customer, fields: customer.fields.filter(({ graphqlName }) => graphqlName !== 'big') };
    add([lean]);
    const narrow = executor.prepare('{ dr_customer_1 { data { name } } }');
    const wide = executor.prepare(query);
    expect(await narrow.execute({}, contextOf())).not.toHaveProperty('errors');
    expect(await wide.execute({}, contextOf())).toHaveProperty('errors');
    add([customer]);
    expect(await wide.execute({}, contextOf())).not.toHaveProperty('errors');
    expect(await narrow.execute({}, contextOf())).not.toHaveProperty('errors');
    add([lean]);
    expect(await wide.execute({}, contextOf())).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
  });

  it('gain a cross-reference when its target comes and lose it when it goes', async () => {
    const { executor, add, remove } = createSampleGateway();
    const document = '{ dr_customer_1 { data { related { name } } } }';
    const prepared = executor.prepare(document);
    add([customer]);
    expect(await prepared.execute({}, contextOf())).toHaveProperty('errors');
    add([invoice]);
    expect(await prepared.execute({}, contextOf())).not.toHaveProperty('errors');
    remove(invoice.typeName);
    expect(await prepared.execute({}, contextOf())).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
  });

  it('that clash with another are left out', () => {
    const { gateway } = createSampleGateway();
    gateway.putVersions([customer, { ...invoice, pageTypeName: customer.pageTypeName }]);
    gateway.publish();
    expect(gateway.schema.getType('dr_customer_1')).toBeDefined();
    expect(gateway.schema.getType('dr_invoice_1')).toBeUndefined();
  });
});

describe('introspection', () => {
  const names = '{ __schema { types { name } } customer: __type(name: "dr_customer_1") { name } }';
  const typesSeenBy = async (visibleTypes: () => 'ALL' | ReadonlySet<string>) => {
    const { executor, add } = createSampleGateway({ visibleTypes });
    add([customer, invoice]);
    const { data } = await executor.prepare(names).execute({}, contextOf());
    const { __schema: schema } = data as { __schema: { types: { name: string }[] } };
    return schema.types.map(({ name }) => name).filter((name) => /^dr_[a-z]+_1$/.test(name));
  };

  it('shows no record types to a caller who may not read records, unless told otherwise', async () => {
    const { executor, add } = createSampleGateway();
    add([customer]);
    const document = '{ __type(name: "dr_customer_1") { name } }';
    expect(await executor.prepare(document).execute({}, contextOf(nothingPermitted))).toEqual({
      data: { __type: null },
    });
    expect(await executor.prepare(document).execute({}, contextOf())).toEqual({
      data: { __type: { name: 'dr_customer_1' } },
    });
  });

  it('shows the record types that the caller may see', async () => {
    expect(await typesSeenBy(() => 'ALL')).toEqual(['dr_customer_1', 'dr_invoice_1']);
    expect(await typesSeenBy(() => new Set())).toEqual([]);
    expect(await typesSeenBy(() => new Set(['dr_customer_1']))).toEqual(['dr_customer_1']);
  });
});
