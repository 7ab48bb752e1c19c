import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { Webhook } from 'standardwebhooks';
import { createWebhookSender, type WebhookRequest, type WebhookSenderOptions } from './create-webhook-sender.js';
import { createWebhookSecret } from './signing/webhook-secret.js';
import { everyTarget, publicTargets, type TargetRule } from './target/target-fault.js';
import { openReceiver, type Answer } from './testing/open-receiver.js';

const open: { close(): Promise<void> | void }[] = [];
const own = <T extends { close(): Promise<void> | void }>(resource: T): T => {
  open.push(resource);
  return resource;
};
afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource.close();
});

const sender = (options: WebhookSenderOptions = {}) => own(createWebhookSender({ rule: everyTarget, ...options }));
const receiver = async (answer?: Answer) => own(await openReceiver(answer));
const message = (url: string, more: Partial<WebhookRequest> = {}): WebhookRequest => ({
  url,
  secrets: [],
  id: 'msg_1',
  timestamp: new Date(),
  body: '{"a":1}',
  ...more,
});

describe('a webhook', () => {
  it('is a signed POST with the headers of the registration', async () => {
    const { url, received } = await receiver();
    const secret = createWebhookSecret();
    const outcome = await sender().send(
      message(`${url}?x=1`, { secrets: [secret], headers: [{ name: 'X-Key', value: 'k' }], body: '{"n":"ä"}' }),
    );
    expect(outcome).toEqual({ kind: 'DELIVERED', httpStatus: 204, milliseconds: expect.any(Number) });
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = received;
    expect([path, body]).toEqual(['/hook?x=1', '{"n":"ä"}']);
    expect(headers).toMatchObject({ 'x-key': 'k', 'content-type': 'application/json', 'webhook-id': 'msg_1' });
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({ n: 'ä' });
  });

  it('uses connections again', async () => {
    const { url, received, connections } = await receiver();
    const webhooks = sender();
    for (let index = 0; index < 20; index += 1) await webhooks.send(message(url));
    expect(received).toHaveLength(20);
    // the next request may begin before the connection is found free
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it('is sent again at once when the receiver closes a kept connection at that moment', async () => {
    const used = new WeakSet<object>();
    let closed = 0;
    const { url } = await receiver((_, response, socket) => {
      if (closed === 0 && used.has(socket)) {
        closed += 1;
        socket.destroy();
        return;
      }
      used.add(socket);
      response.end();
    });
    const webhooks = sender();
    for (let index = 0; index < 10; index += 1) {
      expect((await webhooks.send(message(url))).kind).toBe('DELIVERED');
    }
    expect(closed).toBe(1);
  });

  it.each([
    [200, 'DELIVERED'],
    [299, 'DELIVERED'],
    [302, 'FAILED'],
    [400, 'FAILED'],
    [410, 'GONE'],
    [500, 'FAILED'],
  ])('with the answer %d is %s', async (status, kind) => {
    const { url } = await receiver((_, response) => void response.writeHead(status).end('body of the answer'));
    const outcome = await sender().send(message(url));
    expect(outcome).toMatchObject({ kind, httpStatus: status });
    expect(outcome.error ?? '').not.toContain('body of the answer');
  });

  it('passes on the wait that the receiver asks for', async () => {
    const { url } = await receiver((_, response) => void response.writeHead(503, { 'retry-after': '7' }).end());
    expect(await sender().send(message(url))).toMatchObject({ kind: 'FAILED', httpStatus: 503, retryAfterMs: 7000 });
  });

  it('does not follow redirects', async () => {
    const target = await receiver();
    const { url } = await receiver((_, response) => void response.writeHead(307, { location: target.url }).end());
    expect(await sender().send(message(url))).toMatchObject({
      kind: 'FAILED',
      error: 'the receiver answered 307; redirects are not followed',
    });
    expect(target.connections()).toBe(0);
  });

  it('ignores the proxy variables of the environment', async () => {
    const proxy = await receiver();
    const { url, received } = await receiver();
    const variables = ['http_proxy', 'HTTP_PROXY', 'all_proxy'] as const;
    const before = variables.map((name) => process.env[name]);
    for (const name of variables) process.env[name] = proxy.url;
    try {
      await sender().send(message(url));
    } finally {
      variables.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
    }
    expect([received.length, proxy.connections()]).toEqual([1, 0]);
  });

  it('is not sent with a header that belongs to the service', async () => {
    const { url, connections } = await receiver();
    const outcome = await sender().send(message(url, { headers: [{ name: 'Host', value: 'evil' }] }));
    expect(outcome).toMatchObject({ kind: 'FAILED', error: '/httpHeaders/0/name "Host" is set by the service' });
    expect(connections()).toBe(0);
  });

  it('ends with the signal of its caller', async () => {
    const { url } = await receiver(() => undefined);
    const signal = AbortSignal.timeout(50);
    expect(await sender().send(message(url, { signal }))).toMatchObject({ kind: 'FAILED' });
  });
});

describe('the guard', () => {
  it.each(['http://127.0.0.1:1/', 'http://0x7f.1:1/', 'http://[::ffff:127.0.0.1]:1/', 'http://localhost:1/'])(
    'refuses %s before it connects',
    async (url) => {
      expect(await sender({ rule: publicTargets }).send(message(url))).toMatchObject({ kind: 'REFUSED_TARGET' });
    },
  );

  it('checks the address of a name when it connects', async () => {
    const { port, connections } = await receiver();
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const outcome = await sender({ rule: publicTargets, resolve }).send(message(`http://rebind.example:${port}/`));
    expect(outcome).toMatchObject({ kind: 'FAILED', isUnreachable: true });
    expect(connections()).toBe(0);
  });

  it('answers in the same way for a private name that exists, one that does not, and one that cannot be found now', async () => {
    const resolvers: WebhookSenderOptions['resolve'][] = [
      async () => [{ address: '10.0.0.1', family: 4 }],
      async () => [],
      ...['ENOTFOUND', 'EAI_AGAIN'].map((code) => async () => {
        throw Object.assign(new Error(`getaddrinfo ${code}`), { code });
      }),
    ];
    const outcomes: object[] = [];
    for (const resolve of resolvers) {
      const { milliseconds: _, ...outcome } = await sender({ rule: publicTargets, resolve }).send(
        message('http://db.internal/'),
      );
      outcomes.push(outcome);
    }
    expect(outcomes).toEqual(Array.from(outcomes, () => outcomes[0]));
    expect(outcomes[0]).toHaveProperty('error', expect.stringContaining('FDS_WEBHOOK_ALLOW_PRIVATE'));
  });

  it('refuses a name with one address that is not permitted among others', async () => {
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '::1', family: 6 },
    ];
    const outcome = await sender({ rule: publicTargets, resolve }).send(message('http://mixed.example/'));
    expect(outcome).toMatchObject({ kind: 'FAILED', error: expect.stringMatching(/^the host name /) });
  });

  it('connects to the address that it checked, however the name is answered afterwards', async () => {
    const { port, received } = await receiver();
    // 127.0.0.1 takes the part of a public address, everything else that of a private one
    const rule: TargetRule = { allowsAddress: (address) => address === '127.0.0.1', allowsLocalNames: false };
    const answers = ['127.0.0.1', '127.0.0.2', '10.0.0.1'];
    const asked: string[] = [];
    const resolve = async () => {
      const address = answers[asked.length] ?? '::1';
      asked.push(address);
      return [{ address, family: 4 }];
    };
    const webhooks = sender({ rule, resolve });
    const url = `http://rebind.example:${port}/`;
    expect((await webhooks.send(message(url))).kind).toBe('DELIVERED');
    expect([asked, received[0]?.headers.host]).toEqual([['127.0.0.1'], `rebind.example:${port}`]);
    await webhooks.close();
    expect((await sender({ rule, resolve }).send(message(url))).kind).toBe('FAILED');
    expect([asked.length, received.length]).toEqual([2, 1]);
  });

  it('finds names that only the machine knows', async () => {
    const { port, received } = await receiver();
    expect((await sender().send(message(`http://localhost:${port}/`))).kind).toBe('DELIVERED');
    expect(received).toHaveLength(1);
  });

  it('reports a host name without an address', async () => {
    const outcome = await sender().send(message('http://no-such-host.invalid/'));
    expect(outcome).toMatchObject({ kind: 'FAILED', error: expect.stringMatching(/^the host name /) });
  });
});

