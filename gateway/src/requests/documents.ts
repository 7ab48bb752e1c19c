import { AppError } from '@fds/errors';
import { GraphQLError, parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { documentBytes } from './retained-bytes.js';
import { createIntrospectionLimit } from '../limits/introspection-cost.js';
import { measureDocument } from '../limits/measure-document.js';
import {
  requireFewDefinitions,
  requireFewLines,
  requireWithinLimits,
  type OperationLimits,
} from '../limits/operation-limits.js';
import { requireFewComparisons } from '../limits/require-few-comparisons.js';
import { requireShallow } from '../limits/require-shallow.js';
import { requireStorableLiterals } from '../limits/require-storable-text.js';
import { withoutRepeats } from '../limits/without-repeats.js';

/** Documents by their text. Each is parsed and measured once. */
export interface Documents {
  /**
   * Parses a document and checks the limits. Selections that repeat another are removed. It is not checked against the
   * schema yet.
   *
   * @throws GraphQLError with code GRAPHQL_PARSE_FAILED. @throws AppError QUERY_TOO_COMPLEX
   */
  read(source: string): DocumentNode;
  /** Returns a document that is cached; undefined for another one. */
  known(source: string): DocumentNode | undefined;
  /** Removes a document that turned out to be useless from the cache. */
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
 * Creates a cache of documents that are within the limits.
 *
 * @param schema its averages determine the cost of introspection
 * @param maxBytes of cached documents; the least recently used are dropped first
 */
export const createDocuments = (limits: OperationLimits, schema: GraphQLSchema, maxBytes: number): Documents => {
  const requireLittleIntrospection = createIntrospectionLimit(schema, limits.maxIntrospections);
  const kept = new LRUCache<string, DocumentNode>({
    maxSize: Math.ceil(maxBytes),
    sizeCalculation: (document, source) => documentBytes(source, document),
  });

  const readNew = (source: string): DocumentNode => {
    requireFewLines(source);
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
      // a refused document is not cached, since refusing it again costs little
      if (document === undefined) kept.set(source, (document = readNew(source)));
      return document;
    },
    known: (source) => kept.get(source),
    forget: (source) => void kept.delete(source),
  };
};
