import type {
  GraphqlAnswer,
  GraphqlErrorAnswer,
  GraphqlExecutor,
  PreparedOperation,
  RequestContext,
} from '@fds/graphql';
import { once, type Log } from '@fds/service';
import { AppError } from '@fds/errors';
import {
  GraphQLError,
  OperationTypeNode,
  getOperationAST,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { EventSource } from '@fds/change-events';
import { LRUCache } from 'lru-cache';
import { answerErrors } from '../errors/answer-errors.js';
import { compileCost, type OperationCost } from '../limits/operation-cost.js';
import { defaultLimits, requireAffordable, type OperationLimits } from '../limits/operation-limits.js';
import { requireStorableVariables } from '../limits/require-storable-text.js';
import type { PlannedOperation } from '../stitching/operation-planner.js';
import type { ApiScope, StitchedGateway } from '../stitching/stitched-gateway.js';
import { isLongerThan } from './answer-size.js';
import { countRootFields } from './count-root-fields.js';
import { createDocuments } from '../requests/documents.js';
import { compileLongWriter, type LongWriter } from './long-as-text.js';
import {
  createPlanningShare,
  unshared,
  type PlanningCaller,
  type PlanningShare,
} from '../requests/create-planning-share.js';
import { cacheShares, defaultCacheBytes, operationBytes } from '../requests/retained-bytes.js';

export interface GraphqlExecutorOptions {
  readonly gateway: StitchedGateway;
  /** Default: `defaultLimits`. */
  readonly limits?: OperationLimits;
  /** Called for every document over a limit. */
  readonly onTooComplex?: () => void;
  /** Heap that the caches of this process may retain together. Default: `defaultCacheBytes`. */
  readonly cacheBytes?: number;
  /** Most characters of an answer as JSON. Default: 32 Mi. */
  readonly maxAnswerCharacters?: number;
  /** Called for each answer that is refused because it is too large. */
  readonly onTooLarge?: () => void;
  /** Time that new documents of a caller may take. Default: a share with `defaultPlanningLimits`. */
  readonly planning?: PlanningShare;
  /**
   * Counts the mutations of a request after the first against the caller's rate. Rejects when they exceed it; nothing runs then. Default:
   * they are not counted.
   */
  readonly countMutations?: (context: RequestContext, further: number) => Promise<void>;
  readonly log: Log;
}

/** An open subscription with its answers in their public form. */
export interface FollowedOperation {
  readonly source: EventSource;
  /** Never rejects: faults are in `errors`. */
  answer(event: object, context: RequestContext): Promise<GraphqlAnswer>;
}

/** A prepared operation that can tell before it runs whether it will be refused. */
export interface InProcessOperation extends PreparedOperation {
  /** Why the caller is refused at present, whatever the variables; undefined when it may run. */
  refusal(context: RequestContext): Promise<readonly GraphqlErrorAnswer[] | undefined>;
  /** Opens the operation, which is a subscription. Never rejects: the reasons of a refusal are in `errors`. */
  follow(
    variables: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ): Promise<FollowedOperation | { readonly errors: readonly GraphqlErrorAnswer[] }>;
}

/** The gateway in this process, without HTTP around it. */
export interface InProcessExecutor extends GraphqlExecutor {
  /** Prepares one operation of a document that may contain several, for a caller that keeps it. */
  prepare(document: string, operationName?: string): InProcessOperation;
  /** The same for a text that came from a client: operations that are asked for again are prepared already. */
  recall(document: string, operationName?: string): InProcessOperation;
  /**
   * A document that is within the limits, whether or not it fits the schema.
   *
   * @throws GraphQLError with code GRAPHQL_PARSE_FAILED. @throws AppError QUERY_TOO_COMPLEX, RATE_LIMITED
   */
  read(document: string, caller: PlanningCaller): Promise<DocumentNode>;
}

/** The outcome of an operation on a part of the schema. */
type Outcome =
  | {
      /** Plans at the first call, in the share of the caller: an operation that is too expensive is never planned. */
      readonly plan: (context: RequestContext) => Promise<PlannedOperation>;
      readonly cost: OperationCost;
      /** Compiled at the first call. Undefined: the operation asks for no `Long`. */
      readonly longWriter: () => LongWriter | undefined;
      /** Does the document have the operation, and the schema its kind? The plan names the missing part. */
      readonly exists: boolean;
      /** Top-level fields of a mutation; 0 for other operations. */
      readonly mutations: number;
    }
  | { readonly errors: readonly GraphQLError[] };

const defaultAnswerCharacters = 32 * 2 ** 20;

const toValidationError = (error: GraphQLError): GraphQLError =>
  new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });

