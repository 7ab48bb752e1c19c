import { AppError } from '@fds/errors';
import { GraphQLError, Kind, visit, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { PlanningCaller, PlanningShare } from '../requests/create-planning-share.js';
import { createDocuments } from '../requests/documents.js';
import { cacheShares, defaultCacheBytes } from '../requests/retained-bytes.js';
import { compileCost } from '../limits/operation-cost.js';
import { requireAffordable, type OperationLimits } from '../limits/operation-limits.js';
import type { FetchReader, ReadFetch } from './fetch-reader.js';
import type { SubgraphRequest } from './subgraph-executor.js';

/** Root fields of a part that only the gateway may select. Introspection would show them. */
const fieldsOfTheGateway: ReadonlySet<string> = new Set(['_entities', '_service', '__schema', '__type']);

/** Checks requests to a part that do not come from the gateway. */
export interface OutsideRequests {
  /**
   * A new document counts against the time of its caller.
   *
   * @throws AppError QUERY_TOO_COMPLEX and RATE_LIMITED, GraphQLError with code GRAPHQL_PARSE_FAILED, as in the gateway
   * @throws GraphQLError with code GRAPHQL_VALIDATION_FAILED for a document that does not fit, or a field that only the
   * gateway may select
   */
  require(request: SubgraphRequest, caller: PlanningCaller): Promise<void>;
}

export interface OutsideRequestsOptions {
  readonly schema: GraphQLSchema;
  /** Shared with the executor of the part, so that a document is validated once. */
  readonly reader: FetchReader;
  readonly limits: OperationLimits;
  readonly planning: PlanningShare;
  /** Called for each request that exceeds a limit. */
  readonly onTooComplex?: (() => void) | undefined;
  readonly cacheBytes?: number | undefined;
}

const invalid = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });

const requireNoGatewayField = (document: DocumentNode): void => {
  visit(document, {
    [Kind.FIELD]: ({ name: { value } }) => {
      if (fieldsOfTheGateway.has(value)) throw invalid(`Cannot query field "${value}": only the gateway can.`);
    },
  });
};

export const createOutsideRequests = (options: OutsideRequestsOptions): OutsideRequests => {
  const { schema, reader, limits, planning, onTooComplex, cacheBytes = defaultCacheBytes } = options;
  // uses the share of the fetches, because a process without the gateway has no client documents
  const documents = createDocuments(limits, schema, cacheBytes * cacheShares.fetches);

  const readAll = (source: string): ReadFetch => {
    requireNoGatewayField(documents.read(source));
    return reader.read(source, ({ message }) => invalid(message));
  };

  return {
    require: async ({ query, variables = {}, operationName }, caller) => {
      try {
        const read =
          documents.known(query) === undefined ? await planning.run(caller, () => readAll(query)) : readAll(query);
        requireAffordable(compileCost(read.schema, read.document, operationName)(variables), limits);
      } catch (error) {
        if (error instanceof AppError && error.code === 'QUERY_TOO_COMPLEX') onTooComplex?.();
        throw error;
      }
    },
  };
};
