import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { createSampleGateway, silent } from '../../testing/sample-gateway.js';
import { sampleAuthenticate } from '../../testing/sample-subgraphs.js';
import { createAddressOf } from '../../http/address-of.js';
import { createGraphqlSocket, type GraphqlSocket } from './graphql-socket.js';

let server: Server;
let sockets: GraphqlSocket;

const openSockets = async (goodbyeMs?: number): Promise<{ sockets: GraphqlSocket; server: Server }> => {
  const opened = createGraphqlSocket({
    executor: createSampleGateway().executor,
    authenticate: sampleAuthenticate,
    addressOf: createAddressOf([]),
    log: silent,
    maxMessageBytes: 100_000,
    ...(goodbyeMs === undefined ? {} : { goodbyeMs }),
  });
  const on = createServer();
  on.on('upgrade', opened.handleUpgrade);
  await new Promise<void>((resolve) => on.listen(0, '127.0.0.1', resolve));
  return { sockets: opened, server: on };
};

beforeAll(async () => {
  ({ sockets, server } = await openSockets());
});
afterAll(async () => {
  await sockets.close();
  await new Promise((resolve) => server.close(resolve));
});

/** What a socket said until it had said `count` things or was closed. */
const talk = (
  texts: readonly string[],
  count: number,
): Promise<{ received: string[]; closeCode: number | undefined }> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
    const received: string[] = [];
    socket.on('error', reject);
    socket.on('open', () => socket.send(texts[0] ?? ''));
    socket.on('message', (data: Buffer) => {
      received.push(data.toString('utf8'));
      if (received.length === 1) for (const text of texts.slice(1)) socket.send(text);
      if (received.length < count) return;
      socket.terminate();
      resolve({ received, closeCode: undefined });
    });
    socket.on('close', (closeCode) => resolve({ received, closeCode }));
  });

const init = '{"type":"connection_init","payload":{"authorization":"Bearer good"}}';
const subscribe = (query: string, variables = '{}'): string =>
  `{"id":"1","type":"subscribe","payload":{"query":${JSON.stringify(query)},"variables":${variables}}}`;

describe('a graphql-ws socket', () => {
  it('answers queries', async () => {
    const { received } = await talk([init, subscribe('{ adaptors { data { linkageCount } } }')], 3);
    expect(received).toEqual([
      '{"type":"connection_ack"}',
      '{"id":"1","type":"next","payload":{"data":{"adaptors":{"data":[{"linkageCount":9223372036854775807},{"linkageCount":7}]}}}}',
      '{"id":"1","type":"complete"}',
    ]);
  });

  it('answers mutations, with every digit of their variables', async () => {
    const mutation = 'mutation ($v: Long) { createZone(input: { name: "a", changeVersion: $v }) { changeVersion } }';
    const { received } = await talk([init, subscribe(mutation, '{"v":9223372036854775806}')], 3);
    expect(received[1]).toContain('"changeVersion":9223372036854775806');
  });

  it('answers errors in their public form', async () => {
    const { received } = await talk([init, subscribe('mutation { createZone(input: { name: "" }) { name } }')], 3);
    expect(JSON.parse(received[1] ?? '')).toMatchObject({
      type: 'next',
      payload: { data: null, errors: [{ path: ['createZone'], extensions: { code: 'VALIDATION_FAILED' } }] },
    });
  });

  it.each([
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ zones', 'GRAPHQL_PARSE_FAILED'],
    ['{ a '.repeat(16) + '}'.repeat(16), 'QUERY_TOO_COMPLEX'],
    ['subscription { dataEvents { cursor } }', 'GRAPHQL_VALIDATION_FAILED'],
  ])('refuses the operation %s', async (query, code) => {
    const { received } = await talk([init, subscribe(query)], 2);
    expect(JSON.parse(received[1] ?? '')).toMatchObject({ type: 'error', payload: [{ extensions: { code } }] });
  });

  it.each([
    ['{"type":"connection_init"}', 4401],
    ['{"type":"connection_init","payload":{"authorization":"Bearer bad"}}', 4401],
    ['{"type":"connection_init","payload":{"authorization":"Bearer later"}}', 1013],
    [subscribe('{ __typename }'), 4401],
    ['no JSON', 4400],
  ])('is closed after %s', async (text, closeCode) => {
    expect(await talk([text], 1)).toEqual({ received: [], closeCode });
  });

  it('is cut when it is closed and its client does not say goodbye', async () => {
    const opened = await openSockets(50);
    const { port } = opened.server.address() as AddressInfo;
    const deaf = connect(port, '127.0.0.1');
    deaf.write(
      'GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    );
    await once(deaf, 'data');
    await opened.sockets.close();
    await new Promise((resolve) => opened.server.close(resolve));
    deaf.destroy();
  }, 10_000);
});
