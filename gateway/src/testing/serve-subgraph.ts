import type { AddressInfo } from 'node:net';
import type { Closable } from '@fds/service';
import { fastify } from 'fastify';
import { subgraphRoutes, type SubgraphRoutesOptions } from '../subgraph-server/subgraph-routes.js';

export interface ServeSubgraphOptions extends SubgraphRoutesOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
}

/** A subgraph that is served over HTTP. */
export interface ServedSubgraph extends Closable {
  /** The URL that the gateway's client uses. */
  readonly url: string;
  /** Waits for answers in progress. It does not close the subgraph. */
  close(): Promise<void>;
}

/** Serves one subgraph at `/graphql`. @throws Error EADDRINUSE when another process uses the port */
export const serveSubgraph = async (options: ServeSubgraphOptions): Promise<ServedSubgraph> => {
  const { host, port } = options;
  const app = fastify();
  await app.register(subgraphRoutes(options));
  await app.listen({ host, port });
  const { port: boundPort } = app.server.address() as AddressInfo;
  return { url: `http://${host}:${boundPort}/graphql`, close: () => app.close() };
};
