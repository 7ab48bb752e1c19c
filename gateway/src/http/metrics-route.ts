import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServiceMetrics } from './service-metrics.js';

/** Headers by which proxies say that they pass on a request of somebody else. */
const ofProxies = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** Did the request come from a process of this host, and not through a proxy on it? */
const isLocal = ({ socket, headers }: FastifyRequest): boolean =>
  loopback.test(socket.remoteAddress ?? '') && ofProxies.every((name) => headers[name] === undefined);

/** `GET /metrics` in the Prometheus text format: open on loopback, elsewhere with a token. */
export const registerMetricsRoute = (
  app: FastifyInstance,
  { metrics }: { readonly metrics: Pick<ServiceMetrics, 'contentType' | 'text'> },
  authenticate: (authorization: string | undefined) => Promise<unknown>,
): void => {
  app.get('/metrics', async (request, reply) => {
    if (!isLocal(request)) await authenticate(request.headers.authorization);
    return reply.type(metrics.contentType).send(await metrics.text());
  });
};
