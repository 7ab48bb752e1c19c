import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '@fds/errors';
import type { GraphqlErrorAnswer, RequestContext } from '@fds/graphql';
import { callerGone, type Closable, type Log } from '@fds/service';
import {
  GraphQLError,
  OperationTypeNode,
  getOperationAST,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer, type SubscribePayload } from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import type { InProcessExecutor, InProcessOperation } from '../../executor/graphql-executor.js';
import type { AddressOf } from '../../http/address-of.js';
import type { Authenticate } from '../../http/authenticate.js';
import { cancellableAnswer } from './cancellable-answer.js';
import { createAnswerFlow, type SocketFlow } from './create-answer-flow.js';
import { createPacedIntake } from './create-paced-intake.js';
import { createSocketRegister, type SocketPlace } from './create-socket-register.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import { defaultSocketLimits, type SocketBound, type SocketLimits } from './socket-limits.js';
import type { SocketEnd } from '../subscriptions/create-subscriptions.js';
import { insertPayload, type SharedPayload } from '../subscriptions/shared-payload.js';
import {
  openSubscription,
  type OpenedSubscription,
  type ShownSocket,
  type SocketSubscriptions,
} from '../subscriptions/open-subscription.js';
import { explainReason, explainingSocket, toReason } from './close-reasons.js';
import { readLongAs } from '../long-as.js';
import { isComplete } from './is-complete.js';
import { exactReplacer, exactReviver, markIntegers, unmarkIntegers } from './exact-messages.js';

/** Takes over a connection that asks to become a websocket. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface GraphqlSocketOptions {
  readonly executor: InProcessExecutor;
  /** Asked at connection_init and again for each operation: a token ends while its socket is open. */
  readonly authenticate: Authenticate;
  /** Where a connection comes from. */
  readonly addressOf: AddressOf;
  readonly log: Log;
  /** Undefined: there are no subscriptions. */
  readonly subscriptions?: SocketSubscriptions | undefined;
  /** Where a limit is not given, its default holds. */
  readonly limits?: Partial<SocketLimits>;
  /** Called for each socket that a limit refuses or ends. */
  readonly onBoundHit?: (bound: SocketBound) => void;
  /** How long clients may take to say goodbye when the sockets are closed, in milliseconds. Default 5 000. */
  readonly goodbyeMs?: number;
}

/** graphql-ws (`graphql-transport-ws`): queries, mutations and subscriptions; the token is in connection_init as `authorization`. */
export interface GraphqlSocket extends Closable {
  readonly handleUpgrade: UpgradeHandler;
  /** Ends every socket; a socket whose client does not answer is cut off. Idempotent. */
  close(): Promise<void>;
}

/** The state of a socket; the type of graphql-ws requires an index. */
interface Extra extends Record<PropertyKey, unknown> {
  readonly socket: WebSocket;
  readonly address: string;
  readonly place: SocketPlace;
  readonly flow: SocketFlow;
  /** The subscriptions of the socket. */
  readonly shown: ShownSocket | undefined;
  /** Aborted when the socket closes. */
  readonly signal: AbortSignal;
}

/** The state that an operation needs when graphql-ws executes it. */
interface Execution {
  readonly operation: InProcessOperation;
  readonly context: RequestContext;
  readonly socketGone: AbortSignal;
  /** For a subscription that was opened. */
  readonly messages?: AsyncGenerator<SharedPayload, void, undefined> | undefined;
}

const pingEveryMs = 30_000;
/** Time that a client has to see why it is cut off. */
const farewellMs = 1_000;
const tryAgainLater = 1013; // RFC 6455 registry
const policyViolation = 1008; // RFC 6455, 7.4.1

/** Codes of `ws` for a message that is too large or arrives in too many pieces. */
const messageFaults: ReadonlySet<unknown> = new Set([
  'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  'WS_ERR_TOO_MANY_BUFFERED_PARTS',
]);

/** Each piece of a message is a separate buffer until the message is complete. */
const framingOf = (closeTimeout: number) => ({ maxBufferedChunks: 4_096, maxFragments: 1_024, closeTimeout });

/** A client ends a socket without its subprotocol before it sees a reason: another one is taken too, and then refused with 4406. */
const chooseProtocol = (offered: ReadonlySet<string>): string | false => {
  const [first = false] = offered;
  return offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : first;
};

const authorizationOf = (parameters: Readonly<Record<string, unknown>> | undefined): string | undefined => {
  const given = parameters?.authorization ?? parameters?.Authorization;
  return typeof given === 'string' ? given : undefined;
};

const toErrors = (errors: readonly GraphqlErrorAnswer[]): GraphQLError[] =>
  errors.map(({ message, extensions }) => new GraphQLError(message, { extensions: extensions ?? null }));

