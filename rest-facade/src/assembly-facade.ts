import type { GraphqlExecutor } from '@fds/graphql';
import type { Log } from '@fds/service';
import type { FastifyPluginAsync } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { createApiPlugin, type OnForbidden } from './http/api-plugin.js';
import type { Authenticate } from './http/endpoint-handlers.js';
import { compileEndpoint } from './operation/compile-endpoint.js';
import { readOperation } from './operation/read-operation.js';
import { assemblyRoute } from './routes/records/assembly-route.js';

export interface AssemblyFacadeDependencies {
  /** Runs operations of the assembly subgraph: the gateway's executor, or the subgraph's own. */
  readonly executor: GraphqlExecutor;
  /** A schema that has the field `assemble`. */
  readonly schema: GraphQLSchema;
  /** Verifies the bearer token of a request. @throws AppError UNAUTHENTICATED */
  readonly authenticate: Authenticate;
  /** Address of the assembly service that clients see, without a slash at the end. */
  readonly baseUrl: string;
  /** Address of the page of error codes. */
  readonly errorsPage: string;
  /** Told of every request that its caller may not make. */
  readonly onForbidden?: OnForbidden;
  readonly log: Log;
  /** Largest body in bytes. */
  readonly maxBodyBytes: number;
}

/** `POST /request` of the assembly service, with the conventions and problems of the REST API. */
export const createAssemblyFacade = (dependencies: AssemblyFacadeDependencies): FastifyPluginAsync => {
  const { executor, schema, authenticate, baseUrl, errorsPage, onForbidden, log, maxBodyBytes } = dependencies;
  const operation = readOperation(assemblyRoute.document, schema);
  const endpoint = compileEndpoint(assemblyRoute, operation, { executor, baseUrl, reads: [] });
  return createApiPlugin({ endpoints: [endpoint], authenticate, errorsPage, maxBodyBytes, onForbidden, log });
};
