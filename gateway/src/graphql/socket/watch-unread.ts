import type { WebSocket } from 'ws';
import { policyViolation } from './close-codes.js';

/** Counts the messages that have not left the process. */
export interface UnreadWatch {
  /** A message is handed to the socket. */
  began(): void;
  /** The message has left the process, or failed. */
  ended(): void;
}

export interface UnreadWatchOptions {
  readonly unreadMs: number;
  /** Called before the socket is ended. */
  readonly onEnd: () => void;
}

/** Ends a socket whose client reads nothing for a time. */
export const watchUnread = (socket: WebSocket, { unreadMs, onEnd }: UnreadWatchOptions): UnreadWatch => {
  let sending = 0;
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    onEnd();
    socket.close(policyViolation, 'Answers are not read');
  };
  socket.once('close', () => clearTimeout(timer));
  return {
    began: () => {
      sending += 1;
      timer ??= setTimeout(end, unreadMs);
    },
    ended: () => {
      sending -= 1;
      if (sending > 0) return void timer?.refresh();
      clearTimeout(timer);
      timer = undefined;
    },
  };
};
