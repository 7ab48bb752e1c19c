import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How much of a refused body is read before the connection is closed. */
export interface DiscardLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
}

const standardLimits: DiscardLimits = { maxBytes: 32 * 1024 * 1024, maxMs: 15_000 };

/** Reads what still comes on the connection without keeping it, up to the limits, and then cuts the connection. */
const discard = (request: IncomingMessage, socket: Socket, { maxBytes, maxMs }: DiscardLimits): void => {
  const cut = (): void => void socket.destroy();
  const timer = setTimeout(cut, maxMs);
  const startBytes = socket.bytesRead;
  const count = (): void => {
    if (socket.bytesRead - startBytes > maxBytes) cut();
  };
  const done = (): void => {
    clearTimeout(timer);
    request.off('data', count);
  };
  request.once('end', done);
  socket.once('close', done);
  request.unpipe();
  request.on('data', count);
  request.resume();
};

/**
 * Lets a client that is still sending its body read the answer that refuses it. Node closes such a connection at once,
 * and the network then discards the answer that the client has not read. Instead, the server ends its own side, reads
 * the rest of the body up to the limits, and closes the connection when the client ends it.
 */
const answerBeforeTheEnd = (request: IncomingMessage, response: ServerResponse, limits: DiscardLimits): void => {
  const { socket } = request;
  // before Node's own listener, which closes the connection or waits for the whole rest
  response.prependOnceListener('finish', () => {
    if (request.complete || socket.destroyed) return;
    discard(request, socket, limits);
    socket.destroySoon = () => void socket.end();
  });
};

/** Answers `Expect: 100-continue` when the body is read: the client does not send a body that is refused. */
const continueWhenRead = (request: IncomingMessage, response: ServerResponse): void => {
  const read = request._read.bind(request);
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) response.writeContinue();
    read(size);
  };
};

/** Every answer of the server that comes before the end of its request reaches the client. */
export const discardRefusedBodies = (server: Server, limits: DiscardLimits = standardLimits): void => {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.complete) answerBeforeTheEnd(request, response, limits);
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    continueWhenRead(request, response);
    server.emit('request', request, response);
  });
};
