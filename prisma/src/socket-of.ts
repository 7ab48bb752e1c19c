import { Socket } from 'node:net';

/** The socket of a connection; `pg` does not type it. */
export const socketOf = (client: object): Socket | undefined => {
  if (!('connection' in client) || typeof client.connection !== 'object' || client.connection === null)
    return undefined;
  const { connection } = client;
  return 'stream' in connection && connection.stream instanceof Socket ? connection.stream : undefined;
};
