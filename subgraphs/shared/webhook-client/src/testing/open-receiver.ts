import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Connections that were opened, also those without a request. */
  readonly connections: () => number;
  readonly openConnections: () => number;
  close(): Promise<void>;
}

export type Answer = (request: Received, response: ServerResponse, socket: Socket) => void;

/** A real HTTP server on a free port of 127.0.0.1 that keeps the requests it gets. */
export const openReceiver = async (
  answer: Answer = (_, response) => void response.writeHead(204).end(),
): Promise<Receiver> => {
  const received: Received[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const message = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
      };
      received.push(message);
      answer(message, response, request.socket);
    });
  };
  const server = createServer(listener);
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    connections: () => connections,
    openConnections: () => open.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of open) socket.destroy();
      }),
  };
};
