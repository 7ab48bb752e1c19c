import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonSchema } from '../openapi/json-schema.js';
import type { DocumentedAddresses } from './swagger-ui-server.js';
import { renderErrorsHtml } from './render-errors-html.js';

/**
 * Serves Swagger UI at `/docs`, without the network, and the page of error codes at `/docs/errors`. Swagger UI is loaded
 * when somebody first looks.
 *
 * @param describe gives the OpenAPI document, asked for then
 */
export const createDocsPlugin =
  (describe: () => JsonSchema, addresses: DocumentedAddresses): FastifyPluginAsync =>
  async (docs) => {
    let opening: Promise<FastifyInstance> | undefined;
    const open = async (): Promise<FastifyInstance> => {
      const { openSwaggerUiServer } = await import('./swagger-ui-server.js');
      return openSwaggerUiServer(describe(), addresses);
    };
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      opening ??= open();
      const pages = await opening;
      reply.hijack();
      // what the server says on every answer
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      pages.routing(request.raw, reply.raw);
    };
    docs.get('/docs', answer);
    docs.get('/docs/*', answer);
    docs.addHook('onClose', async () => {
      await (await opening)?.close();
    });
    const errorsPage = renderErrorsHtml();
    docs.get('/docs/errors', async (_request, reply) =>
      reply
        .header(
          'content-security-policy',
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
        )
        .type('text/html; charset=utf-8')
        .send(errorsPage),
    );
  };
