import type { GraphqlExecutor } from '@fds/graphql';
import { once, type Log } from '@fds/service';
import type { FastifyPluginAsync } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Shape } from './answer/answer-shape.js';
import { createApiPlugin, type OnForbidden } from './http/api-plugin.js';
import type { Authenticate } from './http/endpoint-handlers.js';
import { createDocsPlugin } from './http/docs-plugin.js';
import type { Endpoint, PermittedEndpoint } from './http/endpoint.js';
import type { IdempotencyStore } from './idempotency/idempotency-store.js';
import { serveOnce, type ReadAgain } from './idempotency/serve-once.js';
import { receiveFile } from './files/receive-file.js';
import { createFileUploads } from './files/upload-file.js';
import { describeApi } from './openapi/describe-api.js';
import type { EndpointDescription } from './openapi/describe-endpoint.js';
import { openapiDocument } from './openapi/openapi-document.js';
import { readRoutes } from './openapi/read-routes.js';
import type { FindVisibleVersions } from './openapi/domains/load-record-versions.js';
import { openapiEndpoint } from './openapi/openapi-endpoint.js';
import { configurationSchemaEndpoint, endpointsEndpoint } from './openapi/self-endpoints.js';
import { compileEndpoint, resourceShape, type ResultReader } from './operation/compile-endpoint.js';
import { linesOfPages } from './operation/lines-of-pages.js';
import { readLoneRecord, type ReadRecord } from './routes/records/read-lone-record.js';
import { graphqlSchemaEndpoint } from './openapi/graphql-schema-endpoint.js';

export interface RestFacadeDependencies {
  readonly executor: GraphqlExecutor;
  /** Reads single records without the executor, where the records are in this process. Default: the executor reads them. */
  readonly readRecord?: ReadRecord | undefined;
  /** The static API schema. Documents are validated against it, and answers are translated by its types. */
  readonly schema: GraphQLSchema;
  /** Verifies the bearer token of a request. @throws AppError UNAUTHENTICATED */
  readonly authenticate: Authenticate;
  /** Address that clients see, without a slash at the end. */
  readonly baseUrl: string;
  /** Stores requests with an Idempotency-Key. The caller closes it. */
  readonly idempotency: IdempotencyStore;
  /** Returns the live versions whose record types a caller may see. */
  readonly findVisibleVersions: FindVisibleVersions;
  /** Called for every request that the caller may not make. */
  readonly onForbidden?: OnForbidden;
  /** Address of the assembly service that clients see, for its description; undefined when it is switched off. */
  readonly assemblyUrl?: string | undefined;
  /** Endpoints below `/api` that another component serves. They are described like those served here. */
  readonly others?: readonly EndpointDescription[];
  /** Further endpoints below `/api`, with their descriptions. */
  readonly further?: readonly { readonly endpoint: Endpoint; readonly description: EndpointDescription }[];
  readonly log: Log;
  readonly limits?: {
    /** Largest body in bytes. Default 1 MiB. */
    readonly maxBodyBytes?: number;
    /** Largest file of the bulk import in bytes. Default 10 MiB. */
    readonly maxFileBytes?: number;
  };
}

const defaultMaxBodyBytes = 2 ** 20;
const defaultMaxFileBytes = 10 * 2 ** 20;

/** A path without the names of its placeholders. */
const placeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

/**
 * The REST API at `/api` with its documentation at `/docs`. Register it at the root of the server, without a prefix.
 *
 * @throws Error when a route does not fit the schema
 */
export const createRestFacade = (dependencies: RestFacadeDependencies): FastifyPluginAsync => {
  const {
    executor,
    schema,
    authenticate,
    baseUrl,
    idempotency,
    findVisibleVersions,
    onForbidden,
    log,
    further = [],
    limits = {},
  } = dependencies;
  const withoutRepeats = (serve: PermittedEndpoint['serve'], readAgain?: ReadAgain) =>
    serveOnce(serve, idempotency, log, readAgain);
  const { readRecord } = dependencies;
  const readers: Readonly<Record<string, ResultReader | undefined>> = {
    getDataRecord: readRecord && readLoneRecord(readRecord),
  };
  const routes = readRoutes(schema);
  // made on first use, because describing everything costs a tenth of a second
  const description = once(() =>
    describeApi(routes, {
      others: [...further.map(({ description: each }) => each), ...(dependencies.others ?? [])],
      assemblyUrl: dependencies.assemblyUrl,
    }),
  );
  const document = once(() => openapiDocument(description().endpoints, description().registry, baseUrl));
  // the answer to the request that created the resource shows it too
  const shapesAt = (path: string): Shape[] =>
    routes
      .filter(({ route }) => route.path === path || placeOf(route.location ?? '') === placeOf(path))
      .map(({ route, operation }) => resourceShape(route, operation));
  const maxFileBytes = limits.maxFileBytes ?? defaultMaxFileBytes;
  const uploads = createFileUploads(executor, maxFileBytes);
  const endpoints: Endpoint[] = [
    ...routes.map(({ route, operation }) => {
      const endpoint = compileEndpoint(route, operation, {
        executor,
        reader: readers[route.operationId],
        baseUrl,
        reads: shapesAt(route.path),
        withoutRepeats,
        lines: route.lines && linesOfPages(executor, route.lines.document),
      });
      return route.receives === undefined ? endpoint : receiveFile(endpoint, { uploads, maxFileBytes, log });
    }),
    graphqlSchemaEndpoint(executor),
    configurationSchemaEndpoint(baseUrl),
    endpointsEndpoint(() => description().endpoints),
    ...further.map(({ endpoint }) => endpoint),
    openapiEndpoint({ describe: document, executor, findVisibleVersions, graphiqlUrl: `${baseUrl}/graphql` }),
  ];
  return async (server) => {
    await server.register(
      createApiPlugin({
        endpoints,
        authenticate,
        errorsPage: `${baseUrl}/docs/errors`,
        maxBodyBytes: limits.maxBodyBytes ?? defaultMaxBodyBytes,
        maxDocumentBytes: maxFileBytes,
        onForbidden,
        log,
      }),
      { prefix: '/api' },
    );
    await server.register(createDocsPlugin({ baseUrl, assemblyUrl: dependencies.assemblyUrl }));
  };
};
