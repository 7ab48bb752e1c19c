import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientIdOf } from '@fds/adaptor-protocol';
import { type BrokerBound, type BrokerLimits, defaultBrokerLimits } from './connections/broker-limits.js';
import { type EmbeddedBroker, openEmbeddedBroker } from './open-embedded-broker.js';
import { connectPacket, connectWire, publishPacket, subscribePacket } from './testing/wire-client.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };

describe('the bounds of the broker', () => {
  let broker: EmbeddedBroker;
  let sockets: Socket[];
  let hits: BrokerBound[];

  const open = async (limits: Partial<BrokerLimits>): Promise<void> => {
    broker = await openEmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      authenticate: async () => 'ACCEPTED',
      limits,
      onBoundHit: (bound) => hits.push(bound),
      log: silent,
    });
  };
  const dial = async (): Promise<Socket> => {
    const socket = connect(broker.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const adaptor = async (adaptorUuid: string): Promise<Socket> => {
    const clientId = clientIdOf(adaptorUuid, 'data');
    const socket = await connectWire({ port: broker.port, clientId, username: adaptorUuid });
    sockets.push(socket);
    return socket;
  };
  const closed = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      socket.resume();
      if (socket.closed) resolve();
      // a refusal can be a reset; the close event follows it
      else socket.on('error', () => undefined).once('close', () => resolve());
    });

  beforeEach(() => {
    sockets = [];
    hits = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await broker.close();
  });

  it('closes a connection whose first packet announces a length above the limit', async () => {
    await open({});
    const socket = await dial();
    socket.write(Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]));
    await closed(socket);
    expect(hits).toEqual(['bus_packet']);
  });

  it('closes the connection of an adaptor that sends a packet above the limit, and accepts the largest allowed packet', async () => {
    await open({});
    const adaptorUuid = randomUUID();
    const payloads: number[] = [];
    broker.bus.handle('log', ({ payload }) => void payloads.push(payload.byteLength));
    const socket = await adaptor(adaptorUuid);
    const publish = (bytes: number): void =>
      void socket.write(publishPacket(`fds/v1/a/${adaptorUuid}/up/log`, 1, 'x'.repeat(bytes)));
    publish(256 * 1024);
    await once(socket, 'readable');
    expect(payloads).toEqual([256 * 1024]);
    publish(defaultBrokerLimits.maxPacketBytes);
    await closed(socket);
    expect([payloads.length, hits]).toEqual([1, ['bus_packet']]);
  });

  it('closes a connection that is not authenticated in time', async () => {
    await open({ connectMs: 50 });
    const silentOne = await dial();
    const slow = await dial();
    slow.write(Buffer.from([0x10]));
    await Promise.all([closed(silentOne), closed(slow)]);
    expect(hits).toEqual(['bus_connect_time', 'bus_connect_time']);
  });

  it('counts the connections of an address until they are authenticated', async () => {
    await open({ maxPendingPerAddress: 2 });
    const first = await adaptor(randomUUID());
    const pending = [await dial(), await dial()];
    await closed(await dial());
    expect(hits).toEqual(['bus_pending_connections']);
    pending[0]?.destroy();
    // the broker notices the end of the connection a moment later
    for (let refused = true; refused;) {
      const socket = connect(broker.port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      const username = randomUUID();
      socket.write(connectPacket({ clientId: clientIdOf(username, 'data'), username }));
      refused = await Promise.race([
        once(socket, 'readable').then(() => socket.read() === null),
        once(socket, 'close').then(() => true),
      ]);
    }
    expect(first.destroyed).toBe(false);
  });

  it('counts all connections', async () => {
    await open({ maxConnections: 2 });
    await adaptor(randomUUID());
    await adaptor(randomUUID());
    await closed(await dial());
    expect(hits).toEqual(['bus_connections']);
  });

  it('limits the number of subscriptions, and does not count a repeated subscription', async () => {
    await open({ maxSubscriptions: 3 });
    const adaptorUuid = randomUUID();
    const socket = await adaptor(adaptorUuid);
    const grants: number[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'a']) {
      socket.write(subscribePacket(`fds/v1/a/${adaptorUuid}/down/${name}`, 1));
      await once(socket, 'readable');
      grants.push((socket.read() as Buffer)[4] ?? -1);
    }
    expect(grants).toEqual([1, 1, 1, 128, 1]);
    expect(hits).toEqual(['bus_subscriptions']);
  });

  it('keeps no session for a client that requests a persistent session', async () => {
    await open({});
    const username = randomUUID();
    const clientId = clientIdOf(username, 'data');
    const first = await connectWire({ port: broker.port, clientId, username, cleanSession: false });
    first.write(subscribePacket(`fds/v1/a/${username}/down/#`, 1));
    await once(first, 'readable');
    first.destroy();
    await once(first, 'close');
    await broker.bus.publish(username, 'data', 'kept');
    const second = await connectWire({ port: broker.port, clientId, username, cleanSession: false });
    sockets.push(second);
    second.write(Buffer.from([0xc0, 0])); // PINGREQ: the broker would send kept messages before its answer
    await once(second, 'readable');
    expect((second.read() as Buffer).toString('hex')).toBe('d000');
  });

  it('closes the connection of a client that leaves too many bytes unread', async () => {
    await open({ maxUnreadBytes: 1_000_000 });
    const deaf = randomUUID();
    const socket = await adaptor(deaf);
    socket.write(subscribePacket(`fds/v1/a/${deaf}/down/#`, 1));
    await once(socket, 'readable'); // SUBACK; the client reads nothing after this
    const payload = 'x'.repeat(200_000);
    for (let count = 0; count < 200 && hits.length === 0; count += 1) {
      const published = broker.bus.publish(deaf, 'data', payload);
      // each message is written to the socket before the next one: a publication to a client that does not read settles
      // late
      await Promise.race([published, new Promise((resolve) => setImmediate(() => setImmediate(resolve)))]);
    }
    expect(hits).toEqual(['bus_unread']);
    await closed(socket);
  });

  it('closes the client with the most unread bytes when all clients together leave too many unread', async () => {
    await open({ maxUnreadBytes: 50_000_000, maxUnreadTotalBytes: 4_000_000 });
    const names = [randomUUID(), randomUUID(), randomUUID()];
    const deaf: Awaited<ReturnType<typeof adaptor>>[] = [];
    for (const name of names) {
      const socket = await adaptor(name);
      socket.write(subscribePacket(`fds/v1/a/${name}/down/#`, 1));
      await once(socket, 'readable');
      deaf.push(socket);
    }
    const payload = 'x'.repeat(200_000);
    for (let count = 0; count < 300 && hits.length === 0; count += 1) {
      // the first client leaves the most bytes unread
      const name = names[count % 4 === 0 ? 1 : 0] ?? '';
      const published = broker.bus.publish(name, 'data', payload);
      await Promise.race([published, new Promise((resolve) => setImmediate(() => setImmediate(resolve)))]);
    }
    expect(hits).toEqual(['bus_unread']);
    const [most, less, none] = deaf;
    if (most === undefined) throw new Error('no socket');
    await closed(most);
    expect([less?.destroyed, none?.destroyed]).toEqual([false, false]);
  });
});
