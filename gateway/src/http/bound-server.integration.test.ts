import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from '@jest/globals';
import { createApplication } from '../composition/doors/application.js';
import { bindServer, type BoundServer } from './bound-server.js';

let bound: BoundServer | undefined;
afterEach(() => bound?.close());

it.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '],
  ['a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{'],
])('cuts off a client that takes too long to send %s', async (_, start) => {
  bound = await bindServer('127.0.0.1', 0, { headersMs: 100, requestMs: 200, checkMs: 50 });
  const settings = { trustedProxies: [], corsOrigins: [] };
  const { app, open } = createApplication(bound, { baseUrl: 'http://127.0.0.1', settings });
  app.post('/', async ({ body }) => body);
  await open();
  const socket = connect(bound.port, '127.0.0.1');
  socket.write(start);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"REQUEST_TIMEOUT"');
  await app.close();
});

it.each([
  ['/api/domains?size=1', 'application/problem+json; charset=utf-8', { code: 'UNAVAILABLE', instance: '/api/domains' }],
  ['/request', 'application/problem+json; charset=utf-8', { code: 'UNAVAILABLE', status: 503 }],
  [
    '/graphql',
    'application/json; charset=utf-8',
    { errors: [{ extensions: { code: 'UNAVAILABLE', requestId: 'r-1' } }] },
  ],
  ['/health', 'application/json', { status: 'DOWN' }],
])('answers %s with 503 in its own form before there is an application', async (path, type, body) => {
  bound = await bindServer('127.0.0.1', 0);
  const answer = await fetch(`http://127.0.0.1:${bound.port}${path}`, { headers: { 'x-request-id': 'r-1' } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, type]);
  expect([answer.headers.get('retry-after'), answer.headers.get('x-request-id')]).toEqual(['1', 'r-1']);
  expect(await answer.json()).toMatchObject(body);
});