/** A client that gets 4403 or 1013 connects again, with a new token if it has one, and resumes with its cursor. */
const socketEnds: Readonly<Record<SocketEnd, { readonly code: number; readonly text: string }>> = {
  TOKEN_EXPIRED: { code: CloseCode.Forbidden, text: 'Token expired' },
  TOKEN_ENDED: { code: CloseCode.Forbidden, text: 'Token revoked' },
  TOO_SLOW: { code: tryAgainLater, text: 'Messages are not read fast enough: resume with your last cursor as after' },
};

const refusalNames: Readonly<Record<number, string>> = {
  [CloseCode.BadRequest]: 'Bad request',
  [CloseCode.Unauthorized]: 'Unauthorized',
  [CloseCode.Forbidden]: 'Forbidden',
  [CloseCode.InternalServerError]: 'Internal server error',
};

/** Why a caller may not enter, for the close frame. */
const refusalOf = (code: number, error: unknown): string => {
  const name = refusalNames[code] ?? 'Unavailable';
  if (!(error instanceof AppError)) return name;
  const isWithoutToken = error.code === 'UNAUTHENTICATED' && error.details.reason === 'missing';
  const cause = isWithoutToken
    ? 'send {"authorization": "Bearer ..."} as the payload of connection_init'
    : (error.errors[0]?.detail ?? error.message);
  return toReason(`${name}: ${cause}`);
};

const closeCodeOf = (error: unknown): number => {
  if (!(error instanceof AppError)) return CloseCode.InternalServerError;
  if (error.code === 'UNAUTHENTICATED') return CloseCode.Unauthorized;
  if (error.code === 'INVALID_PARAMETER') return CloseCode.BadRequest;
  return error.code === 'FORBIDDEN' ? CloseCode.Forbidden : tryAgainLater;
};

