import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Leftovers } from '../harness/leftovers.js';

/** A text frame of a websocket client (RFC 6455, 5.2); the mask of zeros does not change the text. */
export const textFrame = (text: string): Buffer => {
  const payload = Buffer.from(text);
  const head = payload.length < 126 ? Buffer.from([0x81, 0x80 | payload.length]) : Buffer.from([0x81, 0xfe, 0, 0]);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
};

/** Waits until the socket has received one of two texts. @throws Error with the received text when it is the second */
const requireReceived = async (socket: Socket, wanted: string, refusal: string): Promise<void> => {
  let received = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received += (chunk as Buffer).toString('latin1');
    if (received.includes(wanted)) return;
    if (received.includes(refusal)) break;
  }
  socket.destroy();
  throw new Error(`the socket was refused: ${received.slice(-500)}`);
};

/** Upgrades a connection to `/graphql` to a websocket and sends nothing on it; it ends with the leftovers. */
export const openBareSocket = async (leftovers: Leftovers, baseUrl: string): Promise<Socket> => {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined); // a refusal can be a reset
  leftovers.add(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(
    'GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  await requireReceived(socket, 'HTTP/1.1 101 Switching Protocols', '"errors"');
  return socket;
};

/** An acknowledged graphql-ws socket. Nothing reads from it until the test does. */
export const openDeafSocket = async (
  leftovers: Leftovers,
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
): Promise<Socket> => {
  const socket = await openBareSocket(leftovers, baseUrl);
  const payload = { authorization: `Bearer ${token}` };
  socket.write(textFrame(JSON.stringify({ type: 'connection_init', payload })));
  await requireReceived(socket, 'connection_ack', 'Too many sockets');
  socket.pause();
  return socket;
};
