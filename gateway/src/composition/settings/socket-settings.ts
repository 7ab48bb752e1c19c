import { settings } from '@fds/service';

/** Limits of the websockets at `/graphql`. */
export const socketSettings = {
  socketMax: settings.integer('FDS_SOCKET_MAX', 'Most websockets at `/graphql`.', 4000, { min: 1, max: 1_000_000 }),
  socketMaxPerCaller: settings.integer('FDS_SOCKET_MAX_PER_CALLER', 'Most websockets of one caller.', 1000, {
    min: 1,
    max: 1_000_000,
  }),
  socketMaxPending: settings.integer('FDS_SOCKET_MAX_PENDING', 'Most websockets that have not signed in.', 2048, {
    min: 1,
    max: 1_000_000,
  }),
  socketPendingPerAddress: settings.integer(
    'FDS_SOCKET_PENDING_PER_ADDRESS',
    'The same for the websockets of one address.',
    1024,
    { min: 1, max: 1_000_000 },
  ),
  socketInitSeconds: settings.integer(
    'FDS_SOCKET_INIT_SECONDS',
    'Time in which a websocket must send `connection_init`.',
    3,
    { min: 1, max: 60 },
  ),
  socketMaxOperations: settings.integer(
    'FDS_SOCKET_MAX_OPERATIONS',
    'Most operations of a websocket that are executed at the same time or whose answers are not read. The service reads no further message until one ends.',
    16,
    { min: 1, max: 1_000_000 },
  ),
  socketMaxOperationsPerCaller: settings.integer(
    'FDS_SOCKET_MAX_OPERATIONS_PER_CALLER',
    'The same for all websockets of one caller.',
    64,
    { min: 1, max: 1_000_000 },
  ),
  socketMaxUnread: settings.integer(
    'FDS_SOCKET_MAX_UNREAD',
    'Unread characters of answers at which the service reads no further message of a websocket.',
    1_048_576,
    { min: 1024, max: 1_073_741_824 },
  ),
  socketMaxUnreadPerCaller: settings.integer(
    'FDS_SOCKET_MAX_UNREAD_PER_CALLER',
    'The same for all websockets of one caller.',
    16_777_216,
    { min: 1024, max: 17_179_869_184 },
  ),
  socketMaxUnreadInAll: settings.integer('FDS_SOCKET_MAX_UNREAD_IN_ALL', 'The same for all websockets.', 134_217_728, {
    min: 1024,
    max: 17_179_869_184,
  }),
  socketUnreadSeconds: settings.integer(
    'FDS_SOCKET_UNREAD_SECONDS',
    'Time after which a websocket ends (1008) whose client reads none of the answers that wait for it.',
    30,
    { min: 1, max: 3600 },
  ),
  subscriptionsPerSocket: settings.integer(
    'FDS_SUBSCRIPTIONS_PER_SOCKET',
    'Most subscriptions of a websocket. One more is refused with `RATE_LIMITED`.',
    16,
    { min: 1, max: 10_000 },
  ),
  subscriptionsPerCaller: settings.integer(
    'FDS_SUBSCRIPTIONS_PER_CALLER',
    'Most subscriptions of one caller. One more is refused with `RATE_LIMITED`.',
    2000,
    { min: 1, max: 1_000_000 },
  ),
  subscriptionMaxUnread: settings.integer(
    'FDS_SUBSCRIPTION_MAX_UNREAD',
    'Characters of messages that may wait for the client of a subscription. More end its websocket (1013); the client resumes with its cursor.',
    1_048_576,
    { min: 1024, max: 1_073_741_824 },
  ),
  subscriptionMaxUnreadInAll: settings.integer(
    'FDS_SUBSCRIPTION_MAX_UNREAD_IN_ALL',
    'The same for all subscriptions. At this bound, the websocket ends to which the next message goes while others wait for it.',
    67_108_864,
    { min: 1024, max: 68_719_476_736 },
  ),
} as const;
