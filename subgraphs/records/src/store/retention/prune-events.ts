import type { SqlSession } from '@fds/database';
import { reportWindow } from '../channels/delivery.js';
import { waits } from '../issues/released-events.js';
import { firstUuid, firstUuidAt, type OldRows, type PrunedRows } from './old-rows.js';

// messages that an adaptor has not acknowledged, and those that its error may still refer to (find-reported-event.ts,
// failed-message.ts)
const isDelivered = `NOT EXISTS (
  SELECT FROM delivery d JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
  WHERE d.event_uuid = e.uuid AND d.sequence > c.down_acked - $2::bigint)`;

// undoing a presumption informs the adaptors that were sent the record (load-presumption.ts)
const isSettled = `NOT EXISTS (SELECT FROM data_issue i WHERE i.record_uuid = e.record_uuid AND i.status = 'OPEN')`;

// the last event of a source shows that a parked event of it is stale (parked-events.ts)
const isNoMeasure = `(
  EXISTS (SELECT FROM data_event n
          WHERE n.record_uuid = e.record_uuid AND n.uuid > e.uuid AND n.source_adaptor_uuid = e.source_adaptor_uuid)
  OR NOT EXISTS (SELECT FROM data_issue i
                 WHERE i.adaptor_uuid = e.source_adaptor_uuid AND i.status = 'OPEN' AND i.uuid < e.uuid AND ${waits}))`;

/**
 * Removes old data events that are no longer needed, with their deliveries. Rows that are locked stay for the next
 * time. Events that are newer than `before` are not even read.
 */
export const pruneEvents = async (client: SqlSession, { after, before, limit }: OldRows): Promise<PrunedRows> => {
  const { rows: page } = await client.query<{ readonly uuid: string }>({
    name: 'records-read-old-events',
    text: 'SELECT uuid FROM data_event WHERE uuid > $1 AND uuid < $2 ORDER BY uuid LIMIT $3',
    values: [after ?? firstUuid, firstUuidAt(before), limit],
  });
  const last = page.at(-1)?.uuid ?? null;
  if (last === null) return { last, removed: 0 };
  const { rows: going } = await client.query<{ readonly uuid: string }>({
    name: 'records-find-unneeded-events',
    text: `SELECT e.uuid FROM data_event e
           WHERE e.uuid = ANY ($1::uuid[]) AND ${isDelivered} AND ${isSettled} AND ${isNoMeasure}
           FOR UPDATE OF e SKIP LOCKED`,
    values: [page.map(({ uuid }) => uuid), reportWindow],
  });
  const uuids = going.map(({ uuid }) => uuid);
  if (uuids.length > 0) {
    await client.query({
      name: 'records-prune-deliveries',
      text: 'DELETE FROM delivery WHERE event_uuid = ANY ($1::uuid[])',
      values: [uuids],
    });
    await client.query({
      name: 'records-prune-events',
      text: 'DELETE FROM data_event WHERE uuid = ANY ($1::uuid[])',
      values: [uuids],
    });
  }
  return { last: page.length < limit ? null : last, removed: uuids.length };
};

/** Removes events without news that are old. */
export const pruneEchoes = async (client: SqlSession, { before, limit }: OldRows): Promise<PrunedRows> => {
  const { rowCount } = await client.query({
    name: 'records-prune-echoes',
    text: `DELETE FROM data_echo WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM data_echo WHERE uuid < $1 ORDER BY uuid LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    values: [firstUuidAt(before), limit],
  });
  const removed = rowCount ?? 0;
  return { last: removed < limit ? null : firstUuid, removed };
};

/** Removes old times of messages. */
export const pruneProgress = async (client: SqlSession, { before, limit }: OldRows): Promise<PrunedRows> => {
  const { rowCount } = await client.query({
    name: 'records-prune-delivery-progress',
    text: `DELETE FROM delivery_progress WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM delivery_progress WHERE at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    values: [before, limit],
  });
  const removed = rowCount ?? 0;
  return { last: removed < limit ? null : firstUuid, removed };
};
