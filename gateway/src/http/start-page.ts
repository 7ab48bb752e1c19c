import type { FastifyInstance } from 'fastify';
import { escapeHtml, renderPage } from '../pages/index.js';

/** Addresses that the start page shows. */
export interface StartPageFacts {
  readonly baseUrl: string;
  /** Undefined when the assembly service is off, or its address is not known. */
  readonly assemblyUrl: string | undefined;
}

const link = (path: string, name: string, meaning: string): string =>
  `<p><a href="${path}">${name}</a><br>${escapeHtml(meaning)}</p>`;

/** Serves a page at `/` that leads to the doors of the service. It shows no data and needs no token. */
export const registerStartPage = (app: FastifyInstance, { baseUrl, assemblyUrl }: StartPageFacts): void => {
  const { headers, html } = renderPage(
    'Start',
    [
      link('/graphql', 'GraphQL', 'Records and resources in one graph, with GraphiQL in a browser'),
      link('/docs', 'REST', `The documented paths below ${baseUrl}/api, with requests to try`),
      link('/api/openapi.json', 'OpenAPI document', 'For generators of clients'),
      link('/health', 'Health', 'The state of the service and of its parts'),
      ...(assemblyUrl === undefined
        ? []
        : [`<p>Assembly service: <code>POST ${escapeHtml(assemblyUrl)}/request</code></p>`]),
      `<p>A token: <code>curl -u USER -d grant_type=client_credentials ${escapeHtml(baseUrl)}/oauth2/token</code></p>`,
    ].join('\n'),
  );
  app.get('/', (_request, reply) => reply.headers(headers).send(html));
  // generators look for the document at this path first
  app.get('/openapi.json', ({ url }, reply) => reply.redirect(`/api${url}`, 308));
};
