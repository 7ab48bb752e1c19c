import { AppError } from '@fds/errors';
import { GraphQLError, Kind, visit, type DocumentNode, type GraphQLSchema } from 'graphql';
import { createDocuments } from '../executor/documents.js';
import { cacheShares, defaultCacheBytes } from '../executor/retained-bytes.js';
import type { OperationLimits } from '../limits/operation-limits.js';

/** Root fields of a part that only the gateway may select; introspection would show them. */
const fieldsOfTheGateway: ReadonlySet<string> = new Set(['_entities', '_service', '__schema', '__type']);

/** Checks documents that reach a part from elsewhere than the gateway. */
export interface OutsideRequests {
  /**
   * @throws AppError QUERY_TOO_COMPLEX, and GraphQLError with code GRAPHQL_PARSE_FAILED, as the gateway does
   * @throws GraphQLError with code GRAPHQL_VALIDATION_FAILED for a field of the gateway
   */
  require(source: string): void;
}

const requireNoGatewayField = (document: DocumentNode): void => {
  visit(document, {
    [Kind.FIELD]: ({ name: { value } }) => {
      if (!fieldsOfTheGateway.has(value)) return;
      throw new GraphQLError(`Cannot query field "${value}": only the gateway can.`, {
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      });
    },
  });
};

/** @param onTooComplex called for each document over a limit */
export const createOutsideRequests = (
  schema: GraphQLSchema,
  limits: OperationLimits,
  onTooComplex?: () => void,
  cacheBytes = defaultCacheBytes,
): OutsideRequests => {
  // its share of the fetches: a process without the gateway has no documents of clients beside them
  const documents = createDocuments(limits, schema, cacheBytes * cacheShares.fetches);
  return {
    require: (source) => {
      try {
        requireNoGatewayField(documents.read(source));
      } catch (error) {
        if (error instanceof AppError && error.code === 'QUERY_TOO_COMPLEX') onTooComplex?.();
        throw error;
      }
    },
  };
};
