import type { OperationalRules } from '@fds/governance-rules';
import type { CrossingOutcome, EventOutcome, PlannedDelivery } from '../../domain/events/event-outcome.js';
import type { QueueKey } from '../../domain/issues/parked-queues.js';
import type { RetriedBatch } from '../../issues/parked/retried-event.js';
import type { UnblockedEvents } from '../../domain/issues/unblocked-by.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import type { RecordKey } from '../../domain/records/record-key.js';
import type { RefusedEvent } from './refused-events.js';
import type { NewIssue } from './tell-refusals.js';

/** The result of a committed batch. */
export interface CommittedBatch extends RetriedBatch {
  /** Channels of its sources after the batch: the acknowledged positions. */
  readonly sources: readonly Channel[];
  /** Channels that got messages, after the batch. */
  readonly destinations: readonly Channel[];
  readonly deliveries: readonly PlannedDelivery[];
  /** The operational chain that denied some of it; undefined: none was denied. */
  readonly deniedBy?: OperationalRules | undefined;
  /** Queues that are left to events which wait and were not tried. */
  readonly leftQueues: readonly QueueKey[];
  /** Events for which the catalog lacked something. */
  readonly refused: readonly RefusedEvent[];
  /** Issues of which adaptors are informed. */
  readonly newIssues: readonly NewIssue[];
  /** Events that may continue because of the batch's changes to records. */
  readonly unblocked: readonly UnblockedEvents[];
  /** Keys that events of the batch wait for. Nothing announces records that arrived in the meantime. */
  readonly awaited: readonly RecordKey[];
  /** The outcomes of data events, for figures. */
  readonly counted: readonly EventOutcome[];
  /** The result of events that crossed others. */
  readonly crossed: readonly CrossingOutcome[];
}
