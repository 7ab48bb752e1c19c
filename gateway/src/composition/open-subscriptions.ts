import type { Authenticator } from '@fds/identity';
import { createChangeFeed, createSocketStore } from '@fds/notifications';
import type { Lifetime } from '@fds/service';
import { createSubscriptions } from '../graphql/subscriptions/create-subscriptions.js';
import type { SocketSubscriptions } from '../graphql/subscriptions/open-subscription.js';
import { createShownSockets } from '../graphql/subscriptions/shown-sockets.js';
import type { OpenSession } from '../graphql/subscriptions/token-session.js';
import type { Platform } from './open-platform.js';
import type { ServiceSettings } from './settings/service-settings.js';

export interface SubscriptionsSetUp {
  readonly settings: ServiceSettings;
  readonly platform: Platform;
  readonly authenticator: Authenticator;
  readonly instanceUuid: string;
  readonly lifetime: Lifetime;
}

const leaseMs = 60_000;

/** Opens the subscriptions of the gateway, which read the change log themselves. Undefined when they are switched off. */
export const openSubscriptions = (options: SubscriptionsSetUp): SocketSubscriptions | undefined => {
  const { settings, platform, authenticator, instanceUuid, lifetime } = options;
  const { database, directory, metrics, log, now, newUuid } = platform;
  if (!settings.notificationsEnabled) return undefined;
  const feed = createChangeFeed({ database, log, heed: (changes) => directory.heed(changes) });
  const onBoundHit = metrics.countBoundHit;
  const subscriptions = lifetime.own(
    createSubscriptions({
      feed,
      log,
      limits: {
        maxPerCaller: settings.subscriptionsPerCaller,
        maxUnreadBytes: settings.subscriptionMaxUnread,
        maxUnreadInAll: settings.subscriptionMaxUnreadInAll,
      },
      onBoundHit,
    }),
  );
  const shown = lifetime.own(
    createShownSockets({
      store: createSocketStore({ database, now, leaseMs }),
      instanceUuid,
      newUuid,
      renewMs: leaseMs / 3,
      maxPerSocket: settings.subscriptionsPerSocket,
      onBoundHit,
      log,
    }),
  );
  const openSession: OpenSession = async (authorization) => {
    const { claims } = await authenticator.identify(authorization);
    return { expiresAt: claims.exp * 1000, principal: () => directory.principalOf(claims) };
  };
  return { subscriptions, openSession, showSocket: () => shown.open() };
};
