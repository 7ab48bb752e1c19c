// The minimum of a server of this kind: Node with an HTTP server, a PostgreSQL pool and an MQTT client, all connected.
import { createServer } from 'node:http';
import mqtt from 'mqtt';
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';

const pool = new pg.Pool({ connectionString: requireSetting('DATABASE_URL'), max: 10 });
await Promise.all([
  pool.query('SELECT 1'),
  mqtt.connectAsync(requireSetting('BUS_URL'), {
    clientId: requireSetting('BUS_CLIENT_ID'),
    username: requireSetting('BUS_USERNAME'),
    password: requireSetting('BUS_PASSWORD'),
    protocolVersion: 4,
  }),
]);
createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"UP"}');
}).listen(Number(requireSetting('PORT')), '127.0.0.1');
