import type { SqlClient } from '@fds/database';
import { fillQueues, type OverfullRegistrations, type QueueBounds } from '../queue/enqueue.js';
import { lockCursor } from '../queue/cursor.js';
import { insertMessages, type WantedChange } from '../queue/insert-messages.js';
import { lockReceivers } from '../queue/lock-receivers.js';

/** Messages that wait again, and registrations that thereby exceed a bound. */
export interface Requeued {
  readonly messages: number;
  readonly overfull: OverfullRegistrations;
}

/**
 * Moves the requests that delivered the messages into the log, because the rows of the messages will store the next
 * requests.
 */
const logDeliveries = async (
  client: SqlClient,
  registrationUuid: string,
  positions: readonly bigint[],
): Promise<void> => {
  await client.query(
    `INSERT INTO notification_attempt (message_uuid, number, date_created, milliseconds, outcome, http_status)
     SELECT uuid, attempts, delivered_at, delivered_ms, 'DELIVERED', delivered_status FROM notification_message
     WHERE registration_uuid = $1 AND position = ANY ($2::bigint[]) AND delivered_at IS NOT NULL AND status <> 'QUEUED'
     ON CONFLICT DO NOTHING`,
    [registrationUuid, positions],
  );
};

/**
 * Adds changes to the end of the queue of a registration, in the given order. Messages keep their ids, and waiting
 * messages keep their position.
 */
export const requeueChanges = async (
  client: SqlClient,
  registrationUuid: string,
  wanted: readonly WantedChange[],
  time: Date,
  bounds: QueueBounds,
): Promise<Requeued> => {
  await lockCursor(client);
  // no process writes results of these messages until the transaction ends
  if ((await lockReceivers(client, [registrationUuid])).size === 0) return { messages: 0, overfull: [] };
  await logDeliveries(
    client,
    registrationUuid,
    wanted.map(({ position }) => position),
  );
  const added = await insertMessages(client, wanted, 'REQUEUE', time);
  return { messages: added.length, overfull: await fillQueues(client, added, time, bounds) };
};

/** Moves a message to the end of its queue, unless it is waiting. Undefined when the registration has no such message. */
export const requeueMessage = async (
  client: SqlClient,
  registrationUuid: string,
  messageUuid: string,
  time: Date,
  bounds: QueueBounds,
): Promise<Requeued | undefined> => {
  const { rows } = await client.query<{ readonly position: bigint; readonly bytes: number }>(
    'SELECT position, bytes FROM notification_message WHERE uuid = $1 AND registration_uuid = $2',
    [messageUuid, registrationUuid],
  );
  const wanted = rows.map(({ position, bytes }) => ({
    uuid: messageUuid,
    registrationUuid,
    position,
    bytes,
    decidedFor: null,
  }));
  return wanted.length === 0 ? undefined : requeueChanges(client, registrationUuid, wanted, time, bounds);
};
