import mqtt, { type MqttClient } from 'mqtt';
import type { Socket } from 'node:net';
import { eventually } from '@fds/testing';
import { freePort } from '../../harness/free-port.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { spawnScript } from '../../harness/spawned.js';

/** A running `servers/bare-bus.ts`, and a client of it. */
export interface BareBus {
  readonly url: string;
  readonly client: MqttClient;
}

/** Starts the broker as a separate process. Its client commits to the database. */
export const startBareBus = async (leftovers: Leftovers, databaseUrl: string): Promise<BareBus> => {
  const port = await freePort();
  const spawned = spawnScript({
    script: 'e2e/dist/bench/servers/bare-bus.js',
    environment: { PORT: String(port), DATABASE_URL: databaseUrl },
  });
  leftovers.add(async () => {
    await spawned.end('SIGKILL');
  });
  const url = `tcp://127.0.0.1:${port}`;
  const client = await eventually(() => {
    if (!spawned.running) throw new Error(`the bare bus ended:\n${spawned.output()}`);
    return mqtt.connectAsync(url, { protocolVersion: 4, reconnectPeriod: 0 });
  });
  leftovers.add(() => client.endAsync(true));
  (client.stream as Socket).setNoDelay(true);
  // the message is retained once the committing client is connected
  const ready = new Promise<void>((resolve) => {
    client.once('message', () => resolve());
  });
  await client.subscribeAsync('ready', { qos: 1 });
  await ready;
  await client.unsubscribeAsync('ready');
  return { url, client };
};
