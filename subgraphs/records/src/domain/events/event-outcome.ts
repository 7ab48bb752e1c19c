import type { ErrorCause } from '@fds/errors';
import type { AppliedAcl, OperationalDecision } from '@fds/governance-rules';
import type { JsonObject } from '@fds/json';
import type { ScoredCandidate } from '@fds/matching';
import type { RecordKey } from '../records/record-key.js';
import type { Consultation } from '../routing/count-decisions.js';
import type { DestinationNote } from '../routing/destination-note.js';
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
  /** W3C trace context of the event, where its trace is recorded. Default: that of the transaction. */
  readonly traceparent?: string | undefined;
}

/** A destination to which governance allows no part of an event. */
export interface Denial {
  /** Null: the server's own store. */
  readonly adaptorUuid: string | null;
  readonly chain: AppliedAcl['chain'];
  readonly aclUuid: string;
}

/** The part of an adaptor's event that the chains let the server's own store have. */
export interface StoredPart {
  /** The zone that owns the domain. */
  readonly zoneUuid: string;
  readonly action: DeliveredAction;
  /** Empty: a deletion. */
  readonly json: JsonObject;
  readonly removedProperties: readonly string[];
}

/** An event of another source whose values an event replaced before its own source had seen them. */
export interface OverriddenEvent {
  readonly eventUuid: string;
  /** Names of the replaced properties, in alphabetical order. Empty: all of it, one of the two is a deletion. */
  readonly properties: readonly string[];
}

/** The result of an event that crosses others: it overrides some of them, or its values were stale and were dropped. */
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
  /** Properties that governance keeps from the server's own store. Default: none. */
  readonly notStored?: readonly string[];
  /** The changes that it overrides without its source having seen them. Default: nothing. */
  readonly overrides?: readonly OverriddenEvent[];
  /** The event that already overrode it when it arrived: a deletion of a record that another change had brought back. */
  readonly overriddenByUuid?: string;
  /** Names of the properties that its source changed. Default: all, or not known. */
  readonly changed?: readonly string[];
  /** The person who made it. Default: an adaptor reported it. */
  readonly writerUuid?: string;
  /** The `X-Request-Id` of the request that made it. Default: an adaptor reported it. */
  readonly requestId?: string | undefined;
  readonly createTime: number;
}

/**
 * The change that lets a parked event continue. HELD: an earlier one of its record, or the issue MASS_DELETION of its
 * adaptor; ADAPTOR: its destination; UNREADABLE: it
 * violates the bus contract; DRIFTED: no event, a preview found differences; HUB_BEHIND: no event, the database was restored;
 * OPERATIONAL: the operational chain; UNKNOWN_VERSION: the domain version that it names has to come; PRESUMED: it has continued.
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
  | 'MASS_DELETION'
  | 'DRIFTED'
  | 'HUB_BEHIND'
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
  /** The change that lets the event continue. */
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
  /** The issue MASS_DELETION with which the deletion is parked. Undefined: it is not. */
  readonly brakeUuid?: string | undefined;
  /** Hexadecimal digest of a DR Key that is not valid, by which a deletion withdraws the event. Undefined: the event names none. */
  readonly malformedDigest?: string;
}

/** An event that continued with a presumption: its issue parks nothing. */
export interface RaisedPresumption extends RaisedIssue {
  /** The accepted event. */
  readonly eventUuid: string;
  /** JSON text of the values before its change; null: the record is new. */
  readonly before: string | null;
}

/** A change of a record, for the change log. */
export interface RecordChange {
  readonly action: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly recordUuid: string;
  readonly domainVersionUuid: string;
  /** The adaptor or person that caused it; undefined: the server. */
  readonly actorUuid: string | undefined;
  /** Transaction of the event or the write that caused it; undefined: neither did, for example for a reported link. */
  readonly transactionUuid: string | undefined;
  readonly drKey: JsonObject;
  /** Data of data-store records; federated records show none. */
  readonly json?: JsonObject;
  /** W3C trace context of the event, where its trace is recorded. Default: that of the transaction. */
  readonly traceparent?: string | undefined;
}

/** A report of a record that its source links, and that changes nothing. */
export interface RepeatedReport {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly recordUuid: string;
  /** Hexadecimal digest of the key that the source holds. */
  readonly keyDigest: string;
  readonly transactionUuid: string;
  /** Does the source report values that it could not apply before, and now lack none? */
  readonly repairs: boolean;
}

/** The way of an event to its decision. */
interface EventWay {
  /** When it arrived, epoch milliseconds. */
  readonly receivedAt?: number | undefined;
  /** The issue with which it waited. */
  readonly issueUuid?: string | undefined;
}

/** The effects of an event besides the changes in the record book. */
export interface EventOutcome {
  readonly event?: AcceptedEvent;
  readonly deliveries: readonly PlannedDelivery[];
  /** Set if the event is neither kept nor an issue. Its source could read the record. */
  readonly repeated?: RepeatedReport;
  readonly issue?: RaisedIssue;
  /** An issue of an event that continued. */
  readonly presumption?: RaisedPresumption | undefined;
  readonly change?: RecordChange;
  /** The decisions of the zones' chains, one for each destination in question. */
  readonly consulted?: readonly Consultation[];
  /** The part of the event that the server's own store takes. */
  readonly stored?: StoredPart;
  /** The decision of the operational chain, where it was evaluated. */
  readonly operation?: OperationalDecision;
  /** For an event that its source made without having seen others: the clash with them. */
  readonly crossed?: CrossingOutcome;
  /** An event without news, which is kept apart from the history. */
  readonly echo?: AcceptedEvent;
  /** The decision on every adaptor that has a capability for the version of `event`, or of `echo`. */
  readonly notes?: readonly DestinationNote[];
  /** The candidates by which an algorithm found the record, the best first. Default: its key is equal, or it was named. */
  readonly candidates?: readonly ScoredCandidate[] | undefined;
  /** The way of the event to its decision. Default: not known. */
  readonly way?: EventWay;
}

/** Nothing to write besides links: an echo, a report without news. */
export const nothing: EventOutcome = { deliveries: [] };
