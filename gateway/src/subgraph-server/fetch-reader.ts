import { AppError } from '@fds/errors';
import type { Subgraph } from '@fds/graphql';
import { parse, validate, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { cacheShares, defaultCacheBytes, fetchBytes } from '../requests/retained-bytes.js';

/** A document and the schema that it fits. */
export interface ReadFetch {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
}

/** Reads fetches. It parses each document once, and validates it once until its part of the schema changes. */
export interface FetchReader {
  /**
   * @param refuse creates the error for a document that does not fit the schema. Default: UNAVAILABLE, because a plan
   * of the gateway that does not fit was made before a change of the schema
   */
  read(source: string, refuse?: (fault: GraphQLError) => Error): ReadFetch;
}

/** A parsed document and the schema against which it is valid. */
interface KeptDocument {
  readonly document: DocumentNode;
  /** A weak reference: the schema may be as large as thousands of documents. */
  schema: WeakRef<GraphQLSchema> | undefined;
}

export const createFetchReader = (
  subgraph: Pick<Subgraph, 'name' | 'schema' | 'schemaFor'>,
  cacheBytes = defaultCacheBytes,
): FetchReader => {
  const documents = new LRUCache<string, KeptDocument>({
    maxSize: Math.ceil(cacheBytes * cacheShares.fetches),
    sizeCalculation: ({ document }, source) => fetchBytes(source, document),
  });

  const parseOnce = (source: string): KeptDocument => {
    const known = documents.get(source);
    if (known !== undefined) return known;
    const read = { document: parse(source, { noLocation: true }), schema: undefined };
    documents.set(source, read);
    return read;
  };

  const outdated = (fault: GraphQLError): AppError =>
    new AppError('UNAVAILABLE', 'a record type has just changed', {
      cause: new Error(`${subgraph.name} refuses a planned fetch: ${fault.message}`),
    });

  return {
    read: (source, refuse = outdated) => {
      const known = parseOnce(source);
      const { document } = known;
      const schema = subgraph.schemaFor?.(document) ?? subgraph.schema;
      if (known.schema?.deref() === schema) return { document, schema };
      const [fault] = validate(schema, document, undefined, { maxErrors: 1, hideSuggestions: true });
      if (fault !== undefined) throw refuse(fault);
      known.schema = new WeakRef(schema);
      return { document, schema };
    },
  };
};
