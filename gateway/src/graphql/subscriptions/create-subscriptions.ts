import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { statesTopic, type ChangeFeed, type FeedItem } from '@fds/change-events';
import type { Closable, Log } from '@fds/service';
import type { FollowedOperation } from '../../executor/graphql-executor.js';
import { createEventQueue } from './create-event-queue.js';
import type { SharedPayload } from './shared-payload.js';
import { createSubscriptionGroup, type Subscriber, type SubscriptionGroup } from './subscription-group.js';
import { defaultSubscriptionLimits, type SubscriptionBound, type SubscriptionLimits } from './subscription-limits.js';
import type { TokenSession } from './token-session.js';

/** Why the service ends a websocket. */
export type SocketEnd = 'TOKEN_EXPIRED' | 'TOKEN_ENDED' | 'TOO_SLOW';

/** The request for a subscription. */
interface SubscriptionRequest {
  readonly followed: FollowedOperation;
  /** See `subscriptionKey`. */
  readonly key: string;
  readonly context: RequestContext;
  readonly session: TokenSession;
  readonly endSocket: (reason: SocketEnd) => void;
  /** Called when the subscription ends, for any reason. */
  readonly onEnd: () => void;
}

/** All subscriptions of a process. */
export interface Subscriptions extends Closable {
  /** Number of open subscriptions. */
  count(): number;
  /**
   * Yields messages as they arrive. @throws AppError UNKNOWN_CURSOR, UNAVAILABLE, RATE_LIMITED when the caller has too
   * many
   */
  open(request: SubscriptionRequest): Promise<AsyncGenerator<SharedPayload, void, undefined>>;
}

export interface SubscriptionsOptions {
  readonly feed: ChangeFeed;
  readonly log: Log;
  readonly limits?: Partial<SubscriptionLimits>;
  readonly onBoundHit?: (bound: SubscriptionBound) => void;
  readonly now?: () => number;
}

/** Longest delay of a timer in Node.js. */
const maxDelayMs = 2 ** 31 - 1;

const isToken = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN');

const unavailable = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('UNAVAILABLE', 'the change log cannot be read: subscribe again with your last cursor', {
        cause: error,
      });

