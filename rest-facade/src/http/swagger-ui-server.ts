import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { fastify, type FastifyInstance } from 'fastify';
import type { JsonSchema } from '../openapi/json-schema.js';
import { addUnknownPaths } from './add-unknown-paths.js';

type StaticDocument = Parameters<typeof swagger>[1] extends { specification?: infer Given } ? Given : never;

/** Everything comes from this server; Swagger UI sets styles of its own and shows images it was built with. */
const contentSecurityPolicy = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'connect-src': ["'self'"],
  'font-src': ["'self'", 'data:'],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
};

/**
 * Swagger UI below `/docs`, ready to route requests; it listens nowhere. The caller closes it.
 *
 * @param baseUrl address that clients see
 */
export const openSwaggerUiServer = async (document: JsonSchema, baseUrl: string): Promise<FastifyInstance> => {
  const server = fastify();
  addUnknownPaths(server, baseUrl);
  const specification = { document } as unknown as StaticDocument;
  await server.register(swagger, { mode: 'static', specification } as Parameters<typeof swagger>[1]);
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    uiConfig: { deepLinking: true, persistAuthorization: false, tryItOutEnabled: true },
  });
  await server.ready();
  return server;
};
