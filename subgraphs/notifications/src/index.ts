export { createNotificationsSubgraph, type NotificationsDependencies } from './create-notifications-subgraph.js';
export { loadFirstNeededChange } from './store/queue/first-needed-change.js';
export { removeRegistrationsOf } from './store/registrations/remove-registrations-of.js';
export { createSocketStore, type OpenSocket, type SocketStore } from './store/sockets/socket-store.js';
export { createSubscriptionSchema } from './subscriptions/subscription-schema.js';
export { createChangeFeed } from './subscriptions/feed/open-change-feed.js';
export { loadQueueFigures, type QueueFigures } from './store/queue/load-queue-figures.js';
