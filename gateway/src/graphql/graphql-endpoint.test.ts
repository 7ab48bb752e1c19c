import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseJson } from '@fds/json';
import { fastify, type FastifyInstance, type InjectOptions } from 'fastify';
import { createSampleGateway, silent } from '../testing/sample-gateway.js';
import { allPermitted, contextOf, recordType, sampleAuthenticate } from '../testing/sample-subgraphs.js';
import { createGraphqlEndpoint } from './graphql-endpoint.js';

const { gateway, executor, add } = createSampleGateway();
const { staticSchema } = gateway;
let app: FastifyInstance;

beforeAll(async () => {
  add([recordType('customer')]);
  const authenticate = sampleAuthenticate;
  const endpoint = await createGraphqlEndpoint({
    executor,
    staticSchema,
    authenticate,
    log: silent,
    maxBodyBytes: 10_000,
  });
  app = fastify();
  await app.register(endpoint.plugin);
  app.addHook('onClose', () => endpoint.close());
});
afterAll(() => app.close());

const authorization = 'Bearer good';
const graphqlType = 'application/graphql-response+json';

const post = (payload: unknown, headers: InjectOptions['headers'] = {}) =>
  app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization, accept: graphqlType, 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });

const get = (parameters: Record<string, string>, headers: InjectOptions['headers'] = {}) =>
  app.inject({
    method: 'GET',
    url: `/graphql?${new URLSearchParams(parameters).toString()}`,
    headers: { authorization, accept: graphqlType, ...headers },
  });

describe('a GraphQL request', () => {
  it('is answered to POST and GET', async () => {
    const query = '{ adaptors { data { name linkageCount } } }';
    const posted = await post({ query });
    expect(posted.statusCode).toBe(200);
    expect(posted.headers['content-type']).toBe(`${graphqlType}; charset=utf-8`);
    expect(posted.json()).toMatchObject({ data: { adaptors: { data: [{ name: 'adaptor 0' }, { linkageCount: 7 }] } } });
    expect((await get({ query })).body).toBe(posted.body);
  });

  it('keeps every digit of integers in answers, variables and literals', async () => {
    const mutation = 'mutation ($v: Long) { createZone(input: { name: "a", changeVersion: $v }) { changeVersion } }';
    const variables = await post(`{"query": ${JSON.stringify(mutation)}, "variables": {"v": 9223372036854775807}}`);
    expect(variables.body).toContain('"changeVersion":9223372036854775807');
    const literal = await post({ query: mutation.replace('($v: Long)', '').replace('$v', '9007199254740993') });
    expect(literal.body).toContain('"changeVersion":9007199254740993');
    const typed = 'mutation { create_dr_customer_1(input: { id: 9223372036854775807 }) { json } }';
    expect((await post({ query: typed })).body).toContain('{\\"id\\":9223372036854775807}');
    const record = await post({ query: '{ dr_customer_1 { data { big _dr { drKey } } } }' });
    expect(record.body).toContain('"big":9223372036854775807');
    expect(record.body).toContain('{\\"id\\":9223372036854775807}');
  });

  it('sends and receives Long values as text when it asks for that', async () => {
    const query =
      '{ dr_customer_1 { data { id big ratio } page { totalElements } } adaptors { data { linkageCount } } }';
    const [row, other] = [
      { id: '1', big: '9223372036854775807', ratio: 0.5 },
      { id: '2', big: '-9223372036854775807' },
    ];
    for (const accept of [graphqlType, `${graphqlType}, text/*;q=0.1`]) {
      const answer = await post({ query }, { 'x-long-as': 'text', accept });
      expect(answer.json()).toMatchObject({
        data: {
          dr_customer_1: { data: [row, other], page: { totalElements: 2 } },
          adaptors: { data: [{ linkageCount: '9223372036854775807' }, { linkageCount: '7' }] },
        },
      });
      expect(answer.headers['vary']).toContain('x-long-as');
      // the same prepared operation still answers other requests with numbers
      expect((await post({ query }, { 'x-long-as': 'number', accept })).body).toContain('"big":9223372036854775807');
    }
    const mutation = 'mutation ($v: Long) { createZone(input: { name: "a", changeVersion: $v }) { changeVersion } }';
    const changed = await post({ query: mutation, variables: { v: '9007199254740993' } }, { 'x-long-as': 'text' });
    expect(changed.json()).toEqual({ data: { createZone: { changeVersion: '9007199254740993' } } });
    const refused = await post({ query }, { 'x-long-as': 'hex' });
    expect(refused.json()).toMatchObject({
      errors: [{ extensions: { code: 'INVALID_PARAMETER', errors: [{ pointer: 'x-long-as' }] } }],
    });
  });

  it('gets its id back', async () => {
    const answer = await post({ query: '{ zones' }, { 'x-request-id': 'abc-1' });
    expect(answer.headers['x-request-id']).toBe('abc-1');
    expect(answer.json()).toMatchObject({ errors: [{ extensions: { requestId: 'abc-1' } }] });
    const odd = await post({ query: '{ __typename }' }, { 'x-request-id': 'a b' });
    expect(odd.headers['x-request-id']).not.toBe('a b');
  });

  it('may select one of several operations', async () => {
    const query = 'query A { __typename } query B { caller { username } }';
    expect((await post({ query, operationName: 'B' })).json()).toEqual({ data: { caller: { username: 'dgs' } } });
    expect((await post({ query })).json()).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
  });

  it('cannot change anything by GET', async () => {
    const answer = await get({ query: 'mutation { createZone(input: { name: "a" }) { name } }' });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('POST');
  });
});

