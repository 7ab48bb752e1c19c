import type { Denial, DeliveredAction } from '../../domain/events/event-outcome.js';
import type { NotApplied } from '../../domain/routing/not-applied.js';

/** An event as it is kept, with its explanation. */
export interface KeptEvent {
  readonly uuid: string;
  readonly transactionUuid: string;
  readonly requestId: string | null;
  readonly action: DeliveredAction;
  readonly matchStatus: string | null;
  readonly recordUuid: string;
  readonly domainVersionUuid: string;
  readonly sourceAdaptorUuid: string | null;
  /** JSON text. */
  readonly drKey: string;
  readonly denied: readonly Denial[] | null;
  readonly notStored: readonly string[] | null;
  readonly changed: readonly string[] | null;
  /** Text of `writeExplanation`; null: the event is older. */
  readonly explanation: string | null;
  readonly dateCreated: Date | null;
  readonly isEcho: boolean;
}

/** A message of an event, with its present status. */
export interface KeptDelivery {
  readonly eventUuid: string;
  readonly adaptorUuid: string;
  readonly sequence: number;
  readonly action: DeliveredAction;
  readonly status: string;
  readonly removedProperties: readonly string[];
  /** Hexadecimal, see `SentContent`; null: a deletion. */
  readonly content: string | null;
  readonly notApplied: NotApplied | null;
  readonly dateCreated: Date;
  /** Unacknowledged messages in front of it. */
  readonly ahead: number;
  readonly state: string | null;
  readonly sentAt: Date | null;
  readonly acknowledgedAt: Date | null;
  readonly attempts: number;
}
