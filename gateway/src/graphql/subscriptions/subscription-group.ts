import { randomUUID } from 'node:crypto';
import type { Principal } from '@fds/auth';
import type { RequestContext } from '@fds/graphql';
import { stringifyJson } from '@fds/json';
import type { FeedItem } from '@fds/change-events';
import type { FollowedOperation } from '../../executor/graphql-executor.js';
import { SharedPayload } from './shared-payload.js';
import type { TokenSession } from './token-session.js';

/** One subscription of one websocket. */
export interface Subscriber {
  readonly session: TokenSession;
  /** Context of the subscribe message; the principal is read again for each message. */
  readonly context: RequestContext;
  /** Everything up to this position was sent. */
  position: bigint;
  readonly isOpen: boolean;
  give(payload: SharedPayload): void;
  /** Called when the token is no longer valid, or its holder cannot be read. */
  expel(error: unknown): void;
  /** Called when too many messages wait for the client. */
  fallBehind(): void;
}

/** Equal subscriptions. A message is decided and written once for each of their callers. */
export interface SubscriptionGroup {
  readonly followed: FollowedOperation;
  readonly members: Set<Subscriber>;
  /** Sends items to all members one after the other. The items of one call precede those of the next. */
  deliver(items: readonly FeedItem[]): void;
  /** Sends items to one subscriber, who is not a member yet. */
  deliverTo(subscriber: Subscriber, items: readonly FeedItem[]): Promise<void>;
}

/** @param maxWaitingBytes items that may wait until the messages of earlier items are written */
export const createSubscriptionGroup = (followed: FollowedOperation, maxWaitingBytes: number): SubscriptionGroup => {
  const members = new Set<Subscriber>();
  let last: Promise<void> = Promise.resolve();
  let waitingBytes = 0;

  const write = async (item: FeedItem, principal: Principal, context: RequestContext) => {
    const event = followed.source.see(principal, item);
    if (event === undefined) return undefined;
    const answer = await followed.answer(event, { ...context, principal, requestId: randomUUID() });
    return new SharedPayload(stringifyJson(answer));
  };

  const give = async (items: readonly FeedItem[], receivers: readonly Subscriber[]): Promise<void> => {
    const byPrincipal = new Map<Principal, Subscriber[]>();
    for (const subscriber of receivers) {
      try {
        const principal = await subscriber.session.principal();
        const same = byPrincipal.get(principal);
        if (same === undefined) byPrincipal.set(principal, [subscriber]);
        else same.push(subscriber);
      } catch (error) {
        subscriber.expel(error);
      }
    }
    for (const item of items) {
      const isChange = item.kind === 'CHANGE';
      await Promise.all(
        [...byPrincipal].map(async ([principal, subscribers]) => {
          const [first] = subscribers;
          if (first === undefined) return;
          const payload = await write(item, principal, first.context);
          for (const subscriber of subscribers) {
            // a subscriber may have received the change already while it read older changes
            if (!subscriber.isOpen || (isChange && item.position <= subscriber.position)) continue;
            subscriber.position = item.position;
            if (payload !== undefined) subscriber.give(payload);
          }
        }),
      );
    }
  };

  return {
    followed,
    members,
    deliver: (items) => {
      const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
      // a single delivery may exceed the bound
      if (waitingBytes > 0 && waitingBytes + bytes > maxWaitingBytes) {
        for (const subscriber of members) subscriber.fallBehind();
        return;
      }
      waitingBytes += bytes;
      last = last
        .then(() => give(items, [...members]))
        .catch((error: unknown) => {
          // they missed messages, and can resume with their cursors
          for (const subscriber of members) subscriber.expel(error);
        })
        .finally(() => {
          waitingBytes -= bytes;
        });
    },
    deliverTo: (subscriber, items) => give(items, [subscriber]),
  };
};
