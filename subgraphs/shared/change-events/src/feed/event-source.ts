import type { Principal } from '@fds/auth';
import type { EventEntry } from '../event-entry.js';
import type { FeedItem } from './feed-item.js';

/** The value that a subscription field returns instead of events: the decision on each item of the feed. */
export interface EventSource {
  /** Name of the field. */
  readonly name: string;
  /** Sources of one field with equal arguments and equal identity give the same events. Default: the arguments say all. */
  readonly identity?: string;
  /** What GET `/notifications` shows. */
  readonly events: readonly EventEntry[];
  /** Types of resources, or the topic of states. */
  readonly topics: readonly string[];
  /** Items above it are wanted; undefined: those to come. */
  readonly after: bigint | undefined;
  /** The event as the receiver may see it at this moment; undefined: not for them. */
  see(receiver: Principal, item: FeedItem): object | undefined;
}

/** Is it what a subscription field of ours gives? */
export const isEventSource = (value: unknown): value is EventSource =>
  typeof value === 'object' && value !== null && 'see' in value && 'topics' in value;
