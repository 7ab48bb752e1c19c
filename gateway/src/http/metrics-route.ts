import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** `GET /metrics` in the Prometheus text format: open on loopback, elsewhere with a token. */
export const registerMetricsRoute = (
  app: FastifyInstance,
  authenticate: (authorization: string | undefined) => Promise<unknown>,
): void => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  app.get('/metrics', async (request, reply) => {
    if (!loopback.test(request.socket.remoteAddress ?? '')) await authenticate(request.headers.authorization);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
};
