import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Closable, Log } from '@fds/service';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import type { InProcessExecutor } from '../../executor/graphql-executor.js';
import type { AddressOf } from '../../http/address-of.js';
import type { Authenticate } from '../../http/authenticate.js';
import type { SocketSubscriptions } from '../subscriptions/open-subscription.js';
import { explainingSocket } from './close-reasons.js';
import { createAnswerFlow } from './create-answer-flow.js';
import { createSocketProtocol } from './create-socket-protocol.js';
import { createSocketRegister, type SocketPlace } from './create-socket-register.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import { serveSocket, type SocketServing } from './serve-socket.js';
import { defaultSocketLimits, type SocketBound, type SocketLimits } from './socket-limits.js';

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
  /** Number of open sockets. */
  count(): number;
  /** Ends every socket; a socket whose client does not answer is cut off. Idempotent. */
  close(): Promise<void>;
}

/** Each piece of a message is a separate buffer until the message is complete. */
const framingOf = (closeTimeout: number) => ({ maxBufferedChunks: 4_096, maxFragments: 1_024, closeTimeout });

/** A client ends a socket without its subprotocol before it sees a reason: another one is taken too, and then refused with 4406. */
const chooseProtocol = (offered: ReadonlySet<string>): string | false => {
  const [first = false] = offered;
  return offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : first;
};

export const createGraphqlSocket = (options: GraphqlSocketOptions): GraphqlSocket => {
  const { executor, authenticate, addressOf, subscriptions, log } = options;
  const { onBoundHit = () => undefined, goodbyeMs = 5_000 } = options;
  const limits = { ...defaultSocketLimits, ...options.limits };
  const register = createSocketRegister(limits);
  const answerFlow = createAnswerFlow(limits);
  const places = new WeakMap<IncomingMessage, SocketPlace>();
  const placeOf = new AsyncLocalStorage<() => void>();
  const protocol = createSocketProtocol({ executor, authenticate, subscriptions, limits, onBoundHit, placeOf, log });
  const serving: SocketServing = { protocol, answerFlow, subscriptions, limits, addressOf, placeOf, onBoundHit, log };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.maxMessageBytes,
    perMessageDeflate: false,
    WebSocket: explainingSocket(limits.maxMessageBytes),
    ...framingOf(goodbyeMs),
    handleProtocols: chooseProtocol,
  });
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const place = places.get(request);
    if (place === undefined) throw new TypeError('the socket has no place');
    serveSocket(socket, request, place, serving);
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
    count: () => sockets.clients.size,
    close: () => (closing ??= close()),
  };
};
