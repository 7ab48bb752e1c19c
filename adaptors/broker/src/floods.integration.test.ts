import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientIdOf } from '@fds/adaptor-protocol';
import { type EmbeddedBroker, openEmbeddedBroker } from './open-embedded-broker.js';
import { connectWire, publishPacket, subscribePacket } from './testing/wire-client.js';

const pubackBytes = 4;

/** Resolves when the broker has sent this many more bytes. */
const receive = async (socket: Socket, bytes: number): Promise<void> => {
  let received = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received += (chunk as Buffer).byteLength;
    if (received >= bytes) return;
  }
  throw new Error(`the connection ended after ${received} of ${bytes} bytes`);
};

const publications = (adaptorUuid: string, count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, index) => publishPacket(`fds/v1/a/${adaptorUuid}/up/ack`, index + 1, '{}')),
  );

describe('the broker under a flood of messages', () => {
  let broker: EmbeddedBroker;
  let sockets: Socket[];
  let handled: number;
  let warnings: number;

  const open = async (adaptorUuid: string): Promise<Socket> => {
    const clientId = clientIdOf(adaptorUuid, 'data');
    const socket = await connectWire({ port: broker.port, clientId, username: adaptorUuid });
    sockets.push(socket);
    return socket;
  };

  beforeEach(async () => {
    sockets = [];
    handled = 0;
    warnings = 0;
    broker = await openEmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      authenticate: async () => 'ACCEPTED',
      log: {
        error: () => undefined,
        warn: () => {
          warnings += 1;
        },
        info: () => undefined,
      },
    });
    broker.bus.handle('ack', () => {
      handled += 1;
    });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await broker.close();
  });

  it('handles tens of thousands of publications that arrive at once', async () => {
    const adaptorUuid = randomUUID();
    const socket = await open(adaptorUuid);
    const count = 20_000;
    socket.write(publications(adaptorUuid, count));
    await receive(socket, count * pubackBytes);
    expect(handled).toBe(count);
  });

  it('serves other adaptors while one adaptor with many messages does not read', async () => {
    const deaf = randomUUID();
    const deafSocket = await open(deaf);
    deafSocket.write(subscribePacket(`fds/v1/a/${deaf}/down/#`, 1));
    await once(deafSocket, 'readable'); // SUBACK; the client reads nothing after this
    const payload = 'x'.repeat(8 * 1_024);
    const published = Array.from({ length: 8_000 }, () => broker.bus.publish(deaf, 'data', payload));

    const [adaptors, count] = [20, 500];
    await Promise.all(
      Array.from({ length: adaptors }, async () => {
        const adaptorUuid = randomUUID();
        const socket = await open(adaptorUuid);
        socket.write(publications(adaptorUuid, count));
        await receive(socket, count * pubackBytes);
      }),
    );
    expect(handled).toBe(adaptors * count);

    deafSocket.destroy();
    await Promise.all(published);
    expect(warnings).toBeLessThanOrEqual(1);
  });
});
