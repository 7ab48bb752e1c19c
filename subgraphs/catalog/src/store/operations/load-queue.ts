import type { Queryable } from '@fds/database';
import type { AdaptorState } from '../../domain/adaptors/adaptor-state.js';

/** The messages that wait for an adaptor or are in flight to it. */
export interface AdaptorQueue {
  readonly adaptorUuid: string;
  /** Messages that are not acknowledged, including those in flight. */
  readonly messageCount: number;
  /** Time at which the oldest of them was queued; null when the queue is empty. */
  readonly oldestMessageDate: Date | null;
  readonly inFlightCount: number;
  readonly deliveredCount: number;
  readonly acknowledgedCount: number;
  /** Does the adaptor receive data events now? */
  readonly consumerConnected: boolean;
}

interface QueueRow {
  readonly uuid: string;
  readonly state: AdaptorState;
  readonly queued: bigint;
  readonly sent: bigint;
  readonly acknowledged: bigint;
  readonly oldest: Date | null;
}

const takesEvents: ReadonlySet<AdaptorState> = new Set(['STARTED', 'PAUSING']);

const toQueue = (row: QueueRow): AdaptorQueue => {
  const acknowledgedCount = Number(row.acknowledged);
  const deliveredCount = Number(row.sent);
  const consumerConnected = takesEvents.has(row.state);
  return {
    adaptorUuid: row.uuid,
    messageCount: Number(row.queued) - acknowledgedCount,
    oldestMessageDate: row.oldest,
    inFlightCount: consumerConnected ? deliveredCount - acknowledgedCount : 0,
    deliveredCount,
    acknowledgedCount,
    consumerConnected,
  };
};

/** One statement for all adaptors. The result has no entry for an adaptor that does not exist. */
export const loadQueues = async (
  reads: Queryable,
  adaptorUuids: readonly string[],
): Promise<ReadonlyMap<string, AdaptorQueue>> => {
  // numbers of the outbox start at 1 and are never reused; they do not depend on the epochs on the wire
  const { rows } = await reads.query<QueueRow>(
    `SELECT a.uuid, a.state, coalesce(c.down_sequence, 0) AS queued, coalesce(c.down_acked, 0) AS acknowledged,
            greatest(coalesce(c.down_sent, 0), coalesce(c.down_acked, 0)) AS sent,
            (SELECT d.date_created FROM delivery d WHERE d.adaptor_uuid = a.uuid AND d.sequence > c.down_acked
             ORDER BY d.sequence LIMIT 1) AS oldest
     FROM adaptor a LEFT JOIN adaptor_channel c ON c.adaptor_uuid = a.uuid
     WHERE a.uuid = ANY ($1::uuid[])`,
    [adaptorUuids],
  );
  return new Map(rows.map((row) => [row.uuid, toQueue(row)]));
};
