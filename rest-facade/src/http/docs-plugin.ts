import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyPluginAsync } from 'fastify';
import type { JsonSchema } from '../openapi/json-schema.js';
import { renderErrorsHtml } from './render-errors-html.js';

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

/** Serves Swagger UI at `/docs`, without the network, and the page of error codes at `/docs/errors`. */
export const createDocsPlugin =
  (document: JsonSchema): FastifyPluginAsync =>
  async (docs) => {
    const specification = { document } as unknown as StaticDocument;
    await docs.register(swagger, { mode: 'static', specification } as Parameters<typeof swagger>[1]);
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: contentSecurityPolicy,
      uiConfig: { deepLinking: true, persistAuthorization: false, tryItOutEnabled: true },
    });
    const errorsPage = renderErrorsHtml();
    docs.get('/docs/errors', async (_request, reply) =>
      reply
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .type('text/html; charset=utf-8')
        .send(errorsPage),
    );
  };
