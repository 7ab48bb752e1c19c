import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject } from '@fds/json';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import { fastify, type FastifyInstance } from 'fastify';
import { createSampleGateway, silent } from '../testing/sample-gateway.js';
import { sampleAuthenticate } from '../testing/sample-subgraphs.js';
import { createGraphqlEndpoint } from './graphql-endpoint.js';

let app: FastifyInstance;
beforeAll(async () => {
  const { gateway, executor } = createSampleGateway();
  const { staticSchema } = gateway;
  const endpoint = await createGraphqlEndpoint({
    executor,
    staticSchema,
    authenticate: sampleAuthenticate,
    log: silent,
    maxBodyBytes: 10_000,
  });
  app = fastify();
  await app.register(endpoint.plugin);
  app.addHook('onClose', () => endpoint.close());
});
afterAll(() => app.close());

const absent = Symbol('absent');
/** Values that are not valid for a parameter, and some that are. */
const odd = [null, '', 1, true, [], {}, [1], { a: 1 }, '{', 'null', '[]', '1', '{}', '\u0000', '\ud800'];

/** Leaves a parameter out, or gives it one of the usual values (most often) or an odd value. */
const oneOf = (...usual: readonly unknown[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<unknown>(absent) },
    { weight: 6, arbitrary: fc.constantFrom(...usual) },
    { weight: 2, arbitrary: fc.constantFrom<unknown>(...odd) },
  );

const parameters = fc.record({
  query: oneOf('{ __typename }', '{ __typename }', 'query A { __typename } query B { __typename }', '{ nothing }', '{'),
  operationName: oneOf('', 'A', 'C', '__proto__'),
  variables: oneOf({}, { v: 1 }, '{"v": 1}'),
  extensions: oneOf({}, { persistedQuery: { version: 1, sha256Hash: 'x' } }, { persistedQuery: 1 }),
  unknown: oneOf(1),
});
const headers = fc.record({
  accept: fc.constantFrom(
    'application/json',
    'application/graphql-response+json',
    'application/json, text/*;q=0.1',
    'application/graphql-response+json, application/json;q=0.9',
    '*/*',
    'text/plain',
    'text/event-stream',
    'multipart/mixed',
    '',
    ';',
  ),
  host: fc.constantFrom('localhost', 'localhost:80', '', '%', 'a b', '[::1]:8080', '['),
  'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'application/graphql+json'),
});

const given = (record: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(record).filter(([, value]) => value !== absent);

const isAnswer = (text: string): boolean => {
  const body: unknown = JSON.parse(text);
  return isJsonObject(body) && ('data' in body || (Array.isArray(body['errors']) && body['errors'].length > 0));
};

describe('a request with any combination of the GraphQL parameters', () => {
  const runs = { numRuns: casesOf(700) };

  it('by POST gets an answer in GraphQL form, and never an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(
        parameters,
        headers,
        fc.constantFrom('object', 'object', 'object', 'list', 'text'),
        async (all, sent, shape) => {
          const object = Object.fromEntries(given(all));
          const payload = JSON.stringify(
            shape === 'object' ? object : shape === 'list' ? [object] : JSON.stringify(object),
          );
          const answer = await app.inject({
            method: 'POST',
            url: '/graphql',
            headers: { ...sent, authorization: 'Bearer good' },
            payload,
          });
          expect([200, 400, 406, 415]).toContain(answer.statusCode);
          expect(isAnswer(answer.body)).toBe(true);
        },
      ),
      runs,
    );
  }, 120_000);

  it('by GET gets an answer in GraphQL form, and never an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, headers, fc.boolean(), async (all, { accept, host }, repeats) => {
        const pairs = given(all).flatMap(([name, value]) => {
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          const pair = `${name}=${encodeURIComponent(text.replaceAll('\ud800', '\ufffd'))}`;
          return repeats ? [pair, pair] : [pair];
        });
        const answer = await app.inject({
          url: `/graphql?${pairs.join('&')}`,
          headers: { accept, host, authorization: 'Bearer good' },
        });
        expect([200, 400, 405, 406]).toContain(answer.statusCode);
        expect(isAnswer(answer.body)).toBe(true);
      }),
      runs,
    );
  }, 120_000);
});

describe('an empty operationName', () => {
  it.each([undefined, {}, null])('with extensions %j selects the only operation', async (extensions) => {
    for (const accept of ['application/json', 'application/graphql-response+json, application/json;q=0.9']) {
      const answer = await app.inject({
        method: 'POST',
        url: '/graphql',
        headers: { accept, authorization: 'Bearer good', 'content-type': 'application/json' },
        payload: JSON.stringify({ query: '{ __typename }', operationName: '', extensions }),
      });
      expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([200, { data: { __typename: 'Query' } }]);
      const search = new URLSearchParams({
        query: '{ __typename }',
        operationName: '',
        ...(extensions ? { extensions: JSON.stringify(extensions) } : {}),
      });
      const got = await app.inject({
        url: `/graphql?${search.toString()}`,
        headers: { accept, authorization: 'Bearer good' },
      });
      expect([got.statusCode, JSON.parse(got.body)]).toEqual([200, { data: { __typename: 'Query' } }]);
    }
  });
});

describe('a Host header', () => {
  it.each(['%', 'a b', '[', ':'])('%j is refused when the request goes through Apollo Server', async (host) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: {
        host,
        accept: 'a/b, */*;q=0.1',
        authorization: 'Bearer good',
        'content-type': 'application/json',
      },
      payload: '{"query": "{ __typename }"}',
    });
    expect([answer.statusCode, answer.body.includes('MALFORMED_REQUEST')]).toEqual([400, true]);
  });
});
