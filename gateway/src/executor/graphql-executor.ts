import type {
  GraphqlAnswer,
  GraphqlErrorAnswer,
  GraphqlExecutor,
  PreparedOperation,
  RequestContext,
} from '@fds/graphql';
import type { Log } from '@fds/service';
import { GraphQLError, validate, type DocumentNode, type GraphQLSchema } from 'graphql';
import { answerErrors } from '../errors/answer-errors.js';
import { compileCost, type OperationCost } from '../limits/operation-cost.js';
import { defaultLimits, requireAffordable, type OperationLimits } from '../limits/operation-limits.js';
import { requireStorableVariables } from '../limits/require-storable-text.js';
import type { PlannedOperation } from '../stitching/operation-planner.js';
import type { StitchedGateway } from '../stitching/stitched-gateway.js';
import { createDocuments } from './documents.js';

export interface GraphqlExecutorOptions {
  readonly gateway: StitchedGateway;
  /** Default: `defaultLimits`. */
  readonly limits?: OperationLimits;
  readonly log: Log;
}

/** A prepared operation that can tell before it runs whether it will be refused. */
export interface InProcessOperation extends PreparedOperation {
  /** Why it is refused at present, whatever the variables; undefined when it may run. */
  refusal(requestId: string): readonly GraphqlErrorAnswer[] | undefined;
}

/** The gateway in this process, without HTTP around it. */
export interface InProcessExecutor extends GraphqlExecutor {
  /** Prepares one operation of a document that may hold several. */
  prepare(document: string, operationName?: string): InProcessOperation;
  /**
   * A document that is within the limits, whether or not it fits the schema.
   *
   * @throws GraphQLError with code GRAPHQL_PARSE_FAILED. @throws AppError QUERY_TOO_COMPLEX
   */
  read(document: string): DocumentNode;
}

interface Ready {
  readonly planned: PlannedOperation;
  readonly cost: OperationCost;
  readonly generation: number;
}

interface Misfit {
  readonly errors: readonly GraphQLError[];
  readonly schema: GraphQLSchema;
}

const toValidationError = (error: GraphQLError): GraphQLError =>
  new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });

/** Runs operations with the limits and the error shape of the endpoint. */
export const createGraphqlExecutor = (options: GraphqlExecutorOptions): InProcessExecutor => {
  const { gateway, limits = defaultLimits, log } = options;
  const documents = createDocuments(limits);

  /** Parses, validates and plans. @throws Error that `answerErrors` knows */
  const makeReady = (source: string, operationName: string | undefined): Ready | Misfit => {
    const { schema, generation } = gateway;
    const document = documents.read(source);
    const errors = validate(schema, document, undefined, { hideSuggestions: true });
    if (errors.length > 0) return { errors: errors.map(toValidationError), schema };
    const planned = gateway.plan({ document, source, operationName });
    return { planned, cost: compileCost(schema, document, operationName), generation };
  };

  const isCurrent = (state: Ready | Misfit): boolean =>
    'errors' in state ? state.schema === gateway.schema : state.generation === gateway.generation;

  const prepare = (source: string, operationName?: string): InProcessOperation => {
    let state: Ready | Misfit | undefined;

    const current = (): Ready | Misfit => {
      if (state === undefined || !isCurrent(state)) state = makeReady(source, operationName);
      return state;
    };

    const run = async (variables: Readonly<Record<string, unknown>>, context: RequestContext) => {
      const found = current();
      if ('errors' in found) return { errors: found.errors };
      requireAffordable(found.cost(variables), limits);
      requireStorableVariables(variables);
      return gateway.run(found.planned, variables, context);
    };

    const execute = async (
      variables: Readonly<Record<string, unknown>>,
      context: RequestContext,
    ): Promise<GraphqlAnswer> => {
      const failed = { requestId: context.requestId, log };
      try {
        const { data, errors } = await run(variables, context);
        if (errors === undefined || errors.length === 0) return { data: data ?? null };
        const answered = answerErrors(errors, failed);
        return data === undefined ? { errors: answered } : { data, errors: answered };
      } catch (error) {
        return { errors: answerErrors([error], failed) };
      }
    };

    const refusal = (requestId: string): readonly GraphqlErrorAnswer[] | undefined => {
      try {
        const found = current();
        return 'errors' in found ? answerErrors(found.errors, { requestId, log }) : undefined;
      } catch (error) {
        return answerErrors([error], { requestId, log });
      }
    };

    return { execute, refusal };
  };

  return { prepare, read: (source) => documents.read(source) };
};
