import type { FastifyPluginAsync } from 'fastify';
import { addPageAssets, readSwaggerHtml } from './page-assets.js';
import { errorCatalogue, type ErrorDefinition } from '@fds/errors';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);

/** The page of error codes that `type` of a problem refers to. Each code has a heading with its id. */
const renderErrorsHtml = (catalogue: Readonly<Record<string, ErrorDefinition>> = errorCatalogue): string => {
  const entries = Object.entries(catalogue).map(
    ([code, { status, title, advice, retryable }]) =>
      `<h2 id="${code}">${code}</h2><p>${status}${retryable ? ', may be repeated unchanged' : ''}. ${escape(title)}.</p><p>${escape(advice)}</p>`,
  );
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Error codes</title>',
    '<style>body{font:16px/1.5 sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}</style>',
    '<h1>Error codes</h1>',
    ...entries,
    '</html>',
  ].join('\n');
};

/** Addresses that clients see. */
export interface DocumentedAddresses {
  readonly baseUrl: string;
  /** Address of the assembly service; undefined when it is not documented. */
  readonly assemblyUrl: string | undefined;
}

const pageSecurity = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/**
 * Allows files of this server only, and answers of the assembly service to "Try it out". Swagger UI sets its own styles
 * and contains images.
 */
const swaggerPolicy = ({ assemblyUrl }: DocumentedAddresses): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self'${assemblyUrl === undefined ? '' : ` ${new URL(assemblyUrl).origin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const errorsPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** Inserts the address of the service into a page. The address is not user input. */
export const withBaseUrl = (html: string, baseUrl: string): string =>
  html.replaceAll('{{baseUrl}}', encodeURI(baseUrl).replaceAll('"', '%22'));

/** Serves Swagger UI at `/docs`, which loads nothing from other hosts, and the page of error codes at `/docs/errors`. */
export const createDocsPlugin =
  (addresses: DocumentedAddresses): FastifyPluginAsync =>
  async (docs) => {
    const html = withBaseUrl(readSwaggerHtml(), addresses.baseUrl);
    const headers = { ...pageSecurity, 'content-security-policy': swaggerPolicy(addresses) };
    docs.get('/docs', (_request, reply) => reply.headers(headers).type('text/html; charset=utf-8').send(html));
    addPageAssets(docs);
    const errorsPage = renderErrorsHtml();
    docs.get('/docs/errors', async (_request, reply) =>
      reply.header('content-security-policy', errorsPolicy).type('text/html; charset=utf-8').send(errorsPage),
    );
  };
