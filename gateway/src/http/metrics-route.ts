import type { FastifyInstance } from 'fastify';
import type { ServiceMetrics } from './service-metrics.js';

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** `GET /metrics` in the Prometheus text format: open on loopback, elsewhere with a token. */
export const registerMetricsRoute = (
  app: FastifyInstance,
  { metrics }: { readonly metrics: Pick<ServiceMetrics, 'contentType' | 'text'> },
  authenticate: (authorization: string | undefined) => Promise<unknown>,
): void => {
  app.get('/metrics', async (request, reply) => {
    if (!loopback.test(request.socket.remoteAddress ?? '')) await authenticate(request.headers.authorization);
    return reply.type(metrics.contentType).send(await metrics.text());
  });
};
