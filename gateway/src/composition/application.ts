import type { RequestListener } from 'node:http';
import { addUnknownPaths, createClientErrors, createFrameworkErrors } from '@fds/rest-facade';
import { fastify, type FastifyInstance } from 'fastify';
import type { BoundServer } from './bound-server.js';

/** A fastify application behind a server that is bound already. */
export interface Application {
  readonly app: FastifyInstance;
  /** Call when everything is registered: requests reach the application from then on. */
  open(): Promise<void>;
}

/** Every body and answer is checked and written by the doors themselves; without these, fastify loads compilers for both. */
const withoutSchemas = (): never => {
  throw new TypeError('a route of this service has no schema of fastify');
};

/** @param baseUrl address that clients see, for the types of problems */
export const createApplication = (bound: BoundServer, baseUrl: string): Application => {
  let listener: RequestListener | undefined;
  const app = fastify({
    frameworkErrors: createFrameworkErrors(baseUrl),
    clientErrorHandler: createClientErrors(baseUrl),
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    serverFactory: (handler) => {
      listener = handler;
      return bound.server;
    },
  });
  addUnknownPaths(app, baseUrl);
  return {
    app,
    open: async () => {
      await app.ready();
      if (listener !== undefined) bound.attach(listener);
    },
  };
};
