import { WebSocket } from 'undici';

/** Opens a graphql-ws socket with the token, if any. @returns the code it is closed with; 0 when it is acknowledged */
export const socketEnd = (baseUrl: string, token: string | undefined): Promise<number> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const payload = token === undefined ? {} : { payload: { authorization: `Bearer ${token}` } };
    socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'connection_init', ...payload })));
    socket.addEventListener('close', ({ code }) => resolve(code));
    socket.addEventListener('message', () => {
      resolve(0);
      socket.close();
    });
  });