/** A receiver that answers every request with these bytes. */
const openRaw = async (bytes: string): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(bytes));
  });
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  own({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

/** A receiver that answers every request with these pieces, one after the other, and counts the requests. */
const openPieces = async (pieces: readonly string[]) => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      if (!chunk.toString('latin1').startsWith('POST ')) return;
      requests += 1;
      const send = ([piece, ...rest]: readonly string[]): void => {
        if (piece !== undefined) socket.write(piece, () => setImmediate(send, rest));
      };
      send(pieces);
    });
  });
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  own({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    connections: () => sockets.size,
  };
};

describe('a receiver that sends interim answers', () => {
  const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const interim = (status: string): string => `HTTP/1.1 ${status}\r\nLink: </a>\r\n\r\n`;
  it.each<[what: string, pieces: readonly string[]]>([
    ['100 before the answer', ['HTTP/1.1 100 Continue\r\n\r\n', final]],
    ['100 and the answer at once', [`HTTP/1.1 100 Continue\r\n\r\n${final}`]],
    ['102, 103 and 199', [interim('102 Processing'), interim('103 Early Hints'), interim('199 X'), final]],
    ['several of 100', [interim('100 Continue').repeat(5), interim('100 Continue'), final]],
    ['100 byte by byte', Array.from(`${interim('100 Continue')}${final}`)],
  ])('has taken the message: %s', async (_what, pieces) => {
    const { url, requests, connections } = await openPieces(pieces);
    const webhooks = sender();
    for (let count = 1; count <= 3; count += 1) {
      expect(await webhooks.send(message(url))).toMatchObject({ kind: 'DELIVERED', httpStatus: 200 });
      expect(requests()).toBe(count);
    }
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it('of status 101 has not taken it, and gets it once', async () => {
    const { url, requests } = await openPieces([
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    ]);
    const outcome = await sender().send(message(url));
    expect(outcome).toMatchObject({ kind: 'FAILED', error: expect.stringContaining('101') });
    expect(requests()).toBe(1);
  });

  it('without end gets no second request', async () => {
    const { url, requests } = await openPieces([interim('100 Continue').repeat(1000)]);
    expect((await sender({ timeoutMs: 300 }).send(message(url))).kind).toBe('FAILED');
    expect(requests()).toBe(1);
  });
});

describe('a receiver that behaves badly', () => {
  it('and hangs ends the attempt after its time', async () => {
    const sockets: Socket[] = [];
    const { url } = await receiver((_, __, socket) => void sockets.push(socket));
    const outcome = await sender({ timeoutMs: 300 }).send(message(url));
    expect(outcome).toMatchObject({ kind: 'FAILED', error: 'the receiver did not answer in time' });
    expect(outcome.milliseconds).toBeLessThan(2000);
    await eventually(() => expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]));
  });

  it('and sends 10 MB is read no further than the bound, and was delivered', async () => {
    let written = 0;
    const sockets: Socket[] = [];
    const { url } = await receiver((_, response, socket) => {
      sockets.push(socket);
      response.writeHead(200);
      const part = Buffer.alloc(65_536);
      const write = (): void => {
        while (written < 10_485_760 && !socket.destroyed) {
          written += part.length;
          if (!response.write(part)) {
            response.once('drain', write);
            return;
          }
        }
        response.end();
      };
      write();
    });
    expect(await sender().send(message(url))).toMatchObject({ kind: 'DELIVERED', httpStatus: 200 });
    await eventually(() => expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]));
    // only the buffers of the operating system were filled
    expect(written).toBeLessThan(10_485_760);
  });

  it('and trickles its answer is cut off, and was delivered', async () => {
    const sockets: Socket[] = [];
    const { url } = await receiver((_, response, socket) => {
      sockets.push(socket);
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const outcome = await sender().send(message(url));
    expect(outcome.kind).toBe('DELIVERED');
    expect(outcome.milliseconds).toBeLessThan(4000);
    await eventually(() => expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]));
  });

  it.each([
    ['promises more than it sends', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nshort', 'DELIVERED', undefined],
    ['has endless headers', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(100_000)}`, 'FAILED', /headers of the answer|not HTTP/],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'FAILED', /^the answer is not HTTP$/],
    ['trickles its headers', 'HTTP/1.1 200 OK\r\na: ', 'FAILED', /^the receiver did not answer in time$/],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'FAILED',
      /./,
    ],
  ])('and %s costs little', async (_, bytes, kind, error) => {
    const url = await openRaw(bytes);
    const outcome = await sender({ timeoutMs: 1200 }).send(message(url));
    expect(outcome.kind).toBe(kind);
    if (error !== undefined) expect(outcome.error).toMatch(error);
    expect(outcome.milliseconds).toBeLessThan(4000);
  });

  it('and takes no connection is a failure', async () => {
    const { url, close } = await openReceiver();
    await close();
    expect(await sender().send(message(url))).toMatchObject({
      kind: 'FAILED',
      error: 'the receiver refused the connection',
    });
  });

  it('and hangs takes its own places only', async () => {
    const dead = await receiver(() => undefined);
    const alive = await receiver();
    let busy = 0;
    const webhooks = sender({
      maxRequests: 4,
      maxReceiverRequests: 2,
      timeoutMs: 1000,
      onBusy: () => {
        busy += 1;
      },
    });
    const hanging = Array.from({ length: 1100 }, () => webhooks.send(message(dead.url)));
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => webhooks.send(message(alive.url))));
    expect(outcomes.every(({ kind }) => kind === 'DELIVERED')).toBe(true);
    expect(Math.max(...outcomes.map(({ milliseconds }) => milliseconds))).toBeLessThan(900);
    const failed = await Promise.all(hanging);
    expect(new Set(failed.map(({ kind }) => kind))).toEqual(new Set(['FAILED']));
    expect(dead.connections()).toBeLessThan(100);
    expect(busy).toBeGreaterThan(0);
  });

  it('does not keep connections to receivers beyond the bound', async () => {
    const receivers = await Promise.all(Array.from({ length: 6 }, () => receiver()));
    const webhooks = sender({ maxRequests: 2 });
    for (const { url } of receivers) expect((await webhooks.send(message(url))).kind).toBe('DELIVERED');
    const openNow = () => receivers.reduce((sum, { openConnections }) => sum + openConnections(), 0);
    await eventually(() => expect(openNow()).toBe(4));
  });
});
