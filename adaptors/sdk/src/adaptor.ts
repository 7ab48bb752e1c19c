import type { AdaptorError, AdaptorState, Link, LogEntry, Position, UpDataEvent } from '@fds/adaptor-protocol';
import type { AdaptorProperties } from './properties/adaptor-properties.js';

/** A change to send. The SDK fills in `transactionUuid` and `createTime` when they are absent. */
export type OutgoingEvent = Omit<UpDataEvent, 'transactionUuid' | 'createTime' | 'seen'> & {
  readonly transactionUuid?: string;
  readonly createTime?: number;
  /** Events of one group stay in order. Default: the DR uuid, otherwise the record's DR Key or the whole adaptor. */
  readonly messageGroup?: string;
  /** `Adaptor.applied` as it was before the change was read from the source. Default: as it is when it is published. */
  readonly appliedBefore?: Position;
};

/** Functions that a running adaptor offers its author. */
export interface Adaptor {
  readonly adaptorUuid: string;
  readonly properties: AdaptorProperties;
  readonly state: AdaptorState;
  /** How far the events of the server are durably applied. An author who reads first and publishes later notes it before. */
  readonly applied: Position;
  /** Events published since the journal began. An author who notes it before a `publish` learns after a crash whether it was done. */
  readonly published: number;
  /** For the author's own messages; one JSON line each. Never payloads or secrets. */
  readonly log: AdaptorLog;
  /**
   * Resolves when the event is on disk: from then on it reaches the server, in order, even if processes crash. Works
   * while disconnected or paused too; the events go out after PLAY. While the journal has `journal.max.events` events
   * that the server has not acknowledged, it waits: await it before the next one, so that memory stays bounded.
   *
   * In discovery mode the event carries `discovery`, so the server only links its record, whenever the event arrives.
   *
   * @throws EventTooLarge when the event does not fit on the wire
   */
  publish(event: OutgoingEvent): Promise<void>;
  /** Reports links in the sequence of the data events. Durable like `publish`. */
  reportLinks(links: readonly Link[]): Promise<void>;
  /** Reports a fault of the configuration, of the source or of data. Durable like `publish`. */
  reportError(error: AdaptorError): Promise<void>;
  /**
   * Sends an entry to the server's central log, when connected: 5 a second on average, 50 at once, 2000 characters each.
   * Never payloads or secrets.
   */
  sendLog(entry: LogEntry): void;
}

/** STOPPED: `stop`. SHUTDOWN: by the server. SUPERSEDED: another process with the same credentials has taken over. */
export type StopReason = 'STOPPED' | 'SHUTDOWN' | 'SUPERSEDED';

export interface RunningAdaptor extends Adaptor {
  /** Port of the health endpoint. */
  readonly healthPort: number;
  /** Resolves with the reason when the adaptor begins to stop. A handler that does not return delays the end. */
  readonly stopping: Promise<StopReason>;
  /** Resolves with the reason when the adaptor has stopped. */
  readonly stopped: Promise<StopReason>;
  /** Finishes what it is applying, acknowledges it, reports DOWN and closes. Idempotent. */
  stop(): Promise<void>;
}

export interface AdaptorLog {
  error(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  info(detail: object, message: string): void;
  debug(detail: object, message: string): void;
}

/** The event is larger than the bus carries. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}
