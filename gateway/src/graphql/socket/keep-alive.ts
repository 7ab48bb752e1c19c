import type { WebSocket } from 'ws';

const pingEveryMs = 30_000;

/** Ends a socket whose client does not answer pings. */
export const keepAlive = (socket: WebSocket): void => {
  let answered = true;
  const timer = setInterval(() => {
    // a socket that is paused does not see the answer; `unreadMs` ends it
    if (!answered && !socket.isPaused) return socket.terminate();
    answered = false;
    socket.ping();
  }, pingEveryMs);
  socket.on('pong', () => {
    answered = true;
  });
  socket.once('close', () => clearInterval(timer));
};
