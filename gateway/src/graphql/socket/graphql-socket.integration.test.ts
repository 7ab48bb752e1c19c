import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { WebSocket } from 'ws';
import { createSampleGateway, silent } from '../../testing/sample-gateway.js';
import { sampleAuthenticate } from '../../testing/sample-subgraphs.js';
import { createAddressOf } from '../../http/address-of.js';
import { createGraphqlSocket, type GraphqlSocket, type GraphqlSocketOptions } from './graphql-socket.js';
import type { SocketBound } from './socket-limits.js';

let server: Server;
let sockets: GraphqlSocket;

let hits: SocketBound[] = [];

const openSockets = async (
  options: Partial<GraphqlSocketOptions> = {},
): Promise<{ sockets: GraphqlSocket; server: Server }> => {
  const opened = createGraphqlSocket({
    executor: createSampleGateway().executor,
    authenticate: sampleAuthenticate,
    addressOf: createAddressOf([]),
    log: silent,
    limits: { maxMessageBytes: 100_000 },
    onBoundHit: (bound) => hits.push(bound),
    ...options,
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

/** Returns the messages of a socket when there are `count`, or when it was closed. */
const talk = (
  texts: readonly (string | Buffer)[],
  count: number,
  protocol = 'graphql-transport-ws',
): Promise<{ received: string[]; closeCode: number | undefined; reason?: string }> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, protocol);
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
    socket.on('close', (closeCode, reason) => resolve({ received, closeCode, reason: String(reason) }));
  });

