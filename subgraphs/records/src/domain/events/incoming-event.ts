import type { ErrorCause } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import type { DomainVersionView } from '../catalog.js';
import type { WireSeen } from '../routing/wire-seen.js';
import type { SettledMatch } from '../issues/settled-match.js';

/** The DR Key of an event, as its adaptor holds it. */
export interface EventKey {
  readonly drKey: JsonObject;
  /** Hexadecimal SHA-256 of the canonical key. */
  readonly digest: string;
}

interface EventBase {
  readonly sourceAdaptorUuid: string;
  readonly version: DomainVersionView;
  readonly transactionUuid: string;
  /** Epoch milliseconds, by the adaptor. */
  readonly createTime: number;
  readonly drUuid: string | undefined;
  /**
   * The key of the record with `drUuid` when the source knew it. Only set if the source does not link that record: it may be
   * gone, and another record may have the key.
   */
  readonly former?: EventKey;
  /** The transaction that caused this change, as the adaptor names it. */
  readonly originTransactionUuid?: string | undefined;
  /** The position that the adaptor had applied when it read the change, as it reports. */
  readonly seen?: WireSeen | undefined;
  /** The `data` of the message as received, for an issue: few events need its text. */
  readonly text: () => string;
}

/** POST and PUT of an adaptor alike: the server decides which it is. */
export interface RecordChanged extends EventBase {
  readonly kind: 'RECORD_CHANGED';
  readonly key: EventKey;
  /** As reported. For a federated version it is valid and contains the defaults. */
  readonly record: JsonObject;
  /** The properties that were not reported and have their defaults. Only known for events that name an origin. */
  readonly filled?: ReadonlySet<string>;
  /** Discovery: link, and route nothing. */
  readonly linkOnly: boolean;
  /** For an event that has waited for its match. */
  readonly settled?: SettledMatch;
}

export interface RecordDeleted extends EventBase {
  readonly kind: 'RECORD_DELETED';
  readonly key: EventKey | undefined;
  readonly linkOnly: boolean;
  readonly settled?: SettledMatch;
}

/** A linkage that an adaptor reports outside data events. */
export interface LinkReported extends Omit<EventBase, 'transactionUuid'> {
  /** A report of links names no transaction. */
  readonly transactionUuid: undefined;
  readonly kind: 'LINKED' | 'UNLINKED';
  readonly key: EventKey | undefined;
}

/** The content of the catalog that would let an event be processed. */
export type CatalogLack =
  { readonly kind: 'CAPABILITY' } | { readonly kind: 'VERSION'; readonly domainName: string; readonly number: number };

/** A DR Key that is complete and not valid: the server has no record of it. */
interface MalformedKey {
  /** Hexadecimal SHA-256 of the key as it is reported. */
  readonly digest: string;
  /** The transaction of the event, if it is a deletion. */
  readonly deletedBy: string | undefined;
}

/** An event that cannot be processed: it becomes an issue and counts as done. */
export interface FaultyEvent {
  readonly kind: 'FAULTY';
  readonly sourceAdaptorUuid: string;
  readonly version: DomainVersionView | undefined;
  readonly key: EventKey | undefined;
  readonly malformedKey?: MalformedKey;
  /** The record that it names, whether there is one or not. */
  readonly drUuid: string | undefined;
  readonly exception: 'PARSING' | 'MATCHING' | 'OTHER';
  /** The change that lets it be processed. UNREADABLE: no change makes it readable. */
  readonly cause: 'FAULTY' | 'UNREADABLE' | 'UNKNOWN_VERSION';
  /** Undefined: the catalog has all that it takes. */
  readonly lacks?: CatalogLack;
  /** Public sentence; never holds a value of the data. */
  readonly title: string;
  readonly errors: readonly ErrorCause[];
  /** The reported record when it is not valid and names an origin: it may be the echo of a message without required properties. */
  readonly echo?: { readonly originTransactionUuid: string; readonly json: JsonObject };
  /** The messages that the adaptor had applied when it read the change, as the event states them. */
  readonly seen?: WireSeen | undefined;
  readonly text: () => string;
}

/** A message in the sequence that changes nothing: it names no link of a known version. */
interface EmptyReport {
  readonly kind: 'EMPTY';
  readonly sourceAdaptorUuid: string;
  readonly version: undefined;
  readonly key: undefined;
  readonly drUuid: undefined;
  readonly text: () => string;
}

export type IncomingEvent = RecordChanged | RecordDeleted | LinkReported | EmptyReport | FaultyEvent;

/** Is it a data event, and not a report of links? */
export const isDataEvent = ({ kind }: IncomingEvent): boolean =>
  kind === 'RECORD_CHANGED' || kind === 'RECORD_DELETED' || kind === 'FAULTY';
