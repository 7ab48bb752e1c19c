import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { discardRefusedBodies } from './discard-rest.js';
import { AppError } from '@fds/errors';
import { problemType, renderProblem } from '@fds/rest-facade';
import { requestIdOf } from '@fds/service';

const retryAfterSeconds = '1';

const isAt = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

/** Answers requests before the application exists: 503 in the form of the door, with `Retry-After`. */
const refuseWhileStarting: RequestListener = ({ url = '/', headers }, response) => {
  const [path = '/'] = url.split('?', 1);
  const requestId = requestIdOf(headers);
  const answer = (type: string, body: string): void => {
    response
      .writeHead(503, { 'content-type': type, 'retry-after': retryAfterSeconds, 'x-request-id': requestId })
      .end(body);
  };
  const error = new AppError('UNAVAILABLE', 'the service is starting');
  if (isAt(path, '/health')) return answer('application/json', '{"status":"DOWN","detail":"starting"}');
  if (isAt(path, '/graphql')) {
    const extensions = { ...error.extensions, requestId };
    return answer(
      'application/json; charset=utf-8',
      JSON.stringify({ errors: [{ message: error.message, extensions }] }),
    );
  }
  // the page of errors is on the same server
  const place = { errorsPage: '/docs/errors', instance: path, requestId };
  return answer(problemType, renderProblem(error, place).body);
};

/** An HTTP server that listens before the application behind it exists, because the issuer of tokens contains its port. */
export interface BoundServer {
  readonly server: Server;
  readonly port: number;
  /** Passes requests to the application from now on. Until then every answer is 503. */
  attach(listener: RequestListener): void;
  /** Every answer from now on says `Connection: close`, answers in progress included. */
  endConnections(): void;
  /**
   * Stops accepting connections, waits for answers in progress up to the deadline, and then closes all connections.
   * Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Follows the answers of the server.
 *
 * @returns ends the connections of these and all later answers after the answer
 */
const openAnswersOf = (server: Server): (() => void) => {
  const open = new Set<ServerResponse>();
  let ending = false;
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (ending) response.shouldKeepAlive = false;
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  return () => {
    ending = true;
    for (const response of open) response.shouldKeepAlive = false;
  };
};

const lastAnswersMs = 5_000;

/** Time limits of a client. A slower client gets 408, and its connection is closed. Milliseconds. */
export interface ClientTimeouts {
  /** For the headers, from the first byte of the connection or the end of the previous answer. */
  readonly headersMs: number;
  /** For the whole request, files included. */
  readonly requestMs: number;
  /** Time between two checks for slow clients. */
  readonly checkMs: number;
  /**
   * Time that a connection without a request stays open after an answer. It is longer than the usual 60 seconds of load
   * balancers: the load balancer must close first, otherwise its request may reach a closed connection.
   */
  readonly idleMs: number;
}

const standardTimeouts: ClientTimeouts = { headersMs: 15_000, requestMs: 300_000, checkMs: 5_000, idleMs: 75_000 };
const maxHeaderSize = 16_384;

/** @param port 0 = any free port. @throws Error EADDRINUSE when another process uses the port */
export const bindServer = async (
  host: string,
  port: number,
  { headersMs, requestMs, checkMs, idleMs }: ClientTimeouts = standardTimeouts,
): Promise<BoundServer> => {
  const timeouts = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: idleMs,
  };
  const server = createServer({ maxHeaderSize, ...timeouts }, refuseWhileStarting);
  discardRefusedBodies(server);
  const closeAfterAnswers = openAnswersOf(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      const cut = setTimeout(() => server.closeAllConnections(), lastAnswersMs);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      server.closeIdleConnections();
    });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    attach: (listener) => {
      server.off('request', refuseWhileStarting);
      server.on('request', listener);
    },
    endConnections: closeAfterAnswers,
    close: () => (closing ??= close()),
  };
};
