import type { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { AppError } from '@fds/errors';
import type { GraphqlErrorAnswer, RequestContext } from '@fds/graphql';
import { inSpan, type Log } from '@fds/service';
import {
  GraphQLError,
  OperationTypeNode,
  getOperationAST,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { makeServer, type Server, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { InProcessExecutor, InProcessOperation } from '../../executor/graphql-executor.js';
import type { Authenticate } from '../../http/authenticate.js';
import { readLongAs } from '../long-as.js';
import {
  openSubscription,
  type OpenedSubscription,
  type ShownSocket,
  type SocketSubscriptions,
} from '../subscriptions/open-subscription.js';
import type { SharedPayload } from '../subscriptions/shared-payload.js';
import { cancellableAnswer } from './cancellable-answer.js';
import { closeCodeOf, refusalOf, socketEnds, tryAgainLater } from './close-codes.js';
import type { SocketFlow } from './create-answer-flow.js';
import type { SocketPlace } from './create-socket-register.js';
import { exactReplacer, exactReviver } from './exact-messages.js';
import type { SocketBound, SocketLimits } from './socket-limits.js';

/** The state of a socket; the type of graphql-ws requires an index. */
interface SocketExtra extends Record<PropertyKey, unknown> {
  readonly socket: WebSocket;
  readonly address: string;
  readonly place: SocketPlace;
  readonly flow: SocketFlow;
  /** The subscriptions of the socket. */
  readonly shown: ShownSocket | undefined;
  /** Aborted when the socket closes. */
  readonly signal: AbortSignal;
  /** The header of the upgrade. */
  readonly traceparent: unknown;
}

export interface SocketProtocolOptions {
  readonly executor: InProcessExecutor;
  readonly authenticate: Authenticate;
  /** Undefined: there are no subscriptions. */
  readonly subscriptions: SocketSubscriptions | undefined;
  readonly limits: Pick<SocketLimits, 'initMs' | 'maxSocketsPerCaller'>;
  readonly onBoundHit: (bound: SocketBound) => void;
  /** Gives back the place of the message that is being handled. */
  readonly placeOf: AsyncLocalStorage<() => void>;
  readonly log: Log;
}

export type SocketProtocol = Server<SocketExtra>;

type Parameters = Readonly<Record<string, unknown>> | undefined;

/** The state that an operation needs when graphql-ws executes it. */
interface Execution {
  readonly operation: InProcessOperation;
  readonly context: RequestContext;
  readonly socketGone: AbortSignal;
  /** For a subscription that was opened. */
  readonly messages?: AsyncGenerator<SharedPayload, void, undefined> | undefined;
  /** `traceparent` of the socket, which its operations continue. */
  readonly parent: unknown;
}

const authorizationOf = (parameters: Parameters): string | undefined => {
  const given = parameters?.authorization ?? parameters?.Authorization;
  return typeof given === 'string' ? given : undefined;
};

/** A member of connection_init, which a browser can set, or the header of the upgrade. */
const parentOf = (parameters: Parameters, { traceparent }: SocketExtra): unknown =>
  parameters?.traceparent ?? traceparent ?? '';

/** The span of an operation that arrived on a socket. */
const inOperation = <T>(parent: unknown, work: () => Promise<T>): Promise<T> =>
  inSpan({ name: 'websocket /graphql', kind: 'SERVER', parent, mayBegin: true }, work);

const toErrors = (errors: readonly GraphqlErrorAnswer[]): GraphQLError[] =>
  errors.map(({ message, extensions }) => new GraphQLError(message, { extensions: extensions ?? null }));

/** Authenticates, or ends the socket and says so. */
const enter = async (
  { authenticate, log }: SocketProtocolOptions,
  parameters: Parameters,
  { socket, address, signal }: SocketExtra,
): Promise<RequestContext | undefined> => {
  const requestId = randomUUID();
  const authorization = authorizationOf(parameters);
  try {
    return {
      longAs: readLongAs(parameters?.longAs, 'longAs'),
      principal: await authenticate(authorization, { ip: address }),
      requestId,
      address,
      authorization,
      signal,
    };
  } catch (error) {
    const code = closeCodeOf(error);
    if (!(error instanceof AppError)) log.error({ requestId, err: error }, 'a socket cannot be authenticated');
    socket.close(code, refusalOf(code, error));
    return undefined;
  }
};

/** @returns whether the caller may use the socket */
const signIn = async (options: SocketProtocolOptions, parameters: Parameters, extra: SocketExtra): Promise<boolean> => {
  const { limits, onBoundHit } = options;
  const context = await enter(options, parameters, extra);
  if (context === undefined) return false;
  const { uuid } = context.principal;
  if (!extra.place.signIn(uuid)) {
    onBoundHit('sockets');
    extra.socket.close(tryAgainLater, `Too many sockets: a caller has at most ${limits.maxSocketsPerCaller}`);
    return false;
  }
  extra.flow.ownedBy(uuid);
  return true;
};

/** Opens a subscription, which ends with its socket. */
const follow = async (
  { subscriptions, placeOf, log }: SocketProtocolOptions,
  operation: InProcessOperation,
  document: DocumentNode,
  payload: SubscribePayload,
  context: RequestContext,
  extra: SocketExtra,
): Promise<OpenedSubscription> => {
  const opened = await openSubscription(subscriptions, {
    operation,
    document,
    query: payload.query,
    operationName: payload.operationName ?? undefined,
    variables: payload.variables ?? {},
    context,
    shown: extra.shown,
    endSocket: (reason) => {
      const { code, text } = socketEnds[reason];
      extra.socket.close(code, text);
    },
    log,
  });
  if (!('errors' in opened) && extra.signal.aborted) await opened.messages.return();
  // from now on it only waits
  placeOf.getStore()?.();
  return opened;
};

/** @returns the execution of an operation, or the errors for which it is refused */
const prepare = async (
  options: SocketProtocolOptions,
  parameters: Parameters,
  payload: SubscribePayload,
  extra: SocketExtra,
): Promise<(Execution & { readonly document: DocumentNode }) | GraphQLError[]> => {
  const { executor } = options;
  const context = await enter(options, parameters, extra);
  if (context === undefined) return [new GraphQLError('Unauthorized')];
  const operation = executor.recall(payload.query, payload.operationName ?? undefined);
  const refusal = await operation.refusal(context);
  if (refusal !== undefined) return toErrors(refusal);
  const document = await executor.read(payload.query, context);
  const isSubscription = getOperationAST(document, payload.operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
  const opened = isSubscription
    ? await inOperation(parentOf(parameters, extra), () =>
        follow(options, operation, document, payload, context, extra),
      )
    : undefined;
  if (opened !== undefined && 'errors' in opened) return toErrors(opened.errors);
  const parent = parentOf(parameters, extra);
  return { document, operation, context, socketGone: extra.signal, messages: opened?.messages, parent };
};

/** The messages of graphql-transport-ws. The caller is authenticated again for each operation. */
export const createSocketProtocol = (options: SocketProtocolOptions): SocketProtocol => {
  const executions = new WeakMap<object, Execution>();
  return makeServer<Record<string, unknown>, SocketExtra>({
    jsonMessageReviver: exactReviver,
    jsonMessageReplacer: exactReplacer,
    connectionInitWaitTimeout: options.limits.initMs,
    onConnect: ({ connectionParams, extra }) => signIn(options, connectionParams, extra),
    onSubscribe: async ({ connectionParams, extra }, _id, payload) => {
      const prepared = await prepare(options, connectionParams, payload, extra);
      if (Array.isArray(prepared)) return prepared;
      const { document, ...execution } = prepared;
      const args = {
        document,
        operationName: payload.operationName,
        variableValues: payload.variables,
        contextValue: execution.context,
      } as unknown as ExecutionArgs; // a schema is only needed where graphql-ws executes by itself
      executions.set(args, execution);
      return args;
    },
    execute: (args) => {
      const execution = executions.get(args);
      if (execution === undefined) throw new TypeError('the operation was not prepared');
      const { operation, context, socketGone, parent } = execution;
      return cancellableAnswer(
        async (signal) =>
          (await inOperation(parent, () =>
            operation.execute(args.variableValues ?? {}, { ...context, signal }),
          )) as ExecutionResult,
        socketGone,
      );
    },
    subscribe: (args) => {
      const messages = executions.get(args)?.messages;
      if (messages === undefined) throw new TypeError('the subscription was not opened');
      return messages as unknown as AsyncGenerator<ExecutionResult, void, undefined>; // written already
    },
    // answers are in their public form already
    onNext: (_context, _id, _payload, _args, result) => result,
  });
};
