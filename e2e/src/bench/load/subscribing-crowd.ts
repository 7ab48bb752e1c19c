import type { CrowdOptions } from './open-crowd.js';

/** Websockets of the service that subscribe with one query. */
export const subscribingCrowd = (
  {
    baseUrl,
    authorization,
    query,
  }: { readonly baseUrl: string; readonly authorization: string; readonly query: string },
  size: number,
): CrowdOptions => ({
  url: `${baseUrl.replace('http', 'ws')}/graphql`,
  size,
  protocol: 'graphql-transport-ws',
  greet: (send, received) => {
    if (received === undefined) send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
    else if (received.includes('connection_ack')) {
      send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
    }
  },
  counts: (text) => text.includes('"next"'),
});