export const createSubscriptions = (options: SubscriptionsOptions): Subscriptions => {
  const { feed, log, onBoundHit = () => undefined, now = Date.now } = options;
  const limits = { ...defaultSubscriptionLimits, ...options.limits };
  const groups = new Map<string, SubscriptionGroup>();
  const topics = new Map<string, Set<SubscriptionGroup>>();
  const open = new Set<Subscriber>();
  const countOf = new Map<string, number>();
  let unread = 0;
  let listening: Promise<void> | undefined;
  let statesWanted = 0;

  const topicOf = (item: FeedItem): string => (item.kind === 'STATES' ? statesTopic : item.change.resourceType);

  const onItems = (items: readonly FeedItem[]): void => {
    const wanted = new Map<SubscriptionGroup, FeedItem[]>();
    for (const item of items) {
      for (const group of topics.get(topicOf(item)) ?? []) {
        const list = wanted.get(group);
        if (list === undefined) wanted.set(group, [item]);
        else list.push(item);
      }
    }
    for (const [group, list] of wanted) group.deliver(list);
  };

  const checkToken = async (subscriber: Subscriber): Promise<void> => {
    try {
      await subscriber.session.principal();
    } catch (error) {
      if (isToken(error)) subscriber.expel(error);
    }
  };
  const onHoldersChanged = (): void => {
    for (const subscriber of open) void checkToken(subscriber);
  };

  /** Makes sure that the process listens to the feed. */
  const needFeed = (): Promise<void> =>
    (listening ??= feed.listen({ onItems, onHoldersChanged }).catch((error: unknown) => {
      listening = undefined;
      throw error;
    }));
  const dropFeed = (): void => {
    if (open.size > 0 || listening === undefined) return;
    listening = undefined;
    void feed.pause();
  };

  const join = (key: string, followed: FollowedOperation): SubscriptionGroup => {
    const known = groups.get(key);
    if (known !== undefined) return known;
    const group = createSubscriptionGroup(followed, limits.maxWaitingBytes);
    groups.set(key, group);
    for (const topic of followed.source.topics) {
      const same = topics.get(topic) ?? new Set();
      topics.set(topic, same.add(group));
    }
    return group;
  };
  const leave = (key: string, group: SubscriptionGroup, subscriber: Subscriber): void => {
    group.members.delete(subscriber);
    if (group.members.size > 0 || groups.get(key) !== group) return;
    groups.delete(key);
    for (const topic of group.followed.source.topics) topics.get(topic)?.delete(group);
  };

  /** Sends older changes page by page, as fast as the client reads them, and then joins the subscribers of new changes. */
  const catchUp = async (
    subscriber: Subscriber,
    request: SubscriptionRequest,
    room: () => Promise<void>,
  ): Promise<void> => {
    const { key, followed, context } = request;
    const { source } = followed;
    const reader = createSubscriptionGroup(followed, limits.maxWaitingBytes);
    while (subscriber.isOpen && subscriber.position < feed.position) {
      const { items, upTo } = await feed.read(subscriber.position, source.topics, { key: context.principal.uuid });
      await reader.deliverTo(subscriber, items);
      subscriber.position = upTo;
      await room();
    }
    // no item can arrive between the last check of the position and this line
    if (subscriber.isOpen) join(key, followed).members.add(subscriber);
  };

  const wantStates = (by: 1 | -1): true => {
    statesWanted += by;
    feed.wantStates(statesWanted > 0);
    return true;
  };

  return {
    count: () => open.size,
    open: async (request) => {
      const { followed, key, context, session, endSocket, onEnd } = request;
      const { source } = followed;
      const { uuid } = context.principal;
      const count = countOf.get(uuid) ?? 0;
      if (count >= limits.maxPerCaller) {
        onBoundHit('subscriptions');
        throw new AppError('RATE_LIMITED', `you have ${count} subscriptions, and one caller has at most that number`);
      }
      if (source.after !== undefined) await feed.requireCursor(source.after);

      let isOpen = true;
      let own = 0;
      let readsStates = false;
      let timer: NodeJS.Timeout | undefined;
      const queue = createEventQueue<SharedPayload>(limits.maxUnreadBytes, () => {
        isOpen = false;
        unread -= own;
        clearTimeout(timer);
        open.delete(subscriber);
        const left = (countOf.get(uuid) ?? 1) - 1;
        if (left === 0) countOf.delete(uuid);
        else countOf.set(uuid, left);
        const group = groups.get(key);
        if (group !== undefined) leave(key, group, subscriber);
        if (readsStates) readsStates = !wantStates(-1);
        dropFeed();
        onEnd();
      });
      const tooSlow = (): void => {
        onBoundHit('subscription_unread');
        queue.end();
        endSocket('TOO_SLOW');
      };
      const subscriber: Subscriber = {
        session,
        context,
        position: 0n,
        get isOpen() {
          return isOpen;
        },
        give: (payload) => {
          if (!isOpen) return;
          const bytes = payload.text.length;
          if (unread + bytes > limits.maxUnreadInAll && own > 0) return tooSlow();
          own += bytes;
          unread += bytes;
          if (!queue.push(payload, bytes)) tooSlow();
        },
        expel: (error) => {
          if (!isOpen) return;
          if (!isToken(error)) return queue.fail(unavailable(error));
          queue.end();
          endSocket('TOKEN_ENDED');
        },
        fallBehind: tooSlow,
      };
      countOf.set(uuid, count + 1);
      open.add(subscriber);
      try {
        await needFeed();
      } catch (error) {
        queue.end();
        throw error;
      }
      if (isOpen && source.topics.includes(statesTopic)) readsStates = wantStates(1);
      subscriber.position = source.after ?? feed.position;
      const expire = (): void => {
        const left = session.expiresAt - now();
        if (left > 0) {
          timer = setTimeout(expire, Math.min(left, maxDelayMs));
          return;
        }
        queue.end();
        endSocket('TOKEN_EXPIRED');
      };
      expire();
      const room = (): Promise<void> => queue.room();
      void catchUp(subscriber, request, room).catch((error: unknown) => {
        log.warn({ err: error }, 'a subscription could not read the change log');
        queue.fail(unavailable(error));
      });
      const { messages } = queue;
      const counted: AsyncGenerator<SharedPayload, void, undefined> = {
        next: async () => {
          const result = await messages.next();
          if (result.done !== true) {
            own -= result.value.text.length;
            unread -= result.value.text.length;
          }
          return result;
        },
        return: () => messages.return(),
        throw: (error) => messages.throw(error),
        [Symbol.asyncIterator]: () => counted,
        [Symbol.asyncDispose]: async () => queue.end(),
      };
      return counted;
    },
    close: () => feed.close(),
  };
};
