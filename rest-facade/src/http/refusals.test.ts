import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { authorization, openFacade } from '../testing/open-facade.js';

const uuid = '019a5d2e-0000-7000-8000-00000000000a';
const post = (payload: string, headers: Record<string, string> = {}): InjectOptions => ({
  method: 'POST',
  url: '/api/zones',
  payload,
  headers: { authorization, 'content-type': 'application/json', ...headers },
});
const get = (url: string, headers: Record<string, string> = {}): InjectOptions => ({
  url,
  headers: { authorization, ...headers },
});

describe('refusals', () => {
  let server: FastifyInstance;
  beforeAll(async () => {
    server = await openFacade(
      {
        zone: () => {
          throw new Error('relation "zone" does not exist');
        },
        domain: () => {
          throw new AppError('UNAVAILABLE', 'the database is not reachable');
        },
        patchZone: () => {
          throw new AppError('STALE_CHANGE_VERSION', 'changed since', { details: { currentChangeVersion: 7n } });
        },
      },
      [
        { action: 'ALL', resource: '/zones/*' },
        { action: 'GET', resource: '/domains/*' },
        { action: 'GET', resource: '/endpoints' },
      ],
    );
  });
  afterAll(() => server.close());

  const patch = { ...post('{"changeVersion":1}'), method: 'PATCH', url: `/api/zones/${uuid}` } as const;

  it.each<[name: string, request: InjectOptions, status: number, code: string, more: Record<string, unknown>]>([
    ['no token', { url: '/api/zones' }, 401, 'UNAUTHENTICATED', {}],
    ['a bad token', get('/api/zones', { authorization: 'Bearer x.y.z' }), 401, 'UNAUTHENTICATED', {}],
    ['a missing permission', get('/api/adaptor-types'), 403, 'FORBIDDEN', {}],
    ['an unknown path', get('/api/nothing'), 404, 'NOT_FOUND', { instance: '/api/nothing' }],
    ['a parameter of an endpoint without parameters', get('/api/endpoints?fields=path'), 400, 'INVALID_PARAMETER', {}],
    ['a path outside the API', { url: '/nothing?x=1' }, 404, 'NOT_FOUND', { instance: '/nothing' }],
    ['a query string that is not encoded', get('/api/zones?filters=name:%zz'), 400, 'INVALID_PARAMETER', {}],
    ['a parameter given twice', get('/api/zones?page=1&page=2'), 400, 'INVALID_PARAMETER', {}],
    ['an unknown content encoding', post('{}', { 'content-encoding': 'zstd' }), 415, 'UNSUPPORTED_MEDIA_TYPE', {}],
    ['a body that is not encoded as it says', post('{}', { 'content-encoding': 'gzip' }), 400, 'MALFORMED_JSON', {}],
    ['a method the path lacks', { method: 'PUT', url: '/api/zones' }, 405, 'METHOD_NOT_ALLOWED', {}],
    ['an unavailable media type', get('/api/zones', { accept: 'image/png' }), 406, 'NOT_ACCEPTABLE', {}],
    ['a body that is too large', post(`{"name":"${'x'.repeat(2000)}"}`), 413, 'PAYLOAD_TOO_LARGE', {}],
    ['a body of another type', post('<a/>', { 'content-type': 'text/xml' }), 415, 'UNSUPPORTED_MEDIA_TYPE', {}],
    [
      'a body in another encoding',
      post('{}', { 'content-type': 'application/json; charset=ISO-8859-1' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      {},
    ],
    ['malformed JSON', post('{"name":x}'), 400, 'MALFORMED_JSON', { position: 8 }],
    ['JSON that ends too soon', post('{"name":'), 400, 'MALFORMED_JSON', { position: 8 }],
    ['no body', { ...post(''), headers: { authorization } }, 400, 'VALIDATION_FAILED', {}],
    ['a body that is not an object', post('[]'), 400, 'VALIDATION_FAILED', {}],
    ['a stale change version', patch, 409, 'STALE_CHANGE_VERSION', { currentChangeVersion: 7 }],
    ['a failure inside', get(`/api/zones/${uuid}`), 500, 'INTERNAL', {}],
    ['a part that is not reachable', get(`/api/domains/${uuid}`), 503, 'UNAVAILABLE', {}],
  ])('%s is %s', async (_, request, status, code, more) => {
    const response = await server.inject(request);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    const problem: Record<string, unknown> = response.json();
    expect(problem).toMatchObject({ code, status, requestId: response.headers['x-request-id'], ...more });
    expect(response.body).not.toContain('relation');
  });

  it('contain headers that tell the client how to continue', async () => {
    const allowed = await server.inject({ method: 'PUT', url: '/api/zones' });
    expect(allowed.headers['allow']).toBe('GET, HEAD, POST, OPTIONS');
    const unauthenticated = await server.inject({ url: '/api/zones' });
    expect(unauthenticated.headers['www-authenticate']).toBe('Bearer realm="fds"');
    const unavailable = await server.inject(get(`/api/domains/${uuid}`));
    expect(unavailable.headers['retry-after']).toBe('5');
    const encoding = await server.inject(post('{}', { 'content-encoding': 'zstd' }));
    expect(encoding.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  it('do not apply to OPTIONS and HEAD', async () => {
    const options = await server.inject({ method: 'OPTIONS', url: `/api/zones/${uuid}` });
    expect([options.statusCode, options.headers['allow']]).toEqual([204, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS']);
    const head = await server.inject({ ...get('/api/openapi.json'), method: 'HEAD' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  it("contain the caller's request id", async () => {
    const response = await server.inject(get('/api/nothing', { 'x-request-id': 'mine-1' }));
    expect([response.headers['x-request-id'], response.json()]).toEqual([
      'mine-1',
      expect.objectContaining({ requestId: 'mine-1' }),
    ]);
  });
});
