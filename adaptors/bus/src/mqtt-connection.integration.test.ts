import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { type MqttConnection, openMqttConnection } from './mqtt-connection.js';

const silent = { info: () => undefined, warn: () => undefined };

/** CONNACK: accepted. */
const accepted = Buffer.from([0x20, 2, 0, 0]);
const subscribePacket = 0x82;
/** SUBACK with the packet id of a short SUBSCRIBE for one topic: QoS 1 granted. */
const grantedTo = (subscribe: Buffer): Buffer => Buffer.from([0x90, 3, subscribe[2] ?? 0, subscribe[3] ?? 0, 1]);

/** Opens a connection to a port of this machine; it is closed after the test. */
const openAt = ({ port }: AddressInfo, onUp: () => void): MqttConnection => {
  connection = openMqttConnection({
    url: `tcp://127.0.0.1:${port}`,
    clientId: 'a-data',
    username: 'a',
    password: 'b',
    subscriptions: ['t'],
    onUp,
    onDown: () => undefined,
    onMessage: () => undefined,
    log: silent,
  });
  return connection;
};

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
  let ups = 0;
  await new Promise<void>((resolve) => {
    openAt(server.address() as AddressInfo, () => {
      ups += 1;
      if (ups === 5) resolve();
    });
  });
  const waits = begun.slice(1).map((at, index) => at - (ended[index] ?? 0));
  // at least half of 0.2, 0.4, 0.8 and 1.6 seconds; timers may fire a millisecond early
  for (const [index, least] of [100, 200, 400, 800].entries()) expect(waits[index]).toBeGreaterThan(least - 5);
});

describe('close', () => {
  /** Opens a connection to a broker that answers only the packets whose first byte is a key of `answers`. */
  const openTo = async (answers: Readonly<Record<number, (packet: Buffer) => Buffer>>) => {
    const heard: number[] = [];
    const sockets: Socket[] = [];
    const broker = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (packet) => {
        const [kind = 0] = packet;
        heard.push(kind);
        const answer = answers[kind]?.(packet);
        if (answer !== undefined) socket.write(answer);
      });
    });
    broker.listen(0, '127.0.0.1');
    await once(broker, 'listening');
    let ups = 0;
    const opened = openAt(broker.address() as AddressInfo, () => {
      ups += 1;
    });
    const untilHeard = (kind: number): Promise<void> => eventually(() => expect(heard).toContain(kind));
    const untilEnded = async (): Promise<void> => {
      // sooner than the 10 seconds in which mqtt.js gives up an unanswered attempt
      await eventually(() => expect(sockets.map(({ closed }) => closed)).toEqual([true]), { deadlineMs: 6_000 });
      broker.close();
    };
    return { opened, untilHeard, untilEnded, ups: () => ups };
  };
  const [connectPacket, publishPacket] = [0x10, 0x32];
  const accepts = { [connectPacket]: () => accepted };

  it('ends a connection that the broker has not accepted yet', async () => {
    const { opened, untilHeard, untilEnded, ups } = await openTo({});
    await untilHeard(connectPacket);
    await opened.close();
    await untilEnded();
    expect(ups()).toBe(0);
  });

  it('ends a connection whose subscriptions are not granted yet', async () => {
    const { opened, untilHeard, untilEnded, ups } = await openTo(accepts);
    await untilHeard(subscribePacket);
    await opened.close();
    await untilEnded();
    expect(ups()).toBe(0);
  });

  it('ends a connection whose broker does not acknowledge a message', async () => {
    const { opened, untilHeard, untilEnded, ups } = await openTo({ ...accepts, [subscribePacket]: grantedTo });
    await eventually(() => expect(ups()).toBe(1));
    const lost = expect(opened.publish('t', 'text')).rejects.toThrow('lost before it acknowledged');
    await untilHeard(publishPacket);
    await opened.close();
    await untilEnded();
    await lost;
  });
});
