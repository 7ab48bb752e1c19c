import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The path of the program, if it is installed. */
export const mosquitto: string | undefined = ['/usr/sbin/mosquitto', 'mosquitto'].find(
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

/** Starts a Mosquitto that accepts every client. Clients reconnect until it listens. */
export const startMosquitto = async (program: string): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'fds-assembly-mosquitto-'));
  const configuration = join(folder, 'mosquitto.conf');
  writeFileSync(configuration, `listener ${port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n`);
  const broker = spawn(program, ['-c', configuration], { stdio: 'ignore' });
  return {
    url: `tcp://127.0.0.1:${port}`,
    close: async () => {
      broker.kill();
      await once(broker, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
