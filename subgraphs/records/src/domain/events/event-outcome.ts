import type { ErrorCause } from '@fds/errors';
import type { AppliedAcl, OperationalDecision } from '@fds/governance-rules';
import type { JsonObject } from '@fds/json';
import type { ScoredCandidate } from '@fds/matching';
import type { RecordKey } from '../records/record-key.js';
import type { Consultation } from '../routing/count-decisions.js';
import type { Seen } from '../routing/seen.js';
import type { SentContent } from '../routing/sent-content.js';

export type DeliveredAction = 'POST' | 'PUT' | 'DELETE';

/** A message for a destination. */
export interface PlannedDelivery {
  readonly adaptorUuid: string;
  /** Its number in the destination's outbox. */
  readonly sequence: number;
  readonly eventUuid: string;
  readonly recordUuid: string;
  readonly action: DeliveredAction;
  readonly removedProperties: readonly string[];
  /** JSON text of the envelope's `data`. */
  readonly message: string;
  /** Hashes of the content, to recognise an echo. Undefined for DELETE. */
  readonly content: SentContent | undefined;
}

/** A destination that governance lets have nothing of an event. */
export interface Denial {
  readonly adaptorUuid: string;
  readonly chain: AppliedAcl['chain'];
  readonly aclUuid: string;
}

/** An event of another source whose values an event replaced before its own source had seen them. */
export interface OverriddenEvent {
  readonly eventUuid: string;
  /** Names of what was replaced, in the order of the alphabet. Empty: all of it, one of the two is a deletion. */
  readonly properties: readonly string[];
}

/** What became of an event that crosses others: it won over some of them, or what it told was late and was dropped. */
export type CrossingOutcome = 'OVERRODE' | 'LATE';

/** An event that changed a record, as it is kept. */
export interface AcceptedEvent {
  readonly uuid: string;
  readonly transactionUuid: string;
  readonly action: DeliveredAction;
  readonly matchStatus: 'RESOLVED' | 'PRESUMED_NEW' | 'PRESUMED_MATCH';
  readonly recordUuid: string;
  readonly domainVersionUuid: string;
  /** Null: a change through the API. */
  readonly sourceAdaptorUuid: string | null;
  readonly drKey: JsonObject;
  readonly denied: readonly Denial[];
  /** What it won over without its source having seen it. Default: nothing. */
  readonly overrides?: readonly OverriddenEvent[];
  readonly createTime: number;
}

/**
 * What has to change before an event can go on. HELD: an earlier one of its record; ADAPTOR: its destination; UNREADABLE: it
 * violates the bus contract;
 * OPERATIONAL: the operational chain; UNKNOWN_VERSION: the domain version that it names has to come; PRESUMED: it has gone on.
 */
export type IssueCause =
  | 'FAULTY'
  | 'UNREADABLE'
  | 'UNKNOWN_VERSION'
  | 'HELD'
  | 'AMBIGUOUS'
  | 'KEY_TAKEN'
  | 'NOT_CAPABLE'
  | 'NOT_VALID'
  | 'IN_USE'
  | 'OPERATIONAL'
  | 'ADAPTOR'
  | 'PRESUMED';

/** An event that could not be processed, by the server or by a destination. */
export interface RaisedIssue {
  readonly uuid: string;
  readonly title: string;
  readonly exception: 'PARSING' | 'MATCHING' | 'ADAPTOR' | 'OTHER';
  readonly matchStatus: 'AMBIGUOUS' | 'PRESUMED_NEW' | 'PRESUMED_MATCH' | null;
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string | null;
  readonly recordUuid: string | null;
  /** Hexadecimal; null when the event names no valid key. */
  readonly keyDigest: string | null;
  /** What has to change before the event can go on. */
  readonly cause: IssueCause;
  /** JSON text; null where no event is known. */
  readonly dataEvent: string | null;
  readonly errors: readonly ErrorCause[];
  /** Records that the event may mean, the best first. */
  readonly matches?: readonly ScoredCandidate[];
  /** The messages that its source had applied when the event arrived. Default: not known. */
  readonly seen?: Seen;
  /** Keys for which it waits: that a record has one of them, or (KEY_TAKEN) that none has. */
  readonly awaits?: readonly RecordKey[] | undefined;
}

/** An event that went on with a presumption: its issue holds nothing back. */
export interface RaisedPresumption extends RaisedIssue {
  /** The accepted event. */
  readonly eventUuid: string;
  /** JSON text of what it changed, as it was before; null: the record is new. */
  readonly before: string | null;
}

/** A change of a record, for the change log. */
export interface RecordChange {
  readonly action: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly recordUuid: string;
  readonly domainVersionUuid: string;
  /** The adaptor or person that caused it; undefined: the server. */
  readonly actorUuid: string | undefined;
  readonly drKey: JsonObject;
  /** Of data-store records; federated ones show no data. */
  readonly json?: JsonObject;
}

/** What an event leads to beside the changes in the record book. */
export interface EventOutcome {
  readonly event?: AcceptedEvent;
  readonly deliveries: readonly PlannedDelivery[];
  readonly issue?: RaisedIssue;
  /** An issue of an event that went on. */
  readonly presumption?: RaisedPresumption | undefined;
  readonly change?: RecordChange;
  /** What the chains of zones were asked, one for each destination in question. */
  readonly consulted?: readonly Consultation[];
  /** What the operational chain said, where it was asked. */
  readonly operation?: OperationalDecision;
  /** Of an event that its source made without having seen others, where they clash. */
  readonly crossed?: CrossingOutcome;
}

/** Nothing to write beside links: an echo, a report of what is known. */
export const nothing: EventOutcome = { deliveries: [] };
