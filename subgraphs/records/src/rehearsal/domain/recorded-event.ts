import type { DomainVersionView } from '../../domain/catalog.js';
import type { DeliveredAction } from '../../domain/events/event-outcome.js';
import type { EventSource } from '../../domain/routing/ask-governance.js';
import type { NotSentReason } from '../../domain/routing/destination-note.js';

/** An adaptor as a destination of an event, as it was recorded when the event was routed. */
export interface RecordedAdaptor {
  readonly place: { readonly uuid: string; readonly zoneUuid: string };
  /** Actions that it is capable of for the version. */
  readonly actions: ReadonlySet<DeliveredAction>;
  /** The present status of its message, DENIED or NOT_SENT; FAILED also where no message could be sent. */
  readonly status: string;
  readonly action: DeliveredAction | null;
  /** Was a message made? */
  readonly isSent: boolean;
  /** Why no message was made; null: one was. */
  readonly reason: NotSentReason | null;
  /** Did it have content of the record before? */
  readonly isKnown: boolean;
  /** The properties that the chains were asked about. */
  readonly names: readonly string[];
  /** Those of them that would be new to it without governance. */
  readonly news: ReadonlySet<string>;
  /** Those that governance removed. */
  readonly removed: readonly string[];
  /** Those that an earlier event had kept from it. */
  readonly withheld: readonly string[];
}

/** The server's own store as a destination of an adaptor's event. */
export interface RecordedStore {
  readonly isDenied: boolean;
  readonly removed: readonly string[];
}

/** An event as it was recorded. Values are not kept: names are what chains decide on. */
export interface RecordedEvent {
  readonly uuid: string;
  readonly recordUuid: string;
  readonly action: DeliveredAction;
  readonly version: DomainVersionView;
  readonly source: EventSource;
  /** JSON text. */
  readonly drKey: string;
  readonly matchStatus: string | null;
  /** Names of the properties that the source changed; undefined: all of them, or not known. */
  readonly changed: ReadonlySet<string> | undefined;
  /** Names of all its properties, as far as they are known. */
  readonly names: readonly string[];
  /** Was the operational chain asked? */
  readonly isOperation: boolean;
  readonly adaptors: readonly RecordedAdaptor[];
  /** Undefined: the store is not a destination. */
  readonly store: RecordedStore | undefined;
}
