import type { SqlClient } from '@fds/database';
import { insertMessages, type AddedMessage, type WantedChange } from './insert-messages.js';
import { lockReceivers } from './lock-receivers.js';
import { wakeReceivers } from './wake-receivers.js';

/** Limits of the queue of one receiver. */
export interface QueueBounds {
  readonly messages: number;
  readonly bytes: number;
}

/** Registrations whose queue exceeds a limit. */
export type OverfullRegistrations = readonly string[];

/**
 * Adds messages to the queues of their receivers in the given order, and wakes senders. An existing message is not
 * changed. The caller must have locked the cursor.
 *
 * @returns registrations that have exceeded a bound
 */
export const enqueue = async (
  client: SqlClient,
  wanted: readonly WantedChange[],
  time: Date,
  bounds: QueueBounds,
): Promise<OverfullRegistrations> => {
  const existing = await lockReceivers(client, [...new Set(wanted.map(({ registrationUuid }) => registrationUuid))]);
  const possible = wanted.filter(({ registrationUuid }) => existing.has(registrationUuid));
  return fillQueues(client, await insertMessages(client, possible, 'KEEP', time), time, bounds);
};

/**
 * Counts messages that were added to queues, which the caller has locked, and wakes senders. @returns registrations
 * that have exceeded a bound
 */
export const fillQueues = async (
  client: SqlClient,
  added: readonly AddedMessage[],
  time: Date,
  bounds: QueueBounds,
): Promise<OverfullRegistrations> => {
  const counts = new Map<string, { messages: number; bytes: number }>();
  for (const { registration_uuid: uuid, bytes } of added) {
    const count = counts.get(uuid) ?? { messages: 0, bytes: 0 };
    counts.set(uuid, { messages: count.messages + 1, bytes: count.bytes + bytes });
  }
  if (counts.size === 0) return [];
  const uuids = [...counts.keys()];
  const { rows } = await client.query<{
    readonly uuid: string;
    readonly queued_messages: number;
    readonly queued_bytes: bigint;
    readonly is_idle: boolean;
  }>({
    name: 'notifications-fill-queues',
    text: `UPDATE notification_receiver r
           SET queued_messages = queued_messages + a.messages, queued_bytes = queued_bytes + a.bytes
           FROM unnest($1::uuid[], $2::int[], $3::bigint[]) AS a(uuid, messages, bytes)
           WHERE r.registration_uuid = a.uuid
           RETURNING r.registration_uuid AS uuid, queued_messages, queued_bytes,
             (lease_owner IS NULL OR leased_until <= $4) AND (next_attempt IS NULL OR next_attempt <= $4) AS is_idle`,
    values: [
      uuids,
      uuids.map((uuid) => counts.get(uuid)?.messages ?? 0),
      uuids.map((uuid) => counts.get(uuid)?.bytes ?? 0),
      time,
    ],
  });
  await wakeReceivers(
    client,
    rows.filter(({ is_idle }) => is_idle).map(({ uuid }) => uuid),
  );
  return rows
    .filter(({ queued_messages, queued_bytes }) => queued_messages > bounds.messages || queued_bytes > bounds.bytes)
    .map(({ uuid }) => uuid);
};
