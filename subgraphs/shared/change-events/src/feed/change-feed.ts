import type { FeedItem } from './feed-item.js';

/** Topic of the readings of adaptors; other topics are types of resources. */
export const statesTopic = 'AdaptorStates';

/** A reader of the live end of the change log. */
export interface FeedListener {
  /** Items in their order. Must not throw. */
  readonly onItems: (items: readonly FeedItem[]) => void;
  /** Permissions or tokens may have changed. Called before the items that follow the change. */
  readonly onHoldersChanged: () => void;
}

/** A page of older changes. */
interface FeedPage {
  readonly items: readonly FeedItem[];
  /** Everything up to here was read. */
  readonly upTo: bigint;
}

/** The change log for all subscriptions of a process: one reader for any number of them. */
export interface ChangeFeed {
  /** Items at or below it were given to the listener. Only valid while there is a listener. */
  readonly position: bigint;
  /** Begins to read at the present end. The feed has one listener at a time. */
  listen(listener: FeedListener): Promise<void>;
  /** Ends the reading. */
  pause(): Promise<void>;
  /** Reads adaptors each second while it is wanted. */
  wantStates(wanted: boolean): void;
  /** Changes above `after` that the listener was given or would have been given; in the caller's share of statements. */
  read(after: bigint, topics: readonly string[], caller: { readonly key: string }): Promise<FeedPage>;
  /** @throws AppError UNKNOWN_CURSOR */
  requireCursor(cursor: bigint): Promise<void>;
  close(): Promise<void>;
}
