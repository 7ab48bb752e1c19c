import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { connectServerBus, openMqttConnection, type UpKind } from '@fds/adaptor-bus';
import { topicOf } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import { openEmbeddedBroker } from './open-embedded-broker.js';
import { type BusUnderTest, serverBusContract } from './server-bus.contract.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe('ServerBus of the embedded broker', () => {
  serverBusContract(async () => {
    const broker = await openEmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      authenticate: async () => 'ACCEPTED',
      log: silent,
    });
    return { bus: broker.bus, url: `tcp://127.0.0.1:${broker.port}`, secret: 'any', close: () => broker.close() };
  });
});

const mosquitto = ['/usr/sbin/mosquitto', 'mosquitto'].find(
  (command) => spawnSync(command, ['-h'], { stdio: 'ignore' }).error === undefined,
);

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const listening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const connectTo = (url: string, instance: string, kinds?: readonly UpKind[]) =>
  connectServerBus({
    url,
    username: 'server',
    password: 'any',
    clientId: `fds-${instance}`,
    instance,
    log: silent,
    ...(kinds === undefined ? {} : { kinds }),
  });

const openOnMosquitto = async (command: string): Promise<BusUnderTest> => {
  const { url, close } = await startMosquitto(command);
  const bus = connectTo(url, 'server-1');
  return {
    bus,
    url,
    secret: 'any',
    close: async () => {
      await bus.close();
      await close();
    },
  };
};

const startMosquitto = async (command: string) => {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'fds-mosquitto-'));
  const config = join(directory, 'mosquitto.conf');
  writeFileSync(config, `listener ${port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n`);
  const broker = spawn(command, ['-c', config], { stdio: 'ignore' });
  const end = Date.now() + 10_000;
  while (!(await listening(port)) && Date.now() < end) await sleep(20);
  const url = `tcp://127.0.0.1:${port}`;
  return {
    url,
    close: async () => {
      broker.kill();
      await once(broker, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

describe('ServerBus on an external broker', () => {
  if (mosquitto === undefined) it.skip('needs the mosquitto package, which is not installed here', () => undefined);
  else serverBusContract(() => openOnMosquitto(mosquitto));

  (mosquitto === undefined ? it.skip : it)(
    'brings each message of an adaptor to the server that follows it, also after a hand-over and a lost connection',
    async () => {
      const broker = await startMosquitto(mosquitto ?? '');
      const adaptors = Array.from({ length: 6 }, () => randomUUID());
      const heard: string[][] = [[], [], []];
      const servers = heard.map((messages, index) => {
        const server = connectTo(broker.url, `server-${index}`, ['data', 'hello', 'ack', 'link', 'ops']);
        for (const kind of ['data', 'hello', 'ack', 'link', 'ops'] as const)
          server.handle(kind, ({ adaptorUuid, payload }) => {
            messages.push(`${adaptorUuid} ${kind} ${Buffer.from(payload).toString()}`);
          });
        return server;
      });
      const ofServer = (index: number): string[] => adaptors.filter((_, at) => at % 3 === index);
      const adaptor = openMqttConnection({
        url: broker.url,
        clientId: 'adaptors',
        username: 'adaptors',
        password: 'any',
        subscriptions: [],
        onUp: () => undefined,
        onDown: () => undefined,
        onMessage: () => undefined,
        log: silent,
      });
      const publishAll = async (text: string): Promise<void> => {
        for (const adaptorUuid of adaptors)
          for (const kind of ['data', 'hello', 'ack', 'link'] as const)
            await adaptor.publish(topicOf({ adaptorUuid, channel: `up/${kind}` }), text);
      };
      const total = (text: string): number => heard.flat().filter((message) => message.endsWith(` ${text}`)).length;
      try {
        await eventually(() => expect([adaptor, ...servers].every(({ connected }) => connected)).toBe(true));
        // no server follows an adaptor yet
        await publishAll('early');
        for (const [index, server] of servers.entries()) await server.follow?.(ofServer(index));
        await publishAll('shared');
        // one copy of each message, where each of three servers got each message before
        await eventually(() => expect(total('shared')).toBe(24));
        expect(heard.map((messages) => messages.length)).toEqual([8, 8, 8]);
        expect(total('early')).toBe(0);

        // the new owner follows before the former one stops: no message is lost in between
        const [moved = ''] = ofServer(0);
        await servers[1]?.follow?.([moved]);
        await publishAll('between');
        await eventually(() => expect(total('between')).toBe(28));
        servers[0]?.unfollow?.([moved]);
        await eventually(async () => {
          heard[0]?.splice(0);
          await publishAll('moved');
          expect(heard[0]?.some((message) => message.startsWith(moved))).toBe(false);
        });
        await adaptor.publish(topicOf({ adaptorUuid: moved, channel: 'up/ops' }), 'for all');
        await eventually(() => expect(total('for all')).toBe(3));

        // another client with the same id ends the connection of the server
        const thief = connectTo(broker.url, 'server-1', []);
        await eventually(() => expect(thief.connected).toBe(true));
        await thief.close();
        await eventually(() => expect(servers[1]?.connected).toBe(true), { deadlineMs: 20_000 });
        await adaptor.publish(topicOf({ adaptorUuid: moved, channel: 'up/data' }), 'again');
        await eventually(() =>
          expect(heard.map((messages) => messages.filter((m) => m.endsWith('again')).length)).toEqual([0, 1, 0]),
        );
      } finally {
        await adaptor.close();
        for (const server of servers) await server.close();
        await broker.close();
      }
    },
    60_000,
  );
});
