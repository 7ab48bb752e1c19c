import type { AddressInfo } from 'node:net';
import type { Closable } from '@fds/service';
import { fastify } from 'fastify';
import { subgraphRoutes, type SubgraphRoutesOptions } from '../subgraph-server/subgraph-routes.js';

export interface ServeSubgraphOptions extends SubgraphRoutesOptions {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
}

/** A subgraph listening. */
export interface ServedSubgraph extends Closable {
  /** For the gateway's client. */
  readonly url: string;
  /** Waits for answers in flight. Does not close the subgraph. */
  close(): Promise<void>;
}

/** Serves one subgraph at `/graphql`. @throws Error EADDRINUSE when another process has the port */
export const serveSubgraph = async (options: ServeSubgraphOptions): Promise<ServedSubgraph> => {
  const { host, port } = options;
  const app = fastify();
  await app.register(subgraphRoutes(options));
  await app.listen({ host, port });
  const { port: boundPort } = app.server.address() as AddressInfo;
  return { url: `http://${host}:${boundPort}/graphql`, close: () => app.close() };
};
