import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { createApplication } from '../composition/doors/application.js';
import { createLog } from '@fds/service';
import { registerMetricsRoute } from './metrics-route.js';
import { AppError } from '@fds/errors';
import { bindServer, type BoundServer } from './bound-server.js';

let bound: BoundServer | undefined;
afterEach(() => bound?.close());

const log = createLog('silent');

it.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '],
  ['a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{'],
])('closes the connection of a client that takes too long to send %s', async (_, start) => {
  bound = await bindServer('127.0.0.1', 0, { headersMs: 100, requestMs: 200, checkMs: 50, idleMs: 1_000 });
  const settings = { trustedProxies: [], corsOrigins: [] };
  const { app, open } = createApplication(bound, { baseUrl: 'http://127.0.0.1', settings, metrics: noTraffic, log });
  app.post('/', async ({ body }) => body);
  await open();
  const socket = connect(bound.port, '127.0.0.1');
  socket.write(start);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"REQUEST_TIMEOUT"');
  await app.close();
});

const noTraffic = { countRequest: () => undefined };

it('keeps an idle connection open for longer than load balancers do, and announces the time', async () => {
  bound = await bindServer('127.0.0.1', 0);
  const { headers } = await fetch(`http://127.0.0.1:${bound.port}/health`);
  expect(headers.get('keep-alive')).toBe('timeout=75');
});

it('serves a later request on a connection that was idle for longer than headers may take', async () => {
  bound = await bindServer('127.0.0.1', 0, { headersMs: 100, requestMs: 200, checkMs: 20, idleMs: 5_000 });
  const socket = connect(bound.port, '127.0.0.1');
  const ask = async (): Promise<string> => {
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  };
  expect(await ask()).toMatch(/^HTTP\/1\.1 503 /);
  // longer than the time for headers, so that several checks for slow clients run
  await delay(300);
  expect(await ask()).toMatch(/^HTTP\/1\.1 503 /);
  socket.destroy();
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
])('answers %s with 503 in the form of the door before there is an application', async (path, type, body) => {
  bound = await bindServer('127.0.0.1', 0);
  const answer = await fetch(`http://127.0.0.1:${bound.port}${path}`, { headers: { 'x-request-id': 'r-1' } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, type]);
  expect([answer.headers.get('retry-after'), answer.headers.get('x-request-id')]).toEqual(['1', 'r-1']);
  expect(await answer.json()).toMatchObject(body);
});

it('ends connections after the answers in progress and after all later ones', async () => {
  bound = await bindServer('127.0.0.1', 0);
  const settings = { trustedProxies: [], corsOrigins: [] };
  const { app, open } = createApplication(bound, { baseUrl: 'http://127.0.0.1', settings, metrics: noTraffic, log });
  const asked = new EventEmitter();
  const reached = once(asked, 'slow');
  const released = once(asked, 'answer');
  app.get('/slow', async () => {
    asked.emit('slow');
    await released;
    return 'late';
  });
  app.get('/quick', async () => 'now');
  await open();
  const get = (path: string) => fetch(`http://127.0.0.1:${bound?.port}${path}`);
  expect((await get('/quick')).headers.get('connection')).toBe('keep-alive');
  const slow = get('/slow');
  await reached;
  bound.endConnections();
  const answers = [await get('/quick'), await get('/nowhere'), await get('/slow%')];
  asked.emit('answer');
  answers.push(await slow);
  expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
    [200, 'close'],
    [404, 'close'],
    [400, 'close'],
    [200, 'close'],
  ]);
  await app.close();
});

it('answers a path with a slash at its end as without it, and an error of any route with a problem', async () => {
  bound = await bindServer('127.0.0.1', 0);
  const settings = { trustedProxies: [], corsOrigins: [] };
  const { app, open } = createApplication(bound, { baseUrl: 'http://127.0.0.1', settings, metrics: noTraffic, log });
  app.get('/things', async ({ query }) => ({ query }));
  app.get('/things/:uuid', async ({ params }) => params);
  app.get('/', async () => 'start');
  const metrics = { contentType: 'text/plain', text: async () => 'up 1' };
  registerMetricsRoute(app, { metrics }, async () => {
    throw new AppError('UNAUTHENTICATED', 'the request has no token');
  });
  app.get('/broken', async () => {
    throw new Error('the reason stays inside');
  });
  await open();
  const base = `http://127.0.0.1:${bound.port}`;
  const textOf = async (path: string): Promise<string> => (await fetch(base + path)).text();
  expect(await textOf('/things/')).toBe('{"query":{}}');
  expect(await textOf('/things/?a=/b/')).toBe('{"query":{"a":"/b/"}}');
  expect(await textOf('/things/1/')).toBe('{"uuid":"1"}');
  expect(await textOf('/')).toBe('start');
  const refused = await fetch(`${base}/metrics/`, { headers: { 'x-real-ip': '10.0.0.1' } });
  expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'UNAUTHENTICATED' }]);
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
  const broken = await textOf('/broken');
  expect(JSON.parse(broken)).toMatchObject({ status: 500, code: 'INTERNAL' });
  expect(broken).not.toContain('inside');
  await app.close();
});
