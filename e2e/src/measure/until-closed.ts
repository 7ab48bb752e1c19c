import type { Socket } from 'node:net';

/** Resolves when the connection is closed, normally or by a reset. */
export const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) return resolve();
    // an error is followed by the close
    socket.on('error', () => undefined).once('close', () => resolve());
    // a paused socket does not notice its end
    socket.resume();
  });
