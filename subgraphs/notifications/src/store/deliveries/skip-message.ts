import type { SqlClient } from '@fds/database';
import { wakeReceivers } from '../queue/wake-receivers.js';

/** UNKNOWN: the message does not exist. SETTLED: it does not wait. SENDING: a process is sending from the queue. */
export type Skipping = 'SKIPPED' | 'UNKNOWN' | 'SETTLED' | 'SENDING';

/** Locks the queue, unless a process sends from it. */
const lockIdleQueue = async (
  client: SqlClient,
  registrationUuid: string,
  time: Date,
): Promise<'IDLE' | 'SENDING' | 'UNKNOWN'> => {
  const { rows } = await client.query<{ readonly is_sending: boolean }>(
    `SELECT lease_owner IS NOT NULL AND leased_until > $2 AS is_sending FROM notification_receiver
     WHERE registration_uuid = $1 FOR NO KEY UPDATE`,
    [registrationUuid, time],
  );
  if (rows[0] === undefined) return 'UNKNOWN';
  return rows[0].is_sending ? 'SENDING' : 'IDLE';
};

/**
 * Removes a message from its queue without sending it. If it was the first one, the next one is sent at once, with a
 * new count of attempts.
 */
export const skipMessage = async (
  client: SqlClient,
  registrationUuid: string,
  messageUuid: string,
  time: Date,
): Promise<Skipping> => {
  const queue = await lockIdleQueue(client, registrationUuid, time);
  const { rows } = await client.query<{ readonly status: string }>(
    'SELECT status FROM notification_message WHERE uuid = $1 AND registration_uuid = $2',
    [messageUuid, registrationUuid],
  );
  if (rows[0] === undefined) return 'UNKNOWN';
  if (rows[0].status !== 'QUEUED') return 'SETTLED';
  if (queue !== 'IDLE') return queue;
  await client.query(
    `WITH skipped AS (
       UPDATE notification_message SET status = 'SKIPPED', settled_at = $3 WHERE uuid = $2 RETURNING bytes, sequence),
     place AS (
       SELECT bytes, NOT EXISTS (SELECT FROM notification_message m JOIN notification_receiver r USING (registration_uuid)
         WHERE m.registration_uuid = $1 AND m.sequence > r.settled_upto AND m.sequence < skipped.sequence
           AND m.status = 'QUEUED') AS is_first FROM skipped)
     UPDATE notification_receiver
     SET queued_messages = queued_messages - 1, queued_bytes = queued_bytes - place.bytes,
       failures = CASE WHEN is_first THEN 0 ELSE failures END,
       next_attempt = CASE WHEN is_first THEN NULL ELSE next_attempt END
     FROM place WHERE registration_uuid = $1`,
    [registrationUuid, messageUuid, time],
  );
  await wakeReceivers(client, [registrationUuid]);
  return 'SKIPPED';
};
