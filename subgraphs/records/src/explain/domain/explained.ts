import type { JsonValue } from '@fds/json';
import type { AdaptorView } from '../../domain/catalog.js';
import type { DeliveredAction } from '../../domain/events/event-outcome.js';
import type { NotSentReason, RemovedProperty } from '../../domain/routing/destination-note.js';

/** Why a destination does not have the content of an event. The first one that applies counts. */
export type ExplainReason = NotSentReason | 'REFUSED_BY_ADAPTOR' | 'PAUSED' | 'AWAY' | 'QUEUED_BEHIND';

type ExplainStage = 'RECEIVED' | 'VALIDATED' | 'MATCHED' | 'OPERATIONAL' | 'LINKED' | 'COMMITTED';
type ExplainOutcome =
  'VALID' | 'FAULTY' | 'NEW' | 'KNOWN' | 'AMBIGUOUS' | 'ALLOWED' | 'DENIED' | 'LINKED' | 'COMMITTED';

/** A record that was compared with an event. */
export interface ExplainedCandidate {
  readonly drUuid: string;
  /** The adaptor whose key was compared; null: the record's own. */
  readonly adaptorUuid: string | null;
  readonly score: number | null;
  readonly comparisons: readonly JsonValue[];
}

/** A step of an event in the hub. */
export interface ExplainedStep {
  readonly stage: ExplainStage;
  readonly at: Date;
  readonly outcome: ExplainOutcome | null;
  readonly detail: string | null;
  /** The stage MATCHED has it. */
  readonly algorithm?: string;
  readonly candidates?: readonly ExplainedCandidate[];
  /** The stage OPERATIONAL has the entry that decided. */
  readonly aclUuid?: string | null;
}

/** The way of an event to one adaptor. */
export interface ExplainedDestination {
  readonly adaptor: Pick<AdaptorView, 'uuid' | 'name' | 'zoneUuid'>;
  readonly action: DeliveredAction | null;
  readonly status: string;
  readonly reason: ExplainReason | null;
  readonly chain: RemovedProperty['chain'];
  readonly aclUuid: string | null;
  readonly changed: readonly string[];
  readonly removed: readonly RemovedProperty[];
  readonly notApplied: readonly { readonly property: string; readonly reason: string }[];
  readonly sequence: number | null;
  readonly queuedAt: Date | null;
  readonly sentAt: Date | null;
  readonly acknowledgedAt: Date | null;
  readonly attempts: number;
  readonly ahead: number | null;
}
