import type { IncomingMessage } from 'node:http';
import { AppError } from '@fds/errors';
import type { Log } from '@fds/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { basicHeader, chooseClient, readBasicCredentials, type CredentialChecks } from './basic-credentials.js';

/** Addresses that the provider serves. Browsers send OPTIONS for requests from other origins. */
const routes: readonly { readonly method: 'GET' | 'POST'; readonly url: string }[] = [
  { method: 'POST', url: '/oauth2/token' },
  { method: 'GET', url: '/oauth2/auth' },
  { method: 'POST', url: '/oauth2/auth' },
  { method: 'GET', url: '/oauth2/auth/:uid' },
  { method: 'POST', url: '/oauth2/logout/confirm' },
  { method: 'GET', url: '/oauth2/jwks' },
  { method: 'POST', url: '/oauth2/introspect' },
  { method: 'POST', url: '/oauth2/revoke' },
  { method: 'GET', url: '/.well-known/openid-configuration' },
  { method: 'GET', url: '/.well-known/oauth-authorization-server' },
];

export interface ProviderRoutesOptions {
  /** Address that clients see. The provider always uses it, regardless of the host name that the caller used. */
  readonly issuer: string;
  /** Gets the address of each request before the provider handles it. */
  readonly addresses: WeakMap<IncomingMessage, string>;
  /** The address of a request; empty for one of the service itself. */
  readonly addressOf: (request: FastifyRequest) => string;
  /** Gets the secrets that a Basic header may mean, before the provider handles the request. */
  readonly meantSecrets: WeakMap<IncomingMessage, readonly string[]>;
  /** Choose the client of a Basic header that can be read in two ways; the address is that of the request. */
  readonly checksOf: (address: string) => CredentialChecks;
  readonly log: Log;
  readonly currentHandler: () => Promise<ReturnType<Provider['callback']>>;
}

/** No request of OAuth 2.0 has so many. The provider reads repeated ones in a time that grows with their square. */
const maxParameters = 100;

const hasManyParameters = (url: string): boolean => url.split('&', maxParameters + 1).length > maxParameters;

/** Passes requests with their unread body to the provider. */
export const addProviderRoutes = (scope: FastifyInstance, options: ProviderRoutesOptions): void => {
  const { issuer, addresses, addressOf, meantSecrets, checksOf, log, currentHandler } = options;
  const { protocol, host } = new URL(issuer);
  // the provider reads the body from the stream itself
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.setErrorHandler((error, request, reply) => {
    if (error instanceof AppError && error.code === 'RATE_LIMITED')
      return reply.code(429).header('retry-after', '1').send({ error: 'slow_down', error_description: error.message });
    log.error({ requestId: request.id, err: error }, 'the authorization server failed');
    return reply.code(500).send({ error: 'server_error', error_description: 'the authorization server failed' });
  });
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (hasManyParameters(request.url)) {
      const error_description = `the address has more than ${maxParameters} parameters`;
      return reply.code(400).send({ error: 'invalid_request', error_description });
    }
    const handleRaw = await currentHandler();
    const { headers } = request.raw;
    const readings = headers.authorization === undefined ? [] : readBasicCredentials(headers.authorization);
    const meant = await chooseClient(readings, checksOf(request.ip));
    if (meant !== undefined && meant.secrets.some((secret) => secret !== '')) {
      meantSecrets.set(request.raw, meant.secrets);
      // the provider takes printable ASCII only: the secrets themselves pass it by
      headers.authorization = basicHeader({ id: meant.id, secret: 'passed by' });
    }
    reply.hijack();
    headers['x-forwarded-proto'] = protocol.slice(0, -1);
    headers['x-forwarded-host'] = host;
    addresses.set(request.raw, addressOf(request));
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    reply.raw.setHeader('x-request-id', request.id);
    await handleRaw(request.raw, reply.raw);
  };
  for (const { method, url } of routes) scope.route({ method, url, handler: handle });
  for (const url of new Set(routes.map((route) => route.url))) scope.route({ method: 'OPTIONS', url, handler: handle });
};