const ack = '{"type":"connection_ack"}';
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

  it('answers Long values as text when connection_init asks for that', async () => {
    const start = init.replace('"payload":{', '"payload":{"longAs":"text",');
    const { received } = await talk([start, subscribe('{ adaptors { data { linkageCount } } }')], 3);
    expect(received[1]).toContain('{"linkageCount":"9223372036854775807"},{"linkageCount":"7"}');
    const reason = 'Bad request: longAs must be text or number';
    expect(await talk([start.replace('text', 'hex')], 1)).toEqual({ received: [], closeCode: 4400, reason });
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
    ['{"type":"connection_init"}', 4401, 'send {"authorization": "Bearer ..."}'],
    ['{"type":"connection_init","payload":{"authorization":"Bearer bad"}}', 4401, 'Unauthorized: '],
    ['{"type":"connection_init","payload":{"authorization":"Bearer later"}}', 1013, 'Unavailable: '],
    [subscribe('{ __typename }'), 4401, 'send connection_init'],
    ['no JSON', 4400, 'send the JSON messages'],
  ])('closes after %s with %i and the reason', async (text, closeCode, reason) => {
    expect(await talk([text], 1)).toEqual({ received: [], closeCode, reason: expect.stringContaining(reason) });
  });

  const subscribing = (payload: unknown, more: object = {}): string =>
    JSON.stringify({ id: '1', type: 'subscribe', payload, ...more });
  const longRunning = subscribe('{ adaptors { data { linkageCount } } }');
  it.each<[violation: string, message: string | Buffer, closeCode: number]>([
    ['no JSON', '{', 4400],
    ['an empty text', '', 4400],
    ['a number', '5', 4400],
    ['a text', '"connection_init"', 4400],
    ['null', 'null', 4400],
    ['a list', '[{"type":"ping"}]', 4400],
    ['no type', '{}', 4400],
    ['a type that is no text', '{"type":1}', 4400],
    ['an unknown type', '{"type":"start","id":"1"}', 4400],
    ['the type of a prototype member', '{"type":"constructor"}', 4400],
    ['a binary frame', Buffer.from('{"type":"ping"}'), 4400],
    ['a payload of ping that is no object', '{"type":"ping","payload":5}', 4400],
    ['a payload of pong that is no object', '{"type":"pong","payload":[1]}', 4400],
    ['an acknowledgement, which is the server’s', '{"type":"connection_ack"}', 4400],
    ['a result, which is the server’s', '{"id":"1","type":"next","payload":{"data":null}}', 4400],
    ['an error, which is the server’s', '{"id":"1","type":"error","payload":[{"message":"a"}]}', 4400],
    ['a result without id', '{"type":"next","payload":{}}', 4400],
    ['a complete without id', '{"type":"complete"}', 4400],
    ['a complete with a number as id', '{"type":"complete","id":1}', 4400],
    ['an operation without id', '{"type":"subscribe","payload":{"query":"{ __typename }"}}', 4400],
    ['an operation with an empty id', subscribing({ query: '{ __typename }' }, { id: '' }), 4400],
    ['an operation with a number as id', subscribing({ query: '{ __typename }' }, { id: 1 }), 4400],
    ['an operation without payload', '{"id":"1","type":"subscribe"}', 4400],
    ['a payload that is a list', subscribing([]), 4400],
    ['an operation without query', subscribing({}), 4400],
    ['a query that is no text', subscribing({ query: 5 }), 4400],
    ['variables that are a list', subscribing({ query: '{ __typename }', variables: [] }), 4400],
    ['variables that are text', subscribing({ query: '{ __typename }', variables: '{}' }), 4400],
    ['an operationName that is no text', subscribing({ query: '{ __typename }', operationName: 5 }), 4400],
    ['extensions that are a list', subscribing({ query: '{ __typename }', extensions: [] }), 4400],
    ['a second connection_init', init, 4429],
    ['a connection_init with a list', '{"type":"connection_init","payload":[]}', 4400],
  ])('is closed after %s', async (_violation, message, closeCode) => {
    const { closeCode: found, reason } = await talk([init, message], 100);
    expect([found, reason]).toEqual([closeCode, expect.stringMatching(/\w/)]);
  });

  it.each(['1', '__proto__', 'constructor'])('is closed when the id %j is in flight twice', async (id) => {
    const twice = longRunning.replace('"id":"1"', `"id":"${id}"`);
    expect((await talk([init, twice, twice], 100)).closeCode).toBe(4409);
  });

  it.each(['graphql-ws', 'mqtt'])('refuses a client of the subprotocol %s and names its own', async (protocol) => {
    const reason = expect.stringContaining('graphql-transport-ws');
    expect(await talk([init], 1, protocol)).toEqual({ received: [], closeCode: 4406, reason });
  });

  it('closes after a message that is too large, and the message is counted', async () => {
    hits = [];
    expect(await talk([init, 'x'.repeat(100_001)], 2)).toEqual({
      received: [ack],
      closeCode: 1009,
      reason: 'Message too large: a message has at most 100000 bytes',
    });
    expect(hits).toEqual(['socket_message']);
  });

  it('is closed when it sends too much before it signs in', async () => {
    hits = [];
    const reason = 'Unauthorized: send at most 32768 bytes before connection_ack';
    expect(await talk(['x'.repeat(90_000)], 1)).toEqual({ received: [], closeCode: 4401, reason });
    expect(hits).toEqual(['socket_message']);
  });

  it('accepts a connection over which the client sent requests before', async () => {
    server.on('request', (incoming, answer) => incoming.resume().on('end', () => answer.end()));
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const posting = request({ agent, port, host: '127.0.0.1', method: 'POST' }).end('x'.repeat(90_000));
      const [answer] = (await once(posting, 'response')) as [NodeJS.ReadableStream];
      await once(answer.resume(), 'end');
      await eventually(() => expect(Object.keys(agent.freeSockets)).toHaveLength(1));
      const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', { agent });
      socket.on('open', () => socket.send(init));
      const [data] = (await Promise.race([
        once(socket, 'message'),
        once(socket, 'close').then(([code]) => [`closed with ${code}`]),
      ])) as [Buffer | string];
      expect(String(data)).toBe(ack);
      socket.terminate();
    } finally {
      agent.destroy();
      server.removeAllListeners('request');
    }
  });

  it('is destroyed when the server closes it and the client does not send a close frame', async () => {
    const opened = await openSockets({ goodbyeMs: 50 });
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
  }, 120_000);

  it('aborts an operation whose client completes it, and answers the others', async () => {
    const { executor } = createSampleGateway();
    const signals: AbortSignal[] = [];
    const opened = await openSockets({
      executor: {
        ...executor,
        // answers when it is aborted, like a statement of the database
        recall: (document, operationName) => {
          const operation = executor.recall(document, operationName);
          if (!document.includes('zones')) return operation;
          return {
            ...operation,
            execute: async (variables, context) => {
              if (context.signal === undefined) throw new TypeError('the operation has no signal');
              signals.push(context.signal);
              await once(context.signal, 'abort');
              return operation.execute(variables, context);
            },
          };
        },
      },
      limits: { maxOperations: 1 },
    });
    const { port } = opened.server.address() as AddressInfo;
    const client = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
    const received: string[] = [];
    client.on('message', (data: Buffer) => received.push(data.toString('utf8')));
    await once(client, 'open');
    client.send(init);
    await eventually(() => expect(received).toEqual([ack]));
    client.send(subscribe('{ zones { data { name } } }'));
    await eventually(() => expect(signals).toMatchObject([{ aborted: false }]));
    client.send('{"id":"1","type":"complete"}');
    await eventually(() => expect(signals).toMatchObject([{ aborted: true }]));
    client.send(subscribe('{ __typename }').replace('"id":"1"', '"id":"2"'));
    await eventually(() =>
      expect(received).toEqual([
        ack,
        '{"id":"2","type":"next","payload":{"data":{"__typename":"Query"}}}',
        '{"id":"2","type":"complete"}',
      ]),
    );
    client.terminate();
    await opened.sockets.close();
    await new Promise((resolve) => opened.server.close(resolve));
  });

  it.each([
    ['before connection_init', []],
    ['during connection_init', [init]],
    ['during subscribe', [init, subscribe('{ zones { data { name } } }')]],
    ['during a refused operation', [init, subscribe('{ nothing }')]],
    ['after a broken message', [init, 'no JSON']],
  ])('logs no error when its client ends %s', async (_when, messages) => {
    const lines: string[] = [];
    const gates: (() => void)[] = [];
    const opened = await openSockets({
      log: createLog('warn', {}, { write: (line) => void lines.push(line) }),
      // authenticates only after the client has disconnected
      authenticate: async (header) => {
        if (gates.length === messages.length - 1) await new Promise<void>((open) => gates.push(open));
        else gates.push(() => undefined);
        return sampleAuthenticate(header);
      },
    });
    const { port } = opened.server.address() as AddressInfo;
    const [connection] = await Promise.all([
      once(opened.server, 'connection') as Promise<[Socket]>,
      new Promise<void>((resolve, reject) => {
        const client = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
        client.on('error', reject);
        client.on('open', () => {
          for (const message of messages.slice(0, 1)) client.send(message);
          if (messages.length < 2) setImmediate(() => client.terminate());
        });
        client.on('message', () => {
          for (const message of messages.slice(1)) client.send(message, () => client.terminate());
        });
        client.on('close', () => resolve());
      }),
    ]);
    await eventually(() => expect(connection[0].destroyed).toBe(true));
    for (const open of gates) open();
    await opened.sockets.close();
    await new Promise((resolve) => opened.server.close(resolve));
    // let the answer that waits for the gate finish
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toEqual([]);
  });
});
