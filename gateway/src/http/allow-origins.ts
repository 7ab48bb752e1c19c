import fastifyCors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Headers of an answer that scripts of other origins may read. */
const exposedHeaders = [
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

/**
 * Lets pages of these origins call the service (CORS). They get no cookies, since the doors use bearer tokens. Without
 * origins, no answer has a CORS header, and browsers allow only the service's own pages.
 */
export const allowOrigins = (app: FastifyInstance, origins: readonly string[]): void => {
  if (origins.length === 0) return;
  void app.register(fastifyCors, {
    origin: origins.map((origin) => new URL(origin).origin),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders,
    maxAge: 600,
  });
};