describe('the executor and Apollo Server', () => {
  /** A request with these headers goes through Apollo Server, but the result is the same. */
  const negotiated = new Map([
    ['application/json', 'application/json, text/*;q=0.1'],
    [graphqlType, `${graphqlType}, text/*;q=0.1`],
  ]);
  const big = '9223372036854775807';
  const create = 'mutation ($v: Long) { createZone(input: { name: "a", changeVersion: $v }) { changeVersion } }';

  it.each([
    ['{"query": "{ zones { data { name } page { totalElements } } }"}'],
    ['{"query": "{ adaptors { data { linkageCount } } }", "variables": null, "operationName": null}'],
    ['{"query": "query A { __typename } query B { caller { username } }", "operationName": "B"}'],
    ['{"query": "query A { __typename } query B { caller { username } }"}'],
    ['{"query": "query A { __typename }", "operationName": "C"}'],
    [`{"query": "${create}", "variables": {"v": ${big}}}`],
    [`{"query": "${create}", "variables": {"v": ${big}0}}`],
    ['{"query": "mutation { createZone(input: { name: \\"\\" }) { name } }"}'],
    ['{"query": "{ a: domains(domainName: \\"broken\\") { page { page } } zones { page { page } } }"}'],
    ['{"query": "{ dr_customer_1 { data { id big _dr { drKey } } } }"}'],
    ['{"query": "{ dr_nothing_1 { data { id } } }"}'],
    ['{"query": "{ nothing }"}'],
    ['{"query": "{ zones"}'],
    ['{"query": "subscription { a }"}'],
    ['{"query": "query ($z: Uuid!) { zone(zoneUuid: $z) { name } }"}'],
    ['{"query": "{ zones(size: 100000) { data { uuid } } }"}'],
    ['{"query": "{ __type(name: \\"dr_customer_1\\") { name } }"}'],
  ])('answer %s alike', async (body) => {
    for (const [accept, other] of negotiated) {
      const headers = { 'x-request-id': 'same' };
      const plain = await post(body, { ...headers, accept });
      const roundabout = await post(body, { ...headers, accept: other });
      const seen = ({ statusCode, headers: { 'content-type': type }, body: text }: typeof plain) => ({
        statusCode,
        type,
        answer: parseJson(text),
      });
      expect(seen(plain)).toEqual(seen(roundabout));
    }
  });

  it('keep the digits of variables that are sent by GET', async () => {
    const query = 'query ($v: Long) { domainVersions(versionNumber: $v) { page { totalElements } } }';
    expect((await get({ query, variables: `{"v": ${big}}` })).statusCode).toBe(200);
    const beyond = await get({ query, variables: `{"v": ${big}0}` });
    expect(beyond.statusCode).toBe(400);
    expect(beyond.body).toContain('INVALID_PARAMETER');
  });

  it('refuse a GET request that is not well-formed', async () => {
    const query = 'query ($v: Long) { __typename }';
    for (const variables of ['{', '1', '[]', '"a"']) {
      expect((await get({ query, variables })).statusCode).toBe(400);
    }
    expect(
      (await app.inject({ url: '/graphql?query=%7B__typename%7D&query=x', headers: { authorization } })).statusCode,
    ).toBe(400);
  });
});

