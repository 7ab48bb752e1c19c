import { WebSocket } from 'ws';
import type { Leftovers } from '../../harness/leftovers.js';

/** A websocket that subscribes and then reads nothing. */
export interface DeafSubscriber {
  /** Reads again. @returns the code and the reason with which the service closed it */
  listen(): Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens it and waits for the first message, which `trigger` causes. */
export const openDeafSubscriber = async (
  leftovers: Leftovers,
  { baseUrl, token, query }: { readonly baseUrl: string; readonly token: string; readonly query: string },
): Promise<DeafSubscriber> => {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  leftovers.add(() => socket.terminate());
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })),
    );
    socket.on('message', (data: Buffer) => {
      const { type } = JSON.parse(data.toString('utf8')) as { readonly type: string };
      if (type !== 'connection_ack') return;
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }), () => {
        socket.pause();
        resolve();
      });
    });
  });
  return {
    listen: () => {
      socket.resume();
      return closed;
    },
  };
};
