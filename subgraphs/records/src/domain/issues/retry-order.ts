import type { IssueTexts } from './read-issue-change.js';
import type { SettledMatch } from './settled-match.js';

/** What a steward wants done with an event that waits. */
export interface RetryOrder {
  /** Of the issue as it was read: it is done to no other. */
  readonly changeVersion: number;
  /** The request that asked for it. */
  readonly action: 'PUT' | 'PATCH';
  /** Who wants it. */
  readonly actorUuid: string;
  /** What was decided about its match; undefined: nothing. */
  readonly settled?: SettledMatch | undefined;
  /** What else was changed; undefined: nothing. */
  readonly texts?: IssueTexts | undefined;
}
