import type { RequestListener } from 'node:http';
import { addUnknownPaths, createClientErrors, createFrameworkErrors } from '@fds/rest-facade';
import type { Log } from '@fds/service';
import { fastify, type FastifyInstance } from 'fastify';
import { addSecurityHeaders } from '../../http/security-headers.js';
import { allowOrigins } from '../../http/allow-origins.js';
import { compressAnswers } from '../../http/compress-answers.js';
import { traceRequests } from '../../http/trace-requests.js';
import type { BoundServer } from '../../http/bound-server.js';
import type { TrafficMetrics } from '../../metrics/traffic-metrics.js';
import type { ServiceSettings } from '../settings/service-settings.js';

/** A fastify application behind a server that already listens. */
export interface Application {
  readonly app: FastifyInstance;
  /** Call it when everything is registered. Requests reach the application from then on. */
  open(): Promise<void>;
}

/** The doors themselves check and write every body and answer. Without these functions, fastify loads compilers for both. */
const withoutSchemas = (): never => {
  throw new TypeError('a route of this service has no schema of fastify');
};

/**
 * A path with a slash at its end is the path without it, at every door. Fastify and the authorization server see one
 * address.
 */
export const withoutEndSlash = (url: string): string => url.replace(/^(\/[^?#]*[^?#/])\/(?=$|[?#])/, '$1');

export interface ApplicationOptions {
  readonly log: Pick<Log, 'error'>;
  /** Address that clients see, used in the types of problems. */
  readonly baseUrl: string;
  readonly settings: Pick<ServiceSettings, 'trustedProxies' | 'corsOrigins'>;
  readonly metrics: Pick<TrafficMetrics, 'countRequest'>;
}

/** Measures every request by the template of its path. */
const meter = (app: FastifyInstance, metrics: ApplicationOptions['metrics']): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, is404, routeOptions } = request;
    const route = is404 ? undefined : routeOptions.url;
    metrics.countRequest({ method, route, status: reply.statusCode, ms: reply.elapsedTime });
    done();
  });
};

export const createApplication = (
  bound: BoundServer,
  { baseUrl, settings, metrics, log }: ApplicationOptions,
): Application => {
  const { trustedProxies, corsOrigins } = settings;
  let listener: RequestListener | undefined;
  const app = fastify({
    frameworkErrors: createFrameworkErrors(baseUrl),
    clientErrorHandler: createClientErrors(baseUrl),
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    rewriteUrl: ({ url = '/' }) => withoutEndSlash(url),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    serverFactory: (handler) => {
      listener = handler;
      return bound.server;
    },
  });
  traceRequests(app);
  meter(app, metrics);
  addUnknownPaths(app, baseUrl, log);
  addSecurityHeaders(app, baseUrl);
  allowOrigins(app, corsOrigins);
  compressAnswers(app);
  return {
    app,
    open: async () => {
      await app.ready();
      if (listener !== undefined) bound.attach(listener);
    },
  };
};
