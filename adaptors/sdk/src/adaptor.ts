import type {
  AdaptorError,
  AdaptorState,
  DiscoveredReport,
  DiscoveredVersion,
  Link,
  LogEntry,
  Position,
  UpDataEvent,
} from '@fds/adaptor-protocol';
import type { AdaptorProperties } from './properties/adaptor-properties.js';

/** A change to send. The SDK fills in `transactionUuid` and `createTime` when they are absent. */
export type OutgoingEvent = Omit<UpDataEvent, 'transactionUuid' | 'createTime' | 'seen'> & {
  readonly transactionUuid?: string;
  readonly createTime?: number;
  /** Events of one group stay in order. Default: the DR uuid, otherwise the record's DR Key or the whole adaptor. */
  readonly messageGroup?: string;
  /**
   * Value of `Adaptor.applied` before the change was read from the source. Default: its value at the time of the call.
   */
  readonly appliedBefore?: Position;
  /**
   * The record's uuid, if the adaptor knows it. It is not sent. With it, the SDK finds the properties that earlier events
   * kept, also if the record's DR Key changed since.
   */
  readonly knownAs?: string;
};

/** A source that cannot be used as configured. */
export interface SourceFault {
  /** Identifies the source among those of the adaptor: a later fault of the same source replaces this one. */
  readonly source: string;
  /** One sentence for a steward that names the source and the cause. */
  readonly reason: string;
  /** ERROR: no event can flow. Default: the adaptor keeps its state. */
  readonly state?: 'ERROR';
}

/** Functions that a running adaptor offers to its author. */
export interface Adaptor {
  readonly adaptorUuid: string;
  readonly properties: AdaptorProperties;
  readonly state: AdaptorState;
  /**
   * The position up to which the server's events are durably applied. An author who reads first and publishes later
   * reads this position before the source.
   */
  readonly applied: Position;
  /**
   * Number of events published since the journal began. An author who stores it before a `publish` can check after a
   * crash whether the event was published.
   */
  readonly published: number;
  /** Log for the author's own messages, one JSON line each. Never payloads or secrets. */
  readonly log: AdaptorLog;
  /**
   * Resolves when the event is on disk. From then on it reaches the server, in order, even if processes crash. It also
   * works while the adaptor is disconnected or paused; the events are sent after PLAY. It waits while the journal has
   * `journal.max.events` events that the server has not acknowledged. Await each call before the next one, so that
   * memory stays bounded.
   *
   * In discovery mode the event carries `discovery`: the server only links its record, even if the event arrives later.
   *
   * @throws EventTooLarge when the event does not fit on the wire
   */
  publish(event: OutgoingEvent): Promise<void>;
  /** Reports links as part of the sequence of the data events. Durable like `publish`. */
  reportLinks(links: readonly Link[]): Promise<void>;
  /** Reports a fault of the configuration or of data. Durable like `publish`. */
  reportError(error: AdaptorError): Promise<void>;
  /** Is the adaptor in discovery mode, with no complete scan of the version reported yet? */
  isDiscovering(version: DiscoveredVersion): boolean;
  /**
   * Reports that a scan of a version in discovery mode is complete, with the number of records that the adaptor has. Call it after
   * every complete scan: outside discovery mode, and after the first report of a version, it does nothing. Durable like
   * `publish`. The SDK sends the report when the server has acknowledged everything that was published before.
   */
  reportDiscovered(report: DiscoveredReport): Promise<void>;
  /**
   * States that a source cannot be used as configured, until `clearSource` is called with the same source. The adaptor's
   * `stateMessage` and the `reason` of its health have the reasons of all faulty sources. The adaptor stays connected and
   * takes messages. The SDK reports it again after each
   * connection. A repeated call with the same fault does nothing.
   */
  reportSource(fault: SourceFault): void;
  /** States that the source works as configured. Does nothing when no fault of it is reported. */
  clearSource(source: string): void;
  /**
   * States that every change of a source up to a time is published, for the lag in the figures of the adaptor. Call it after
   * each complete scan, with the time at which the scan began.
   *
   * @param until default: the source is followed as it changes, until the next call for it
   */
  caughtUp(source: string, until?: Date): void;
  /**
   * Sends an entry to the server's central log, if connected. Limits: 5 entries a second on average, 50 at once, 2000
   * characters each. Never payloads or secrets.
   */
  sendLog(entry: LogEntry): void;
}

/**
 * STOPPED: by a call of `stop`. SHUTDOWN: by the server. SUPERSEDED: another process with the same credentials has
 * taken over.
 */
export type StopReason = 'STOPPED' | 'SHUTDOWN' | 'SUPERSEDED';

export interface RunningAdaptor extends Adaptor {
  /** Port of the health endpoint. */
  readonly healthPort: number;
  /** Resolves with the reason when the adaptor begins to stop. A handler that does not return delays the end. */
  readonly stopping: Promise<StopReason>;
  /** Resolves with the reason when the adaptor has stopped. */
  readonly stopped: Promise<StopReason>;
  /** Waits for the events that are being applied, acknowledges them, reports DOWN and closes. Idempotent. */
  stop(): Promise<void>;
}

export interface AdaptorLog {
  error(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  info(detail: object, message: string): void;
  debug(detail: object, message: string): void;
}

/** The event is larger than the bus allows. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}