describe('a refused request', () => {
  const codeOf = ({ json }: Awaited<ReturnType<typeof post>>): unknown => {
    const { errors } = json<{ errors: { extensions: { code: unknown } }[] }>();
    return errors[0]?.extensions.code;
  };

  it('without a token is 401, with a challenge, in GraphQL form', async () => {
    const missing = await post({ query: '{ __typename }' }, { authorization: '' });
    expect(missing.statusCode).toBe(401);
    expect(missing.headers['www-authenticate']).toBe('Bearer');
    expect(missing.headers['content-type']).toContain(graphqlType);
    expect(missing.json()).toEqual({
      errors: [
        {
          message: expect.any(String),
          extensions: { code: 'UNAUTHENTICATED', reason: 'missing', requestId: missing.headers['x-request-id'] },
        },
      ],
    });
    const bad = await post({ query: '{ __typename }' }, { authorization: 'Bearer bad', accept: 'application/json' });
    expect(bad.statusCode).toBe(401);
    expect(bad.headers['www-authenticate']).toContain('invalid_token');
    expect((await get({ query: '{ __typename }' }, { authorization: '' })).statusCode).toBe(401);
  });

  it.each([
    ['{"query": ', 400, 'MALFORMED_JSON'],
    ['', 400, 'MALFORMED_JSON'],
    ['{}', 400, 'VALIDATION_FAILED'],
    ['[]', 400, 'VALIDATION_FAILED'],
    ['{"query": 1}', 400, 'VALIDATION_FAILED'],
    ['{"query": "{ __typename }", "variables": 1}', 400, 'VALIDATION_FAILED'],
    ['{"query": "{ zones"}', 400, 'GRAPHQL_PARSE_FAILED'],
    ['{"query": "{ nothing }"}', 400, 'GRAPHQL_VALIDATION_FAILED'],
    ['{"query": "query ($z: Uuid!) { zone(zoneUuid: $z) { name } }"}', 400, 'INVALID_PARAMETER'],
    [`{"query": "${'{ a '.repeat(16)}${'}'.repeat(16)}"}`, 400, 'QUERY_TOO_COMPLEX'],
    ['{"query": "{ zones(size: 100000) { data { uuid } } }"}', 400, 'QUERY_TOO_COMPLEX'],
    [`{"query": "{ __typename }", "x": "${'x'.repeat(10_000)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
  ])('%s is %i %s', async (body, status, code) => {
    const answer = await post(body);
    expect({ status: answer.statusCode, code: codeOf(answer) }).toEqual({ status, code });
    expect(answer.json()).toMatchObject({ errors: [{ extensions: { requestId: answer.headers['x-request-id'] } }] });
    expect(answer.json()).not.toHaveProperty('data');
  });

  it('that is not UTF-8 is MALFORMED_JSON', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization, 'content-type': 'application/json' },
      payload: Buffer.concat([
        Buffer.from('{"query": "{ __typename }", "x": "'),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]),
    });
    expect({ status: answer.statusCode, code: codeOf(answer) }).toEqual({ status: 400, code: 'MALFORMED_JSON' });
  });

  it('with a faulty document is 200 for clients that only know application/json', async () => {
    const json = { accept: 'application/json' };
    expect((await post({ query: '{ nothing }' }, json)).statusCode).toBe(200);
    expect((await post({ query: '{ zones' }, json)).statusCode).toBe(200);
    expect((await post({}, json)).statusCode).toBe(400);
  });

  it('with text that cannot be stored is refused, in variables and literals', async () => {
    const query = 'query($name: String) { domains(domainName: $name) { page { page } } }';
    for (const payload of [
      { query, variables: { name: 'a\0b' } },
      { query, variables: { name: 'a\ud800b' } },
      { query: '{ domains(domainName: "a\\u0000b") { page { page } } }' },
    ]) {
      const { statusCode, body } = await post(JSON.stringify(payload));
      expect(statusCode).toBe(400);
      expect(body).toContain('INVALID_CHARACTER');
    }
  });

  it('with another method is 405, and names the allowed ones', async () => {
    const { statusCode, headers, body } = await app.inject({
      method: 'PUT',
      url: '/graphql',
      headers: { authorization },
    });
    expect([statusCode, headers['allow']]).toEqual([405, 'GET, POST']);
    expect(body).toContain('METHOD_NOT_ALLOWED');
  });

  it('with another media type is 415', async () => {
    const answer = await post('query=1', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(answer.statusCode).toBe(415);
    expect(codeOf(answer)).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it('does not reveal internals when the service fails', async () => {
    const answer = await post({ query: '{ domains(domainName: "broken") { page { page } } }' });
    expect(answer.statusCode).toBe(200);
    expect(codeOf(answer)).toBe('INTERNAL');
    expect(answer.body).not.toMatch(/secret|database\.ts|stack|serviceName/);
  });

  it('is 503 while no caller can be authenticated', async () => {
    const answer = await post({ query: '{ __typename }' }, { authorization: 'Bearer later' });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
  });
});

describe('endpoint and executor', () => {
  it.each([
    'mutation { createZone(input: { name: "" }) { name } }',
    '{ domains(domainName: "broken") { page { page } } }',
    '{ nothing }',
    '{ zones',
  ])('answer the errors of %s alike', async (query) => {
    const answer = await post({ query }, { 'x-request-id': 'request-1' });
    const { data, errors } = await executor.prepare(query).execute({}, contextOf(allPermitted));
    expect(answer.json()).toEqual(JSON.parse(JSON.stringify({ data, errors })));
  });
});

describe('GraphiQL', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', authorization: '' };

  it('is answered to browsers, and loads only files of this server', async () => {
    const page = await app.inject({ method: 'GET', url: '/graphql', headers: html });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    // the files of the sign-in are served with the documents
    const files = [...page.body.matchAll(/(?:src|href)="(\/graphql\/[^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files).toHaveLength(6);
    for (const file of files) {
      const asset = await app.inject({ method: 'GET', url: file });
      expect({ file, status: asset.statusCode, empty: asset.body === '' }).toEqual({ file, status: 200, empty: false });
    }
  });
});

it('an unforeseen failure to authenticate is logged and answered as INTERNAL', async () => {
  const answer = await post({ query: '{ __typename }' }, { authorization: 'Bearer broken' });
  expect(answer.statusCode).toBe(500);
  expect(answer.body).not.toContain('insides');
});
