import { toUnavailable } from '@fds/database';
import { AppError } from '@fds/errors';
import type { GraphqlAnswer, RequestContext, Subgraph } from '@fds/graphql';
import { UnusualValue } from '@fds/record-types';
import type { Log } from '@fds/service';
import { GraphQLError, execute, parse, validate, type DocumentNode, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { cacheShares, defaultCacheBytes, fetchBytes } from '../executor/retained-bytes.js';
import { answerErrors } from '../errors/answer-errors.js';

/** One fetch of a plan, as the gateway sends it. */
export interface SubgraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

/** Runs fetches on a subgraph in this process. Never rejects: faults are in `errors`, in their public form. */
export type SubgraphExecutor = (request: SubgraphRequest, context: RequestContext) => Promise<GraphqlAnswer>;

/** A database that cannot be reached is UNAVAILABLE, not our fault. */
const withAvailability = (error: GraphQLError): unknown => {
  const { originalError } = error;
  if (originalError === undefined || 'extensions' in originalError) return error;
  const known = toUnavailable(originalError);
  return known === originalError || !(known instanceof AppError)
    ? error
    : new GraphQLError(known.message, {
        originalError: known,
        extensions: known.extensions,
        ...(error.path === undefined ? {} : { path: error.path }),
      });
};

/** Places in a fetch mean nothing to the caller, who wrote another document. */
const withoutLocations = ({ message, path, extensions }: NonNullable<GraphqlAnswer['errors']>[number]) => ({
  message,
  ...(path === undefined ? {} : { path }),
  ...(extensions === undefined ? {} : { extensions }),
});

const isUnusual = ({ originalError }: GraphQLError): boolean => originalError instanceof UnusualValue;

/** A parsed document and the schema that it was found to fit. */
interface ReadDocument {
  readonly document: DocumentNode;
  /** Does not keep the schema: it may be as large as thousands of documents. */
  schema: WeakRef<GraphQLSchema> | undefined;
}

/** Parses each document once, and validates it once for as long as the part of the schema that it asks for stays. */
export const createSubgraphExecutor = (
  subgraph: Pick<Subgraph, 'name' | 'schema' | 'schemaFor' | 'shortcutFor'>,
  log: Log,
  cacheBytes = defaultCacheBytes,
): SubgraphExecutor => {
  const documents = new LRUCache<string, ReadDocument>({
    maxSize: Math.ceil(cacheBytes * cacheShares.fetches),
    sizeCalculation: ({ document }, source) => fetchBytes(source, document),
  });

  const parseOnce = (source: string): ReadDocument => {
    const known = documents.get(source);
    if (known !== undefined) return known;
    const read = { document: parse(source, { noLocation: true }), schema: undefined };
    documents.set(source, read);
    return read;
  };

  /** @throws AppError UNAVAILABLE when it does not fit (any more): the gateway's plan is older than a change */
  const read = (source: string): { readonly document: DocumentNode; readonly schema: GraphQLSchema } => {
    const known = parseOnce(source);
    const { document } = known;
    const schema = subgraph.schemaFor?.(document) ?? subgraph.schema;
    if (known.schema?.deref() === schema) return { document, schema };
    const [fault] = validate(schema, document, undefined, { maxErrors: 1 });
    if (fault !== undefined) {
      throw new AppError('UNAVAILABLE', 'a record type has just changed', {
        cause: new Error(`${subgraph.name} refuses a planned fetch: ${fault.message}`),
      });
    }
    known.schema = new WeakRef(schema);
    return { document, schema };
  };

  return async ({ query, variables, operationName }, context) => {
    try {
      const { document, schema } = read(query);
      const run = (on: GraphQLSchema) =>
        execute({
          schema: on,
          document,
          variableValues: variables ?? {},
          operationName: operationName ?? null,
          contextValue: context,
        });
      const shortcut = subgraph.shortcutFor?.(document);
      const answer = await run(shortcut ?? schema);
      const { data, errors } = shortcut !== undefined && answer.errors?.some(isUnusual) ? await run(schema) : answer;
      if (errors === undefined) return { data: data ?? null };
      const answered = answerErrors(errors.map(withAvailability), { requestId: context.requestId, log });
      return { data: data ?? null, errors: answered.map(withoutLocations) };
    } catch (error) {
      return { errors: answerErrors([error], { requestId: context.requestId, log }).map(withoutLocations) };
    }
  };
};
