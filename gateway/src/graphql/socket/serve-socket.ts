import type { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { callerGone, type Log } from '@fds/service';
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { AddressOf } from '../../http/address-of.js';
import type { SocketSubscriptions } from '../subscriptions/open-subscription.js';
import { insertPayload } from '../subscriptions/shared-payload.js';
import { explainReason } from './close-reasons.js';
import type { AnswerFlow, SocketFlow } from './create-answer-flow.js';
import { createPacedIntake, type PacedIntake } from './create-paced-intake.js';
import type { SocketProtocol } from './create-socket-protocol.js';
import type { SocketPlace } from './create-socket-register.js';
import { unmarkIntegers } from './exact-messages.js';
import { isComplete } from './is-complete.js';
import { createMessageReader } from './read-messages.js';
import type { SocketBound, SocketLimits } from './socket-limits.js';
import { watchPending } from './watch-pending.js';
import { watchUnread } from './watch-unread.js';

const pingEveryMs = 30_000;

/** Ends a socket whose client does not answer pings. */
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

/** The parts that all sockets share. */
export interface SocketServing {
  readonly protocol: SocketProtocol;
  readonly answerFlow: AnswerFlow;
  readonly subscriptions: SocketSubscriptions | undefined;
  readonly limits: SocketLimits;
  readonly addressOf: AddressOf;
  /** Gives back the place of the message that is being handled. */
  readonly placeOf: AsyncLocalStorage<() => void>;
  readonly onBoundHit: (bound: SocketBound) => void;
  readonly log: Log;
}

/** Codes of `ws` for a message that is too large or arrives in too many pieces. */
const messageFaults: ReadonlySet<unknown> = new Set([
  'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  'WS_ERR_TOO_MANY_BUFFERED_PARTS',
]);

/** Did the client send a message that only servers send? graphql-ws throws for it, instead of closing the socket. */
const isOfServer = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('Unexpected message of type ');

/** A message of the client could not be handled. */
const fail = (socket: WebSocket, error: unknown, log: Log): void => {
  if (error instanceof SyntaxError || isOfServer(error))
    return socket.close(CloseCode.BadRequest, explainReason('Invalid message received'));
  // the client may end the socket at any time, also before its answer is sent
  if (socket.readyState !== socket.OPEN) {
    return log.debug({ err: error }, 'a socket ended before its answer was sent');
  }
  log.error({ err: error }, 'a message of a socket failed');
  return socket.close(CloseCode.InternalServerError, 'Internal server error');
};

/** Handles messages in order, as fast as their answers are read. */
const openIntake = (
  socket: WebSocket,
  flow: SocketFlow,
  receive: (text: string) => Promise<void>,
  { placeOf, log }: SocketServing,
): PacedIntake<Buffer> => {
  const read = createMessageReader();
  return createPacedIntake<Buffer>({
    flow,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    isOpen: () => socket.readyState === socket.OPEN,
    needsPlace: (data) => !isComplete(data),
    // a subscription gives its place back when it is open
    handle: (data) =>
      new Promise((resolve, reject) => {
        const handled = placeOf.run(resolve, async () => {
          const message = read(data);
          return receive(typeof message === 'string' ? message : await message);
        });
        handled.then(resolve, (error: unknown) => {
          reject(error instanceof Error ? error : new Error(String(error)));
          fail(socket, error, log);
        });
      }),
    onError: () => undefined,
  });
};

/** Counts the answers that the client has not read, and ends a socket whose client reads none. */
const createSend = (
  socket: WebSocket,
  flow: SocketFlow,
  { limits, onBoundHit }: SocketServing,
): ((text: string) => Promise<void>) => {
  const { unreadMs } = limits;
  const unread = watchUnread(socket, { unreadMs, onEnd: () => onBoundHit('socket_unread') });
  return (text) =>
    new Promise((resolve, reject) => {
      flow.sending(text.length);
      unread.began();
      socket.send(insertPayload(unmarkIntegers(text)), (error) => {
        flow.sent(text.length);
        unread.ended();
        if (error) reject(error);
        else resolve();
      });
    });
};

/** Serves a socket until it closes. */
export const serveSocket = (
  socket: WebSocket,
  request: IncomingMessage,
  place: SocketPlace,
  serving: SocketServing,
): void => {
  const { protocol, answerFlow, subscriptions, limits, addressOf, onBoundHit, log } = serving;
  socket.on('error', (error) => {
    if ('code' in error && messageFaults.has(error.code)) onBoundHit('socket_message');
    log.debug({ err: error }, 'a socket failed');
  });
  keepAlive(socket);
  const { maxPendingBytes } = limits;
  watchPending(socket, request.socket, place, { maxPendingBytes, onEnd: () => onBoundHit('socket_message') });
  const gone = new AbortController();
  // as many as there are operations in flight
  setMaxListeners(0, gone.signal);
  socket.once('close', () => gone.abort(callerGone));
  const flow = answerFlow.openSocket();
  socket.once('close', () => flow.close());
  const send = createSend(socket, flow, serving);
  const shown = subscriptions?.showSocket();
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send,
      close: (code, reason) => socket.close(code, explainReason(reason)),
      onMessage: (receive) => {
        const intake = openIntake(socket, flow, receive, serving);
        socket.on('message', (data: Buffer, isBinary: boolean) => {
          if (isBinary) socket.close(CloseCode.BadRequest, explainReason('Invalid message received'));
          else intake.take(data);
        });
      },
    },
    {
      socket,
      address: addressOf(request),
      place,
      flow,
      shown,
      signal: gone.signal,
      traceparent: request.headers.traceparent,
    },
  );
  socket.once('close', (code, reason) => void closed(code, String(reason)));
};
