import type { IssueTexts } from './read-issue-change.js';
import type { SettledMatch } from './settled-match.js';

/** The order of a steward for an event that waits. */
export interface RetryOrder {
  /** The changeVersion of the issue as it was read: the order applies to no other. */
  readonly changeVersion: number;
  /** The request that asked for it. */
  readonly action: 'PUT' | 'PATCH';
  /** The actor. */
  readonly actorUuid: string;
  /** The decision about its match; undefined: none. */
  readonly settled?: SettledMatch | undefined;
  /** The other changes; undefined: none. */
  readonly texts?: IssueTexts | undefined;
}
