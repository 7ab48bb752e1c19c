import { readFileSync } from 'node:fs';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import { notificationResolvers } from './resolvers/notification-resolvers.js';
import type { NotificationTools } from './store/notification-tools.js';
import { subscriptionResolvers } from './subscriptions/subscription-resolvers.js';
import { createRegistrationStore } from './store/registrations/registration-store.js';

export interface NotificationsDependencies extends NotificationTools {
  /** Address of the service as clients see it. */
  readonly baseUrl: string;
}

/** What users want to be notified of, and where. */
export const createNotificationsSubgraph = (dependencies: NotificationsDependencies): Subgraph => {
  const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  return {
    name: 'notifications',
    typeDefs,
    schema: buildSchemaOf(typeDefs, {
      ...notificationResolvers(createRegistrationStore(dependencies)),
      ...subscriptionResolvers(dependencies),
    }),
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
};
