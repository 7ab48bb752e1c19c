import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type MqttConnection, openMqttConnection } from './mqtt-connection.js';

const silent = { info: () => undefined, warn: () => undefined };

/** CONNACK: accepted. */
const accepted = Buffer.from([0x20, 2, 0, 0]);
const subscribePacket = 0x82;
/** SUBACK with the packet id of a short SUBSCRIBE for one topic: QoS 1 granted. */
const grantedTo = (subscribe: Buffer): Buffer => Buffer.from([0x90, 3, subscribe[2] ?? 0, subscribe[3] ?? 0, 1]);

let server: Server;
let connection: MqttConnection | undefined;
/** Times at which each connection ended, and at which the next one began. */
let ended: number[];
let begun: number[];

beforeEach(async () => {
  [ended, begun] = [[], []];
  // a broker that accepts a client and ends its connection at once, as if another client had taken over the client id
  server = createServer((socket: Socket) => {
    begun.push(performance.now());
    socket.on('error', () => undefined);
    socket.on('data', (packet) => {
      if (packet[0] !== subscribePacket) {
        socket.write(accepted);
        return;
      }
      socket.end(grantedTo(packet));
      ended.push(performance.now());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await connection?.close();
  server.close();
});

it('waits longer each time when the broker accepts it and ends the connection at once', async () => {
  const { port } = server.address() as AddressInfo;
  let ups = 0;
  await new Promise<void>((resolve) => {
    connection = openMqttConnection({
      url: `tcp://127.0.0.1:${port}`,
      clientId: 'a-data',
      username: 'a',
      password: 'b',
      subscriptions: ['t'],
      onUp: () => {
        ups += 1;
        if (ups === 5) resolve();
      },
      onDown: () => undefined,
      onMessage: () => undefined,
      log: silent,
    });
  });
  const waits = begun.slice(1).map((at, index) => at - (ended[index] ?? 0));
  // at least half of 0.2, 0.4, 0.8 and 1.6 seconds; timers may fire a millisecond early
  for (const [index, least] of [100, 200, 400, 800].entries()) expect(waits[index]).toBeGreaterThan(least - 5);
});
