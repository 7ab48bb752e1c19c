import { toUnavailable } from '@fds/database';
import { AppError } from '@fds/errors';
import type { GraphqlAnswer, RequestContext, Subgraph } from '@fds/graphql';
import { UnusualValue } from '@fds/record-types';
import type { Log } from '@fds/service';
import { GraphQLError, execute, type GraphQLSchema } from 'graphql';
import { answerErrors } from '../errors/answer-errors.js';
import type { FetchReader } from './fetch-reader.js';

/** One fetch of a plan that the gateway sends. */
export interface SubgraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

/** Runs fetches on a subgraph in this process. It never rejects. Errors are in `errors`, in their public form. */
export type SubgraphExecutor = (request: SubgraphRequest, context: RequestContext) => Promise<GraphqlAnswer>;

/** An unreachable database is UNAVAILABLE, not an internal error. */
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

/** Locations in a fetch are meaningless to the caller, who wrote another document. */
const withoutLocations = ({ message, path, extensions }: NonNullable<GraphqlAnswer['errors']>[number]) => ({
  message,
  ...(path === undefined ? {} : { path }),
  ...(extensions === undefined ? {} : { extensions }),
});

const isUnusual = ({ originalError }: GraphQLError): boolean => originalError instanceof UnusualValue;

/** @param reader of the subgraph's fetches */
export const createSubgraphExecutor = (
  subgraph: Pick<Subgraph, 'schema' | 'shortcutFor'>,
  reader: FetchReader,
  log: Log,
): SubgraphExecutor => {
  return async ({ query, variables, operationName }, context) => {
    try {
      const { document, schema } = reader.read(query);
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
