import type { GraphQLDataSource } from '@apollo/gateway';
import type { RequestContext } from '@fds/graphql';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contextOf, createSampleSubgraphs, nothingPermitted, recordType } from '../testing/sample-subgraphs.js';
import type { SampleSubgraphs } from '../testing/sample-subgraphs.js';

/** A data source that reaches one of the sample subgraphs, with a function that closes it. */
export interface OpenedDataSource {
  readonly source: GraphQLDataSource;
  close(): Promise<void>;
}

/** The contract of every data source. */
export const describeDataSource = (
  name: string,
  open: (subgraphs: SampleSubgraphs, subgraph: keyof SampleSubgraphs) => Promise<OpenedDataSource>,
): void => {
  describe(`a data source, ${name}`, () => {
    const subgraphs = createSampleSubgraphs();
    const opened: Partial<Record<keyof SampleSubgraphs, OpenedDataSource>> = {};

    beforeAll(async () => {
      for (const subgraph of ['catalog', 'records'] as const) opened[subgraph] = await open(subgraphs, subgraph);
    });
    afterAll(async () => {
      for (const each of Object.values(opened)) await each.close();
    });

    const fetch = async (
      subgraph: 'catalog' | 'records',
      query: string,
      variables: Record<string, unknown> = {},
      context: RequestContext = { ...contextOf(), authorization: 'Bearer good' },
    ) => {
      const options = { request: { query, variables }, context, kind: 'incoming operation' };
      return opened[subgraph]?.source.process(options as unknown as Parameters<GraphQLDataSource['process']>[0]);
    };

    it('returns and accepts Long values with every digit', async () => {
      const query =
        'mutation ($v: Long, $m: Json) { createZone(input: { name: "a", changeVersion: $v }) { name changeVersion } createAdaptor(zoneUuid: "0190c000-0000-7000-8000-00000000000a", input: { metadata: $m }) { adaptor { metadata } } }';
      const variables = { v: 9223372036854775807n, m: { deep: [-9223372036854775808n] } };
      expect(await fetch('catalog', query, variables)).toEqual({
        data: {
          createZone: { name: 'a', changeVersion: 9223372036854775807n },
          createAdaptor: { adaptor: { metadata: '{"deep":[-9223372036854775808]}' } },
        },
      });
    });

    it('resolves entities', async () => {
      const representations = [
        { __typename: 'Adaptor', uuid: 'a' },
        { __typename: 'Adaptor', uuid: 'b' },
      ];
      const query =
        'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Adaptor { linkageCount } } }';
      expect(await fetch('records', query, { representations })).toEqual({
        data: { _entities: [{ linkageCount: 7 }, { linkageCount: 7 }] },
      });
    });

    it('returns errors with code, causes and path', async () => {
      expect(await fetch('catalog', 'mutation { createZone(input: { name: "" }) { name } }')).toEqual({
        data: null,
        errors: [
          {
            message: 'the zone is not valid',
            path: ['createZone'],
            extensions: {
              code: 'VALIDATION_FAILED',
              requestId: 'request-1',
              errors: [{ pointer: '/name', code: 'REQUIRED', detail: 'name is required' }],
            },
          },
        ],
      });
    });

    it('reveals no internals of a failure', async () => {
      const answer = await fetch('catalog', '{ domains(domainName: "broken") { page { page } } }');
      expect(answer).toMatchObject({ data: null, errors: [{ extensions: { code: 'INTERNAL' } }] });
      expect(JSON.stringify(answer)).not.toContain('secret');
    });

    it('acts as the caller of the operation', async () => {
      const context = { ...contextOf(nothingPermitted), authorization: 'Bearer poor' };
      const answer = await fetch(
        'catalog',
        '{ zone(zoneUuid: "0190c000-0000-7000-8000-00000000000a") { name } }',
        {},
        context,
      );
      expect(answer).toMatchObject({ data: null, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    });

    it('has a record type as soon as, and only as long as, the subgraph has it', async () => {
      const query = '{ dr_customer_1 { data { name } } }';
      expect(await fetch('records', query)).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
      subgraphs.records.registry.put(recordType('customer'));
      expect(await fetch('records', query)).toEqual({
        data: { dr_customer_1: { data: [{ name: 'Ada' }, { name: 'Bo' }] } },
      });
      subgraphs.records.registry.remove('dr_customer_1');
      expect(await fetch('records', query)).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
    });
  });
};
