import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from '@jest/globals';
import { createApplication } from './application.js';
import { bindServer, type BoundServer } from './bound-server.js';

let bound: BoundServer | undefined;
afterEach(() => bound?.close());

it.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '],
  ['a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{'],
])('cuts whoever takes too long to send %s', async (_, start) => {
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
