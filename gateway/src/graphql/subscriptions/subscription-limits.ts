/** Limits of subscriptions. */
export interface SubscriptionLimits {
  /** Most subscriptions of one websocket. */
  readonly maxPerSocket: number;
  /** Most subscriptions of one caller. */
  readonly maxPerCaller: number;
  /** Most bytes of messages that wait for the client of one subscription. */
  readonly maxUnreadBytes: number;
  /** Most bytes of messages that wait for all clients. */
  readonly maxUnreadInAll: number;
  /** Most bytes of changes that wait, for equal subscriptions, until the messages of earlier changes are written. */
  readonly maxWaitingBytes: number;
}

export const defaultSubscriptionLimits: SubscriptionLimits = {
  maxPerSocket: 16,
  maxPerCaller: 2_000,
  maxUnreadBytes: 2 ** 20,
  maxUnreadInAll: 64 * 2 ** 20,
  maxWaitingBytes: 8 * 2 ** 20,
};

/** The bounds of subscriptions that are counted. */
export type SubscriptionBound = 'subscriptions' | 'subscription_unread';
