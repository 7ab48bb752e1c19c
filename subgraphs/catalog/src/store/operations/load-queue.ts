import type { Database } from '@fds/database';
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
  readonly state: AdaptorState;
  readonly queued: bigint;
  readonly sent: bigint;
  readonly acknowledged: bigint;
  readonly oldest: Date | null;
}

const takesEvents: ReadonlySet<AdaptorState> = new Set(['STARTED', 'PAUSING']);

/** Undefined when the zone has no such adaptor. */
export const loadQueue = async (
  { reads }: Database,
  zoneUuid: string,
  adaptorUuid: string,
): Promise<AdaptorQueue | undefined> => {
  // numbers of the outbox start at 1 and are never reused; they do not depend on the epochs on the wire
  const { rows } = await reads.query<QueueRow>(
    `SELECT a.state, coalesce(c.down_sequence, 0) AS queued, coalesce(c.down_acked, 0) AS acknowledged,
            greatest(coalesce(c.down_sent, 0), coalesce(c.down_acked, 0)) AS sent,
            (SELECT d.date_created FROM delivery d WHERE d.adaptor_uuid = a.uuid AND d.sequence > c.down_acked
             ORDER BY d.sequence LIMIT 1) AS oldest
     FROM adaptor a LEFT JOIN adaptor_channel c ON c.adaptor_uuid = a.uuid
     WHERE a.uuid = $1 AND a.zone_uuid = $2`,
    [adaptorUuid, zoneUuid],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const acknowledgedCount = Number(row.acknowledged);
  const deliveredCount = Number(row.sent);
  const consumerConnected = takesEvents.has(row.state);
  return {
    adaptorUuid,
    messageCount: Number(row.queued) - acknowledgedCount,
    oldestMessageDate: row.oldest,
    inFlightCount: consumerConnected ? deliveredCount - acknowledgedCount : 0,
    deliveredCount,
    acknowledgedCount,
    consumerConnected,
  };
};