export const createGraphqlSocket = (options: GraphqlSocketOptions): GraphqlSocket => {
  const { executor, authenticate, addressOf, subscriptions, log } = options;
  const { onBoundHit = () => undefined, goodbyeMs = 5_000 } = options;
  const limits = { ...defaultSocketLimits, ...options.limits };
  const register = createSocketRegister(limits);
  const answerFlow = createAnswerFlow(limits);
  const places = new WeakMap<IncomingMessage, SocketPlace>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.maxMessageBytes,
    perMessageDeflate: false,
    WebSocket: explainingSocket(limits.maxMessageBytes),
    ...framingOf(goodbyeMs),
    handleProtocols: chooseProtocol,
  });
  const executions = new WeakMap<object, Execution>();
  /** Gives the place of the message that is being handled back. */
  const placeOf = new AsyncLocalStorage<() => void>();

  /** Authenticates, or ends the socket and says so. */
  const enter = async (
    parameters: Readonly<Record<string, unknown>> | undefined,
    { socket, address, signal }: Extra,
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

  /** Opens a subscription, which ends with its socket. */
  const follow = async (
    operation: InProcessOperation,
    document: DocumentNode,
    payload: SubscribePayload,
    context: RequestContext,
    extra: Extra,
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

  const protocol = makeServer<Record<string, unknown>, Extra>({
    jsonMessageReviver: exactReviver,
    jsonMessageReplacer: exactReplacer,
    connectionInitWaitTimeout: limits.initMs,
    onConnect: async ({ connectionParams, extra }) => {
      const context = await enter(connectionParams, extra);
      if (context === undefined) return false;
      const { uuid } = context.principal;
      if (!extra.place.signIn(uuid)) {
        onBoundHit('sockets');
        extra.socket.close(tryAgainLater, `Too many sockets: a caller has at most ${limits.maxSocketsPerCaller}`);
        return false;
      }
      extra.flow.ownedBy(uuid);
      return true;
    },
    onSubscribe: async ({ connectionParams, extra }, _id, payload) => {
      const context = await enter(connectionParams, extra);
      if (context === undefined) return [new GraphQLError('Unauthorized')];
      const operation = executor.recall(payload.query, payload.operationName ?? undefined);
      const refusal = await operation.refusal(context);
      if (refusal !== undefined) return toErrors(refusal);
      const document = await executor.read(payload.query, context);
      const isSubscription =
        getOperationAST(document, payload.operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
      const opened = isSubscription ? await follow(operation, document, payload, context, extra) : undefined;
      if (opened !== undefined && 'errors' in opened) return toErrors(opened.errors);
      const args = {
        document,
        operationName: payload.operationName,
        variableValues: payload.variables,
        contextValue: context,
      } as unknown as ExecutionArgs; // a schema is only needed where graphql-ws executes by itself
      executions.set(args, { operation, context, socketGone: extra.signal, messages: opened?.messages });
      return args;
    },
    execute: (args) => {
      const execution = executions.get(args);
      if (execution === undefined) throw new TypeError('the operation was not prepared');
      const { operation, context, socketGone } = execution;
      return cancellableAnswer(
        async (signal) =>
          (await operation.execute(args.variableValues ?? {}, { ...context, signal })) as ExecutionResult,
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

  const keepAlive = (socket: WebSocket): void => {
    let answered = true;
    const timer = setInterval(() => {
      // a socket that is paused does not see the answer; `unreadMs` ends it
      if (!answered && !socket.isPaused) return socket.terminate();
      answered = false;
      socket.ping();
    }, pingEveryMs);
    socket.on('pong', () => {
      answered = true;
    });
    socket.once('close', () => clearInterval(timer));
  };

  /** Ends a socket whose client reads nothing for a time. */
  const createUnreadWatch = (socket: WebSocket) => {
    let sending = 0;
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      onBoundHit('socket_unread');
      socket.close(policyViolation, 'Answers are not read');
    };
    socket.once('close', () => clearTimeout(timer));
    return {
      began: () => {
        sending += 1;
        timer ??= setTimeout(end, limits.unreadMs);
      },
      ended: () => {
        sending -= 1;
        if (sending > 0) return void timer?.refresh();
        clearTimeout(timer);
        timer = undefined;
      },
    };
  };

  /** Bounds what a socket sends before it signs in. Requests that the connection carried before do not count. */
  const watchPending = (socket: WebSocket, connection: Socket, place: SocketPlace): void => {
    const readBefore = connection.bytesRead;
    const look = (): void => {
      if (!place.pending) return void connection.off('data', look);
      if (connection.bytesRead - readBefore <= limits.maxPendingBytes) return;
      connection.off('data', look);
      onBoundHit('socket_message');
      const limit = `send at most ${limits.maxPendingBytes} bytes before connection_ack`;
      socket.close(CloseCode.Unauthorized, `Unauthorized: ${limit}`);
      // nothing more is read; the client has the time to see the reason
      socket.pause();
      setTimeout(() => socket.terminate(), farewellMs).unref();
    };
    connection.on('data', look);
  };

  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const place = places.get(request);
    if (place === undefined) throw new TypeError('the socket has no place');
    socket.on('error', (error) => {
      if ('code' in error && messageFaults.has(error.code)) onBoundHit('socket_message');
      log.debug({ err: error }, 'a socket failed');
    });
    keepAlive(socket);
    watchPending(socket, request.socket, place);
    const gone = new AbortController();
    // as many as there are operations in flight
    setMaxListeners(0, gone.signal);
    socket.once('close', () => gone.abort(callerGone));
    const flow = answerFlow.openSocket();
    socket.once('close', () => flow.close());
    const unread = createUnreadWatch(socket);
    const shown = subscriptions?.showSocket();
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) =>
          new Promise((resolve, reject) => {
            flow.sending(text.length);
            unread.began();
            socket.send(insertPayload(unmarkIntegers(text)), (error) => {
              flow.sent(text.length);
              unread.ended();
              if (error) reject(error);
              else resolve();
            });
          }),
        close: (code, reason) => socket.close(code, explainReason(reason)),
        onMessage: (receive) => {
          const fail = (error: unknown): void => {
            if (error instanceof SyntaxError)
              return socket.close(CloseCode.BadRequest, explainReason('Invalid message received'));
            // the client may end the socket at any time, also before its answer is sent
            if (socket.readyState !== socket.OPEN) {
              return log.debug({ err: error }, 'a socket ended before its answer was sent');
            }
            log.error({ err: error }, 'a message of a socket failed');
            return socket.close(CloseCode.InternalServerError, 'Internal server error');
          };
          const intake = createPacedIntake<Buffer>({
            flow,
            pause: () => socket.pause(),
            resume: () => socket.resume(),
            isOpen: () => socket.readyState === socket.OPEN,
            needsPlace: (data) => !isComplete(data),
            // a subscription gives its place back when it is open
            handle: (data) =>
              new Promise((resolve, reject) => {
                const handled = placeOf.run(resolve, async () => receive(markIntegers(data.toString('utf8'))));
                handled.then(resolve, (error: unknown) => {
                  reject(error instanceof Error ? error : new Error(String(error)));
                  fail(error);
                });
              }),
            onError: () => undefined,
          });
          socket.on('message', (data: Buffer) => intake.take(data));
        },
      },
      { socket, address: addressOf(request), place, flow, shown, signal: gone.signal },
    );
    socket.once('close', (code, reason) => void closed(code, String(reason)));
  });

  const upgrade: UpgradeHandler = (request, connection, head) => {
    const place = register.enter(addressOf(request));
    if (typeof place === 'string') {
      onBoundHit(place === 'FULL' ? 'sockets' : 'pending_sockets');
      return refuseUpgrade(connection, place);
    }
    connection.once('close', () => place.leave());
    places.set(request, place);
    return sockets.handleUpgrade(request, connection, head, (client) => sockets.emit('connection', client, request));
  };

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const client of sockets.clients) client.close(1001, 'Going away');
      const cut = setTimeout(() => {
        for (const client of sockets.clients) client.terminate();
      }, goodbyeMs);
      sockets.close(() => {
        clearTimeout(cut);
        resolve();
      });
    });

  return {
    handleUpgrade: upgrade,
    close: () => (closing ??= close()),
  };
};
