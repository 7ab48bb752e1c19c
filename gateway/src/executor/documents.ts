import { AppError } from '@fds/errors';
import { GraphQLError, parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { documentBytes } from './retained-bytes.js';
import { createIntrospectionLimit } from '../limits/introspection-cost.js';
import { measureDocument } from '../limits/measure-document.js';
import { requireFewDefinitions, requireWithinLimits, type OperationLimits } from '../limits/operation-limits.js';
import { requireFewComparisons } from '../limits/require-few-comparisons.js';
import { requireShallow } from '../limits/require-shallow.js';
import { requireStorableLiterals } from '../limits/require-storable-text.js';
import { withoutRepeats } from '../limits/without-repeats.js';

/** Documents by their text, parsed and measured once. */
export interface Documents {
  /**
   * A parsed document that is within the limits, without selections that repeat another; whether it fits the schema is not
   * known yet.
   *
   * @throws GraphQLError with code GRAPHQL_PARSE_FAILED. @throws AppError QUERY_TOO_COMPLEX
   */
  read(source: string): DocumentNode;
  /** The same for a document that is kept already; undefined for another one. */
  known(source: string): DocumentNode | undefined;
  /** Keeps a document no longer: it turned out to be of no use. */
  forget(source: string): void;
}

const parseWithin = (source: string, maxTokens: number): DocumentNode => {
  try {
    requireShallow(source);
    return parse(source, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (error.message.includes('tokens. Parsing aborted')) {
      throw new AppError('QUERY_TOO_COMPLEX', `the document has more than ${maxTokens} tokens`);
    }
    throw new GraphQLError(error.message, {
      ...(error.source === undefined ? {} : { source: error.source }),
      ...(error.positions === undefined ? {} : { positions: error.positions }),
      extensions: { code: 'GRAPHQL_PARSE_FAILED' },
    });
  }
};

/**
 * Reads documents within the limits.
 *
 * @param schema its averages give the cost of introspection
 * @param maxBytes of documents that are kept; the least recently used go first
 */
export const createDocuments = (limits: OperationLimits, schema: GraphQLSchema, maxBytes: number): Documents => {
  const requireLittleIntrospection = createIntrospectionLimit(schema, limits.maxIntrospections);
  const kept = new LRUCache<string, DocumentNode>({
    maxSize: Math.ceil(maxBytes),
    sizeCalculation: (document, source) => documentBytes(source, document),
  });

  const readNew = (source: string): DocumentNode => {
    const document = parseWithin(source, limits.maxTokens);
    requireFewDefinitions(document, limits);
    requireWithinLimits(measureDocument(document), limits);
    const distinct = withoutRepeats(document, source);
    requireFewComparisons(distinct, limits);
    requireLittleIntrospection(distinct);
    requireStorableLiterals(distinct);
    return distinct;
  };

  return {
    read: (source) => {
      let document = kept.get(source);
      // a refused document is not kept: refusing it again costs little
      if (document === undefined) kept.set(source, (document = readNew(source)));
      return document;
    },
    known: (source) => kept.get(source),
    forget: (source) => void kept.delete(source),
  };
};
