import { binaryArray, type SqlClient } from '@fds/database';
import { fillQueues, type OverfullRegistrations, type QueueBounds, type WantedChange } from '../queue/enqueue.js';

/** Messages that wait again, and registrations that have reached a bound by it. */
export interface Requeued {
  readonly messages: number;
  readonly overfull: OverfullRegistrations;
}

interface Added {
  readonly registration_uuid: string;
  readonly bytes: number;
}

/** Puts changes at the end of a queue, in the order given. Messages keep their ids, and messages that wait keep their place. */
export const requeueChanges = async (
  client: SqlClient,
  wanted: readonly WantedChange[],
  time: Date,
  bounds: QueueBounds,
): Promise<Requeued> => {
  const { rows } = await client.query<Added>({
    name: 'notifications-requeue-changes',
    text: `INSERT INTO notification_message AS m (uuid, registration_uuid, position, bytes, status, date_created)
           SELECT w.uuid, w.registration_uuid, w.position, w.bytes, 'QUEUED', $5
           FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[]) WITH ORDINALITY
             AS w(uuid, registration_uuid, position, bytes, ordinal)
           ORDER BY w.ordinal
           ON CONFLICT (registration_uuid, position) DO UPDATE
           SET status = 'QUEUED', settled_at = NULL, sequence = excluded.sequence WHERE m.status <> 'QUEUED'
           RETURNING registration_uuid, bytes`,
    values: [
      binaryArray.uuid(wanted.map(({ uuid }) => uuid)),
      binaryArray.uuid(wanted.map(({ registrationUuid }) => registrationUuid)),
      wanted.map(({ position }) => position),
      wanted.map(({ bytes }) => bytes),
      time,
    ],
  });
  return { messages: rows.length, overfull: await fillQueues(client, rows, time, bounds) };
};

/** Puts a message at the end of its queue, unless it waits. Undefined: the registration has no such message. */
export const requeueMessage = async (
  client: SqlClient,
  registrationUuid: string,
  messageUuid: string,
  time: Date,
  bounds: QueueBounds,
): Promise<Requeued | undefined> => {
  const { rowCount } = await client.query(
    'SELECT FROM notification_message WHERE uuid = $1 AND registration_uuid = $2 FOR NO KEY UPDATE',
    [messageUuid, registrationUuid],
  );
  if (rowCount === 0) return undefined;
  const { rows } = await client.query<Added>(
    `UPDATE notification_message SET status = 'QUEUED', settled_at = NULL,
       sequence = nextval(pg_get_serial_sequence('notification_message', 'sequence'))
     WHERE uuid = $1 AND status <> 'QUEUED' RETURNING registration_uuid, bytes`,
    [messageUuid],
  );
  return { messages: rows.length, overfull: await fillQueues(client, rows, time, bounds) };
};
