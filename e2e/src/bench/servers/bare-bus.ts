// The software of the embedded broker with its settings but without our rules, and a client next to it. The client
// inserts each message on `commit` into PostgreSQL as one committed row, and publishes it again on `committed`.
import { createServer } from 'node:net';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';
import type { Socket } from 'node:net';
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';

const port = Number(requireSetting('PORT'));
const database = new pg.Client({ connectionString: requireSetting('DATABASE_URL') });
await database.connect();
await database.query('CREATE TABLE IF NOT EXISTS bare_event (number bigserial PRIMARY KEY, payload text NOT NULL)');

const broker = await Aedes.createBroker({ concurrency: 5_000, drainTimeout: 5_000 });
const server = createServer({ noDelay: true }, (socket) => broker.handle(socket));
await new Promise<void>((resolve) => {
  server.listen(port, '127.0.0.1', resolve);
});

const client = await mqtt.connectAsync(`tcp://127.0.0.1:${port}`, { protocolVersion: 4, reconnectPeriod: 0 });
(client.stream as Socket).setNoDelay(true);
const commitAndSendOn = async (payload: Buffer): Promise<void> => {
  const values = [payload.toString()];
  await database.query({ name: 'commit', text: 'INSERT INTO bare_event (payload) VALUES ($1)', values });
  await client.publishAsync('committed', payload, { qos: 1 });
};
client.on('message', (_topic, payload) => {
  commitAndSendOn(payload).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
await client.subscribeAsync('commit', { qos: 1 });
// ready
await client.publishAsync('ready', 'yes', { qos: 1, retain: true });
