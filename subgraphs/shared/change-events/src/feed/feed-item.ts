import type { ChangeEvent } from '../change-event.js';
import type { ChangeSubject, SubjectVersion } from '../change-subject.js';
import type { AdaptorReading } from './adaptor-reading.js';
import type { ReconciliationReading } from './reconciliation-reading.js';

/** A change with the facts that data access rules need. */
interface ChangeItem {
  readonly kind: 'CHANGE';
  /** Place in the change log, and the cursor of the message. */
  readonly position: bigint;
  readonly change: ChangeEvent & { readonly dateCreated: Date };
  /** Estimated memory of the change. */
  readonly bytes: number;
  readonly subject: FeedSubject;
}

/** The readings of all adaptors and of reconciliations at one moment. */
interface StatesItem {
  readonly kind: 'STATES';
  /** Every change up to it was given before. */
  readonly position: bigint;
  readonly readings: readonly AdaptorReading[];
  readonly reconciliations: readonly ReconciliationReading[];
  /** Estimated memory of the readings. */
  readonly bytes: number;
}

export type FeedItem = ChangeItem | StatesItem;

/** A domain version as subscriptions read it. */
export interface FeedVersion extends SubjectVersion {
  readonly drKeyProperties: readonly string[];
}

export interface FeedSubject extends ChangeSubject {
  readonly version: FeedVersion | undefined;
}
