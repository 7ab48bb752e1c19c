import type { AddressInfo } from 'node:net';
import type { RequestContext } from '@fds/graphql';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { WebSocket } from 'ws';
import { createGraphqlEndpoint } from '../graphql/graphql-endpoint.js';
import { createSampleGateway, silent } from '../testing/sample-gateway.js';
import { nothingPermitted, sampleAuthenticate } from '../testing/sample-subgraphs.js';
import { createAuditedExecutor } from './audited-executor.js';

const query = '{ zone(zoneUuid: "0190c000-0000-7000-8000-000000000001") { name } }';
const authorization = 'Bearer poor';
const told: RequestContext[] = [];
let app: FastifyInstance;

beforeAll(async () => {
  const { gateway, executor } = createSampleGateway();
  const endpoint = await createGraphqlEndpoint({
    executor: createAuditedExecutor(executor, (context) => void told.push(context)),
    staticSchema: gateway.staticSchema,
    authenticate: sampleAuthenticate,
    log: silent,
  });
  app = fastify();
  app.server.on('upgrade', endpoint.handleUpgrade);
  await app.register(endpoint.plugin);
  app.addHook('onClose', () => endpoint.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app?.close());
beforeEach(() => void (told.length = 0));

const port = (): number => (app.server.address() as AddressInfo).port;

it('records the caller and the address of a refusal over HTTP', async () => {
  const answer = await fetch(`http://127.0.0.1:${port()}/graphql?${new URLSearchParams({ query }).toString()}`, {
    headers: { authorization },
  });
  expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  expect(told).toMatchObject([{ principal: { username: nothingPermitted.username }, address: '127.0.0.1' }]);
});

it('records the caller and the address of a refusal on a websocket', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${port()}/graphql`, 'graphql-transport-ws');
  const next = (): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')) as Record<string, unknown>));
    });
  await new Promise((resolve) => void socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
  expect(await next()).toMatchObject({ type: 'connection_ack' });
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
  expect(await next()).toMatchObject({ payload: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } });
  socket.terminate();
  expect(told).toMatchObject([{ principal: { username: nothingPermitted.username }, address: '127.0.0.1' }]);
});
