import { ApolloGateway } from '@apollo/gateway';
import { stringifyJson } from '@fds/json';
import { describe, expect, it } from '@jest/globals';
import { parse, validate, type ExecutionResult } from 'graphql';
import { createInProcessDataSource } from '../data-sources/in-process-data-source.js';
import { sampleOperations, type SampleOperation } from '../testing/operations.js';
import { createSampleGateway, silent } from '../testing/sample-gateway.js';
import {
  allPermitted,
  contextOf,
  nothingPermitted,
  recordType,
  type SampleSubgraphs,
} from '../testing/sample-subgraphs.js';
import { composeSupergraph } from './compose-supergraph.js';

const customer = recordType('customer', 'invoice');
const invoice = recordType('invoice');

type Run = (operation: SampleOperation) => Promise<ExecutionResult>;

/** The stock gateway over the whole composition and the same subgraphs. */
const openStockGateway = async (subgraphs: SampleSubgraphs): Promise<{ run: Run; close: () => Promise<void> }> => {
  const names = new Set([customer.typeName, invoice.typeName]);
  const decoration = { type: '', enumValue: '', rootField: '' };
  const { types, queryFields, mutationFields } = subgraphs.records.registry.sdl(names, 'CHANGE', decoration);
  const recordsSdl = `${subgraphs.records.typeDefs}\n${types}\nextend type Query {\n${queryFields}\n}\nextend type Mutation {\n${mutationFields}\n}`;
  const gateway = new ApolloGateway({
    supergraphSdl: composeSupergraph(
      Object.values(subgraphs).map(({ name, typeDefs }) => ({
        name,
        typeDefs: name === 'records' ? recordsSdl : typeDefs,
      })),
    ).supergraph,
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

/** The part of a result that clients would see. */
const visible = ({ data, errors }: ExecutionResult): string =>
  stringifyJson({
    data,
    errors: errors?.map(({ message, path, extensions }) => ({ message, path, extensions })),
  });

describe('the stitched gateway and the stock one', () => {
  it('give every operation the same answer', async () => {
    const { gateway, subgraphs, add } = createSampleGateway();
    add([customer, invoice]);
    const stock = await openStockGateway(subgraphs);
    const lone: boolean[] = [];
    for (const operation of sampleOperations) {
      const document = parse(operation.document);
      const scope = gateway.scopeOf(document, allPermitted);
      expect(validate(scope.schema, document)).toEqual([]);
      const planned = (await gateway.planner()).plan({ ...scope, document, operationName: undefined });
      lone.push(planned.loneFetch !== undefined);
      const answer = await gateway.run(planned, operation.variables ?? {}, contextOf());
      expect(answer.errors === undefined).toBe(!operation.about.includes('refus'));
      expect({ about: operation.about, answer: visible(answer) }).toEqual({
        about: operation.about,
        answer: visible(await stock.run(operation)),
      });
    }
    // operations run both with and without a plan are compared with the stock gateway
    expect(lone.filter(Boolean).length).toBeGreaterThan(10);
    expect(lone.filter((each) => !each).length).toBeGreaterThan(10);
    await stock.close();
  });
});

const query = '{ dr_customer_1 { data { name big } } }';

describe('record types at run time', () => {
  it('are unknown before they are published and can be queried afterwards, with a thousand others live', async () => {
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

  it('do not affect an operation that was planned before', async () => {
    const { gateway, add, remove } = createSampleGateway();
    const document = parse(query);
    const other = recordType('other');
    add([customer]);
    const before = gateway.scopeOf(document, allPermitted);
    const planned = (await gateway.planner()).plan({ ...before, document, operationName: undefined });
    add([other]);
    expect(gateway.scopeOf(document, allPermitted).schema).toBe(before.schema);
    remove(other.typeName);
    expect(gateway.scopeOf(document, allPermitted).schema).toBe(before.schema);
    expect(await gateway.run(planned, {}, contextOf())).toMatchObject({
      data: { dr_customer_1: { data: { length: 2 } } },
    });
  });

  it('still complete running operations after the type is hidden', async () => {
    const { gateway, add } = createSampleGateway();
    const document = parse(query);
    add([customer]);
    const planned = (await gateway.planner()).plan({
      ...gateway.scopeOf(document, allPermitted),
      document,
      operationName: undefined,
    });
    const running = gateway.run(planned, {}, contextOf());
    gateway.removeVersion(customer.typeName);
    expect(await running).toMatchObject({ data: { dr_customer_1: { data: [{ name: 'Ada' }, { name: 'Bo' }] } } });
  });

  it('show the properties of a changed version, and no longer the old ones', async () => {
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

  it('gain a cross-reference when its target is published, and lose it when the target is removed', async () => {
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

  it('are left out when they clash with another', async () => {
    const { gateway, executor } = createSampleGateway();
    gateway.putVersions([customer, { ...invoice, pageTypeName: customer.pageTypeName }]);
    const document = '{ a: __type(name: "dr_customer_1") { name } b: __type(name: "dr_invoice_1") { name } }';
    expect(await executor.prepare(document).execute({}, contextOf())).toEqual({
      data: { a: { name: 'dr_customer_1' }, b: null },
    });
  });
});

interface Seen {
  readonly types: readonly { readonly name: string }[];
  readonly queryType: { readonly fields: readonly { readonly name: string }[] };
}

describe('the schema that a caller sees', () => {
  const sees = (...names: readonly string[]) => ({
    maySee: (_principal: unknown, { typeName }: { readonly typeName: string }) => names.includes(typeName),
  });
  const codeOf = { extensions: { code: 'GRAPHQL_VALIDATION_FAILED', requestId: 'request-1' } };

  it.each([[[]], [['dr_customer_1']], [['dr_customer_1', 'dr_invoice_1']]])('by introspection is %j', async (names) => {
    const { executor, add } = createSampleGateway(sees(...names));
    add([customer, invoice]);
    const document = '{ __schema { types { name } queryType { fields { name } } } }';
    const { data } = await executor.prepare(document).execute({}, contextOf());
    const { types, queryType } = (data as { __schema: Seen }).__schema;
    expect(types.map(({ name }) => name).filter((name) => /^dr_[a-z]+_1$/.test(name))).toEqual(names);
    expect(queryType.fields.map(({ name }) => name).filter((name) => name.startsWith('dr_'))).toEqual(names);
  });

  it('is the same for a hidden record type as for a missing one', async () => {
    const ask = async (known: boolean, document: string) => {
      const { executor, add } = createSampleGateway(sees('dr_customer_1'));
      add(known ? [customer, invoice] : [customer]);
      return executor.prepare(document).execute({}, contextOf());
    };
    for (const document of [
      '{ dr_invoice_1 { data { name } } }',
      '{ dr_invoice_1(colour: 1) { nothing } }',
      '{ dr_customer_1 { data { related { name } } } }',
      '{ dr_customer_1 { data { related(query: "id:1", limit: 1) { nothing } } } }',
      '{ dr_customer_1 { data { relatedNames } } }',
      '{ dr_customer_1 { data { best { name } } } }',
      '{ dr_customer_1 { data { tags { best { name } } } } }',
      '{ dr_customer_1 { ... on dr_invoice_1 { name } } }',
    ]) {
      const hidden = await ask(true, document);
      expect(hidden).toEqual(await ask(false, document));
      expect(hidden.errors).toMatchObject([codeOf]);
      expect(hidden).not.toHaveProperty('data');
    }
  });

  it('differs between callers of the same prepared operation', async () => {
    const { executor, add } = createSampleGateway();
    add([customer]);
    const operation = executor.prepare(query);
    expect(await operation.execute({}, contextOf())).not.toHaveProperty('errors');
    expect(await operation.execute({}, contextOf(nothingPermitted))).toMatchObject({ errors: [codeOf] });
    expect(await operation.execute({}, contextOf())).not.toHaveProperty('errors');
    expect(await operation.refusal(contextOf())).toBeUndefined();
    expect(await operation.refusal(contextOf(nothingPermitted))).toMatchObject([codeOf]);
  });
});