/** Runs operations with the limits and the error shape of the endpoint. */
export const createGraphqlExecutor = (options: GraphqlExecutorOptions): InProcessExecutor => {
  const { gateway, limits = defaultLimits, onTooComplex = () => undefined, log } = options;
  const { cacheBytes = defaultCacheBytes, planning = createPlanningShare() } = options;
  const { maxAnswerCharacters = defaultAnswerCharacters, onTooLarge = () => undefined } = options;
  const documents = createDocuments(limits, gateway.staticSchema, cacheBytes * cacheShares.documents);

  const tooLarge = (): AppError => {
    onTooLarge();
    const limit = `the answer has more than ${maxAnswerCharacters} characters`;
    return new AppError('QUERY_TOO_COMPLEX', `${limit}: ask for a smaller page or fewer fields`);
  };

  const counted = <Result>(check: () => Result): Result => {
    try {
      return check();
    } catch (error) {
      if (error instanceof AppError && error.code === 'QUERY_TOO_COMPLEX') onTooComplex();
      throw error;
    }
  };
  const readIn = async (share: PlanningShare, source: string, caller: PlanningCaller): Promise<DocumentNode> =>
    documents.known(source) ?? share.run(caller, () => counted(() => documents.read(source)));
  const recalled = new LRUCache<string, InProcessOperation>({
    maxSize: Math.ceil(cacheBytes * cacheShares.operations),
  });

  /** Validates. The plan throws errors that `answerErrors` knows. */
  const decide = (
    document: DocumentNode,
    operationName: string | undefined,
    scope: ApiScope,
    share: PlanningShare,
  ): Outcome => {
    const { schema } = scope;
    const errors = validate(schema, document, undefined, { hideSuggestions: true });
    if (errors.length > 0) return { errors: errors.map(toValidationError) };
    let planned: PlannedOperation | undefined;
    const operation = getOperationAST(document, operationName);
    return {
      plan: async (context) => {
        if (planned !== undefined) return planned;
        const planner = await gateway.planner();
        const plan = (): PlannedOperation => (planned ??= planner.plan({ ...scope, document, operationName }));
        return share.run(context, plan);
      },
      cost: compileCost(schema, document, operationName),
      longWriter: once(() => compileLongWriter(schema, document, operationName)),
      mutations: operation?.operation === OperationTypeNode.MUTATION ? countRootFields(document, operation) : 0,
      exists: operation !== undefined && operation !== null && schema.getRootType(operation.operation) !== undefined,
    };
  };

  /**
   * @param share where the operation is read and planned
   * @param onValid called with the document when it fits the schema
   */
  const prepare = (
    source: string,
    operationName: string | undefined,
    share: PlanningShare,
    onValid: (document: DocumentNode) => void = () => undefined,
  ): InProcessOperation => {
    /** Callers who see other record types use another schema; the outcome is dropped with its schema. */
    const outcomes = new WeakMap<GraphQLSchema, Outcome>();
    let isDecided = false;

    const knownOutcome = (document: DocumentNode, { principal }: RequestContext): Outcome | undefined =>
      isDecided ? outcomes.get(gateway.scopeOf(document, principal).schema) : undefined;

    const newOutcome = (document: DocumentNode, { principal }: RequestContext): Outcome => {
      const scope = gateway.scopeOf(document, principal);
      const outcome = outcomes.get(scope.schema) ?? decide(document, operationName, scope, share);
      isDecided = true;
      if ('errors' in outcome) documents.forget(source);
      else {
        outcomes.set(scope.schema, outcome);
        onValid(document);
      }
      return outcome;
    };

    const outcomeFor = async (context: RequestContext): Promise<Outcome> => {
      const document = await readIn(share, source, context);
      return knownOutcome(document, context) ?? share.run(context, () => newOutcome(document, context));
    };

    /** Writes `Long` values as the caller wants them. */
    const written = (
      result: ExecutionResult,
      longWriter: () => LongWriter | undefined,
      { longAs }: RequestContext,
    ): ExecutionResult => {
      if (longAs === undefined || !result.data || isLongerThan(result.data, maxAnswerCharacters)) return result;
      return { ...result, data: longWriter()?.(result.data) ?? result.data };
    };

    const run = async (variables: Readonly<Record<string, unknown>>, context: RequestContext) => {
      const outcome = await outcomeFor(context);
      if ('errors' in outcome) return { errors: outcome.errors };
      counted(() => requireAffordable(outcome.cost(variables), limits));
      requireStorableVariables(variables);
      if (outcome.mutations > 1) await options.countMutations?.(context, outcome.mutations - 1);
      return written(await gateway.run(await outcome.plan(context), variables, context), outcome.longWriter, context);
    };

    const toAnswer = ({ data, errors }: ExecutionResult, { requestId }: RequestContext): GraphqlAnswer => {
      if (isLongerThan(data, maxAnswerCharacters)) throw tooLarge();
      if (errors === undefined || errors.length === 0) return { data: data ?? null };
      const answered = answerErrors(errors, { requestId, log });
      return data === undefined ? { errors: answered } : { data, errors: answered };
    };

    const execute = async (
      variables: Readonly<Record<string, unknown>>,
      context: RequestContext,
    ): Promise<GraphqlAnswer> => {
      const failed = { requestId: context.requestId, log };
      try {
        return toAnswer(await run(variables, context), context);
      } catch (error) {
        return { errors: answerErrors([error], failed) };
      }
    };

    const refusal: InProcessOperation['refusal'] = async (context) => {
      const { requestId } = context;
      try {
        const outcome = await outcomeFor(context);
        if ('errors' in outcome) return answerErrors(outcome.errors, { requestId, log });
        if (!outcome.exists) await outcome.plan(context);
        return undefined;
      } catch (error) {
        return answerErrors([error], { requestId, log });
      }
    };

    const follow: InProcessOperation['follow'] = async (variables, context) => {
      const { requestId } = context;
      try {
        const outcome = await outcomeFor(context);
        if ('errors' in outcome) return { errors: answerErrors(outcome.errors, { requestId, log }) };
        counted(() => requireAffordable(outcome.cost(variables), limits));
        requireStorableVariables(variables);
        const followed = await gateway.follow(await outcome.plan(context), variables, context);
        if ('errors' in followed) return { errors: answerErrors(followed.errors, { requestId, log }) };
        return {
          source: followed.source,
          answer: async (event, eventContext) => {
            try {
              const result = await followed.write(event, eventContext);
              return toAnswer(written(result, outcome.longWriter, eventContext), eventContext);
            } catch (error) {
              return { errors: answerErrors([error], { requestId: eventContext.requestId, log }) };
            }
          },
        };
      } catch (error) {
        return { errors: answerErrors([error], { requestId, log }) };
      }
    };

    return { execute, refusal, follow };
  };

  return {
    // the service's own documents are few
    prepare: (source, operationName) => prepare(source, operationName, unshared),
    recall: (source, operationName) => {
      const key = `${operationName ?? ''}\0${source}`;
      const known = recalled.get(key);
      if (known !== undefined) return known;
      // kept when it is known to be of use
      const operation: InProcessOperation = prepare(source, operationName, planning, (document) =>
        recalled.set(key, operation, { size: operationBytes(source, document) }),
      );
      return operation;
    },
    read: (source, caller) => readIn(planning, source, caller),
  };
};
