import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseWhileStarting } from './refuse-while-starting.js';

/** An HTTP server that has its port before the application behind it exists: the issuer of tokens needs it. */
export interface BoundServer {
  readonly server: Server;
  readonly port: number;
  /** Hands requests to the application from now on; until then every answer is 503. */
  attach(listener: RequestListener): void;
  /** Stops accepting, waits for answers in flight up to the deadline, then cuts. Idempotent. */
  close(): Promise<void>;
}

const drainMs = 5_000;

/** Time limits of a client. A client that sends more slowly is cut off with 408. Milliseconds. */
export interface ClientTimeouts {
  /** For the headers, from the first byte of the connection or the end of the answer before. */
  readonly headersMs: number;
  /** For the whole request, files included. */
  readonly requestMs: number;
  /** How often slow ones are looked for. */
  readonly checkMs: number;
  /**
   * How long a connection without a request stays open after an answer. Longer than the usual 60 seconds of load balancers:
   * the side that sends requests must close first, otherwise a request meets a closed connection.
   */
  readonly idleMs: number;
}

const standardTimeouts: ClientTimeouts = { headersMs: 15_000, requestMs: 300_000, checkMs: 5_000, idleMs: 75_000 };
const maxHeaderSize = 16_384;

/** @param port 0 = any free one. @throws Error EADDRINUSE when another process has the port */
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
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
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
    close: () => (closing ??= close()),
  };
};
