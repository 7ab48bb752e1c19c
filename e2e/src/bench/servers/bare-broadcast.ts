// A websocket server that sends each posted text to all its sockets as one message.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { requireSetting } from '../../programs/require-setting.js';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    for (const socket of sockets.clients) socket.send(text);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"UP"}');
  });
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
server.listen(Number(requireSetting('PORT')), '127.0.0.1');
