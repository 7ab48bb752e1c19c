import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from '@jest/globals';
import { connectServerBus } from '@fds/adaptor-bus';
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

const openOnMosquitto = async (command: string): Promise<BusUnderTest> => {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'fds-mosquitto-'));
  const config = join(directory, 'mosquitto.conf');
  writeFileSync(config, `listener ${port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n`);
  const broker = spawn(command, ['-c', config], { stdio: 'ignore' });
  const end = Date.now() + 10_000;
  while (!(await listening(port)) && Date.now() < end) await sleep(20);
  const url = `tcp://127.0.0.1:${port}`;
  const bus = connectServerBus({
    url,
    username: 'server',
    password: 'any',
    clientId: 'fds-server',
    instance: 'server-1',
    log: silent,
  });
  return {
    bus,
    url,
    secret: 'any',
    close: async () => {
      await bus.close();
      broker.kill();
      await once(broker, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

describe('ServerBus on an external broker', () => {
  if (mosquitto === undefined) it.skip('needs the mosquitto package, which is not installed here', () => undefined);
  else serverBusContract(() => openOnMosquitto(mosquitto));
});
