import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedBroker, openEmbeddedBroker } from '@fds/adaptor-broker';
import { startAdaptor } from './start-adaptor.js';
import { eventually } from './testing/eventually.js';
import { createServerMemory, createTestServer } from './testing/test-server.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe('an adaptor that the broker refuses', () => {
  const adaptorUuid = randomUUID();
  let directory: string;
  let broker: EmbeddedBroker;
  let tokens: Server;
  let isUser: boolean;
  let tokenStatus: number;
  let asked: (string | undefined)[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'fds-sdk-'));
    [isUser, tokenStatus, asked] = [false, 200, []];
    const authenticate = async () => (isUser ? ('ACCEPTED' as const) : ('REFUSED' as const));
    broker = await openEmbeddedBroker({ host: '127.0.0.1', port: 0, authenticate, log: silent });
    tokens = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(tokenStatus, { 'content-type': 'application/json' }).end('{}');
    });
    tokens.listen(0, '127.0.0.1');
    await once(tokens, 'listening');
  });
  afterEach(async () => {
    tokens.close();
    await broker.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (errors: string[]) =>
    startAdaptor({
      handlers: {},
      log: { ...silent, error: (_detail, message) => void errors.push(message) },
      properties: {
        'adaptor.uuid': adaptorUuid,
        'client.id': adaptorUuid,
        'client.secret': 'secret',
        'message.bus.url': `tcp://127.0.0.1:${broker.port}`,
        'auth.server.url': `http://127.0.0.1:${(tokens.address() as AddressInfo).port}`,
        hostname: '127.0.0.1',
        port: '0',
        'data.directory': directory,
      },
    });

  it('names the users of the broker and tries again when the authorization server accepts its credentials', async () => {
    const errors: string[] = [];
    const adaptor = await start(errors);
    const server = createTestServer(broker.bus, adaptorUuid, createServerMemory());
    try {
      expect(errors).toEqual([
        expect.stringMatching(
          new RegExp(`^the broker at tcp://127.0.0.1:${broker.port} does not know user ${adaptorUuid}, or has another`),
        ),
      ]);
      expect(asked).toEqual(['/oauth2/token']);
      isUser = true;
      await eventually(() => server.states.includes('STARTED'));
      expect(errors).toHaveLength(1);
    } finally {
      server.close();
      await adaptor.stop();
    }
  });

  it('tries again when the authorization server does not answer, and says so', async () => {
    tokenStatus = 503;
    const errors: string[] = [];
    const adaptor = await start(errors);
    const server = createTestServer(broker.bus, adaptorUuid, createServerMemory());
    try {
      expect(errors).toEqual([expect.stringMatching(/the authorization server at .* does not answer/)]);
      tokenStatus = 200;
      await eventually(() => errors.length === 2);
      expect(errors[1]).toMatch(/does not know user .*: an operator adds it/);
      isUser = true;
      await eventually(() => server.states.includes('STARTED'));
      expect(errors).toHaveLength(2);
    } finally {
      server.close();
      await adaptor.stop();
    }
  });

  it('ends when the authorization server refuses its credentials too', async () => {
    tokenStatus = 401;
    await expect(start([])).rejects.toMatchObject({
      name: 'BusRefused',
      message: expect.stringContaining('check client.id and client.secret'),
    });
  });
});
