import type { Socket } from 'node:net';
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { SocketPlace } from './create-socket-register.js';

/** Time that a client has to see why it is cut off. */
const farewellMs = 1_000;

export interface PendingWatchOptions {
  readonly maxPendingBytes: number;
  /** Called before the socket is ended. */
  readonly onEnd: () => void;
}

/** Bounds the bytes that a socket sends before it signs in. Requests that the connection carried before do not count. */
export const watchPending = (
  socket: WebSocket,
  connection: Socket,
  place: SocketPlace,
  { maxPendingBytes, onEnd }: PendingWatchOptions,
): void => {
  const readBefore = connection.bytesRead;
  const look = (): void => {
    if (!place.pending) return void connection.off('data', look);
    if (connection.bytesRead - readBefore <= maxPendingBytes) return;
    connection.off('data', look);
    onEnd();
    const limit = `send at most ${maxPendingBytes} bytes before connection_ack`;
    socket.close(CloseCode.Unauthorized, `Unauthorized: ${limit}`);
    // nothing more is read; the client has the time to see the reason
    socket.pause();
    setTimeout(() => socket.terminate(), farewellMs).unref();
  };
  connection.on('data', look);
};
