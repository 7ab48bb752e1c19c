import { readFileSync } from 'node:fs';
import { buildSchemaOf } from '@fds/graphql';
import type { GraphQLSchema } from 'graphql';
import { subscriptionResolvers, type SubscriptionTools } from './subscription-resolvers.js';

/** The schema with which a gateway opens subscriptions and writes their events, in any process. */
export const createSubscriptionSchema = (tools: SubscriptionTools): GraphQLSchema =>
  buildSchemaOf(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'), subscriptionResolvers(tools));
