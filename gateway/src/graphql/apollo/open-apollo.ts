import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { RequestContext } from '@fds/graphql';
import type { FastifyRequest, RouteHandlerMethod } from 'fastify';
import { createApolloServer, type ApolloServerSettings } from './create-apollo-server.js';

/** A started Apollo Server. */
export interface OpenedApollo {
  readonly answer: RouteHandlerMethod;
  stop(): Promise<void>;
}

/** Starts Apollo Server. The caller stops it. */
export const openApollo = async (
  settings: ApolloServerSettings,
  contextOf: (request: FastifyRequest) => RequestContext,
): Promise<OpenedApollo> => {
  const apollo = createApolloServer(settings);
  await apollo.start();
  return {
    answer: fastifyApolloHandler<RequestContext>(apollo, { context: async (request) => contextOf(request) }),
    stop: () => apollo.stop(),
  };
};
