import { readFileSync } from 'node:fs';
import { AppError } from '@fds/errors';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import { createKeyQueues } from '@fds/service';
import { openDelivery, skipChanges, type Delivery, type DeliveryDependencies } from './delivery/open-delivery.js';
import { deliveryResolvers } from './resolvers/delivery-resolvers.js';
import { notificationResolvers } from './resolvers/notification-resolvers.js';
import { subscriptionResolvers, type SubscriptionTools } from './subscriptions/subscription-resolvers.js';
import { createDeliveryActions } from './actions/delivery-actions.js';
import { createRegistrationActions } from './actions/registration-actions.js';

export type NotificationsDependencies = DeliveryDependencies & Pick<SubscriptionTools, 'cursors'>;

/** Registrations of users for notifications, and their delivery to webhook receivers. */
export const createNotificationsSubgraph = (dependencies: NotificationsDependencies): Subgraph => {
  const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  let delivery: Delivery | undefined;
  const prepare = async (): Promise<void> => {
    if (delivery === undefined) throw new AppError('CONFLICT', 'notifications are switched off');
    await delivery.prepare();
  };
  const deciding = createKeyQueues();
  const registrations = notificationResolvers(createRegistrationActions({ ...dependencies, deciding }));
  const deliveries = deliveryResolvers(
    createDeliveryActions({ ...dependencies, deciding, queueBounds: dependencies.delivery.queueBounds, prepare }),
  );
  return {
    name: 'notifications',
    typeDefs,
    schema: buildSchemaOf(typeDefs, {
      Notification: registrations.Notification,
      Query: { ...registrations.Query, ...deliveries.Query },
      ...subscriptionResolvers({ ...dependencies, baseUrl: dependencies.delivery.baseUrl }),
      Mutation: { ...registrations.Mutation, ...deliveries.Mutation },
    }),
    start: async () => {
      if (dependencies.delivery.enabled) delivery = await openDelivery(dependencies);
      else await skipChanges(dependencies.database);
    },
    close: async () => {
      await delivery?.close();
    },
  };
};
