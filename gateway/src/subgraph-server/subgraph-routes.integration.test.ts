import { AppError } from '@fds/errors';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { createGraphqlClient, type GraphqlClient } from '../data-sources/graphql-client.js';
import { silent } from '../testing/sample-gateway.js';
import { adaptorUuids, contextOf, createSampleSubgraphs, sampleAuthenticate } from '../testing/sample-subgraphs.js';
import { serveSubgraph, type ServedSubgraph } from '../testing/serve-subgraph.js';
import { defaultLimits } from '../limits/operation-limits.js';
import { createGatewayProofs, gatewayProofHeader } from './gateway-proof.js';
import { subgraphRoutes } from './subgraph-routes.js';

const key = Buffer.alloc(32, 'key');
const now = (): Date => new Date();
const proofs = createGatewayProofs(key, now);
const subgraph = createSampleSubgraphs().records;

/** Counts requests of callers. The third request of `hasty` in the test exceeds the limit. */
let hasty = 0;
const admit = async (header: string | undefined) => {
  if (header === 'Bearer hasty') {
    hasty += 1;
    if (hasty > 2) throw new AppError('RATE_LIMITED', 'more than 2 requests in a second');
    return sampleAuthenticate('Bearer good');
  }
  return sampleAuthenticate(header);
};

const logged: unknown[] = [];
const hits: string[] = [];
let app: FastifyInstance;
let served: ServedSubgraph;
let gateway: GraphqlClient;
beforeAll(async () => {
  const options = {
    subgraph,
    authenticate: sampleAuthenticate,
    admit,
    proofs,
    limits: { ...defaultLimits, maxCost: 2000 },
    onTooComplex: () => void hits.push('limits'),
    onWrongProof: () => void hits.push('proof'),
    log: { ...silent, error: (...entry: unknown[]) => void logged.push(entry) },
  };
  app = fastify();
  await app.register(subgraphRoutes(options));
  served = await serveSubgraph({ ...options, host: '127.0.0.1', port: 0 });
  gateway = createGraphqlClient({ url: served.url, proofs });
});
afterAll(async () => {
  await gateway.close();
  await served.close();
  await app.close();
});

const representations = [{ __typename: 'Adaptor', uuid: adaptorUuids[0] }];
const entities =
  'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Adaptor { linkageCount } } }';
const aliases = `{ ${Array.from({ length: 51 }, (_, i) => `a${i}: __typename`).join(' ')} }`;
const deep = `{ ${'dataRecords { '.repeat(16)} __typename ${' }'.repeat(16)} }`;

const post = async (query: string, headers: Readonly<Record<string, string>> = {}, variables = {}) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization: 'Bearer good', 'content-type': 'application/json', 'x-request-id': 'r', ...headers },
    payload: JSON.stringify({ query, variables }),
  });
  const body = answer.json<{ data?: unknown; errors?: { extensions: { code: string } }[] }>();
  return { status: answer.statusCode, data: body.data, code: body.errors?.[0]?.extensions.code };
};

describe('a part in a separate process', () => {
  it('resolves entities for the gateway, without the limits that the gateway applied', async () => {
    const context = { ...contextOf(), authorization: 'Bearer good' };
    expect(await gateway.send({ query: entities, variables: { representations } }, context)).toEqual({
      data: { _entities: [{ linkageCount: 9223372036854775807n }] },
    });
    expect((await gateway.send({ query: aliases }, context)).errors).toBeUndefined();
  });

  it.each([
    ['entities', entities, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'entities below an alias and a fragment',
      `{ ...F } fragment F on Query { x: _entities(representations: []) { __typename } }`,
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['the SDL', '{ _service { sdl } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['introspection', '{ __schema { queryType { fields { name } } } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['introspection of a type', '{ __type(name: "Query") { name } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['many aliases', aliases, 'QUERY_TOO_COMPLEX'],
    ['many levels', deep, 'QUERY_TOO_COMPLEX'],
    ['a page of a high cost', '{ dataRecords(size: 1000) { data { uuid } page { page } } }', 'QUERY_TOO_COMPLEX'],
    ['an unknown field', '{ dataRecords { nothing } }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('refuses %s for an outside caller', async (_what, query, code) => {
    expect(await post(query, {}, { representations })).toEqual({ status: expect.any(Number), data: undefined, code });
  });

  it('answers other operations of an outside caller, and limits their rate and size', async () => {
    expect(await post('{ dataRecords { page { page } } }')).toMatchObject({ status: 200, code: undefined });
    const headers = { authorization: 'Bearer hasty' };
    const answers = [await post('{ __typename }', headers), await post('{ __typename }', headers)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await post('{ __typename }', headers)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(await post(`{ __typename } # ${'x'.repeat(2 ** 20)}`)).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect((await post('{ __typename }', { authorization: '' })).code).toBe('UNAUTHENTICATED');
  });

  const request = { authorization: 'Bearer good', requestId: 'r' };
  const later = (ms: number) => createGatewayProofs(key, () => new Date(Date.now() + ms));
  it.each([
    ['of another key', createGatewayProofs(Buffer.alloc(32, 'other'), now).prove(request)],
    ['for another caller', proofs.prove({ ...request, authorization: 'Bearer poor' })],
    ['for another request', proofs.prove({ ...request, requestId: 's' })],
    ['of two minutes ago', later(-120_000).prove(request)],
    ['of a time to come', later(120_000).prove(request)],
    ['without a signature', `${Date.now()}.`],
    ['of no form', 'yes'],
    ['that is empty', ''],
  ])('refuses a proof %s', async (_what, proof) => {
    expect(await post('{ __typename }', { [gatewayProofHeader]: proof })).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('logs wrong proofs once, and counts each', async () => {
    const before = hits.length;
    for (let n = 0; n < 20; n += 1) await post('{ __typename }', { [gatewayProofHeader]: `wrong ${n}` });
    expect(hits.slice(before)).toEqual(Array.from({ length: 20 }, () => 'proof'));
    expect(logged).toHaveLength(1);
  });

  it('also requires a token from the gateway', async () => {
    const proof = proofs.prove({ authorization: undefined, requestId: 'r' });
    const { authorization: _none, ...headers } = { authorization: '', [gatewayProofHeader]: proof };
    const answer = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { ...headers, 'content-type': 'application/json', 'x-request-id': 'r' },
      payload: '{"query": "{ __typename }"}',
    });
    expect(answer.body).toContain('UNAUTHENTICATED');
  });
});
