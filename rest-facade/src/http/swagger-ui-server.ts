import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { fastify, type FastifyInstance } from 'fastify';
import type { JsonSchema } from '../openapi/json-schema.js';
import { addUnknownPaths } from './add-unknown-paths.js';

type StaticDocument = Parameters<typeof swagger>[1] extends { specification?: infer Given } ? Given : never;

/** Addresses that clients see. */
export interface DocumentedAddresses {
  readonly baseUrl: string;
  /** Address of the assembly service; undefined: it is not documented. */
  readonly assemblyUrl: string | undefined;
}

/**
 * Everything comes from this server, except answers of the assembly service to "Try it out". Swagger UI sets its own styles and shows its built-in images.
 */
const contentSecurityPolicy = ({ assemblyUrl }: DocumentedAddresses) => ({
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'connect-src': ["'self'", ...(assemblyUrl === undefined ? [] : [new URL(assemblyUrl).origin])],
  'font-src': ["'self'", 'data:'],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
});

/** Swagger UI below `/docs`, ready to route requests; it listens nowhere. The caller closes it. */
export const openSwaggerUiServer = async (
  document: JsonSchema,
  addresses: DocumentedAddresses,
): Promise<FastifyInstance> => {
  const server = fastify();
  addUnknownPaths(server, addresses.baseUrl);
  const specification = { document } as unknown as StaticDocument;
  await server.register(swagger, { mode: 'static', specification } as Parameters<typeof swagger>[1]);
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy(addresses),
    uiConfig: { deepLinking: true, persistAuthorization: false, tryItOutEnabled: true },
  });
  await server.ready();
  return server;
};
