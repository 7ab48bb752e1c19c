import { binaryArray, type SqlClient } from '@fds/database';

/** A change that a registration asked for. */
export interface WantedChange {
  readonly uuid: string;
  readonly registrationUuid: string;
  readonly position: bigint;
  /** Size of its data. */
  readonly bytes: number;
}

/** A message that has been added to a queue. */
export interface AddedMessage {
  readonly registration_uuid: string;
  readonly bytes: number;
}

/** For a message that exists: KEEP changes nothing, REQUEUE moves it to the end of its queue unless it waits. */
const conflicts = {
  KEEP: 'NOTHING',
  REQUEUE: `UPDATE SET status = 'QUEUED', settled_at = NULL, delivered_at = NULL, sequence = excluded.sequence
            WHERE m.status <> 'QUEUED'`,
} as const;

/**
 * Adds messages to queues, in the order given. The caller holds the lock of the cursor, under which all messages get their numbers: a
 * message that becomes visible has a greater number than all messages that are visible already.
 */
export const insertMessages = async (
  client: SqlClient,
  wanted: readonly WantedChange[],
  conflict: keyof typeof conflicts,
  time: Date,
): Promise<readonly AddedMessage[]> => {
  const { rows } = await client.query<AddedMessage>({
    name: `notifications-insert-${conflict.toLowerCase()}`,
    text: `INSERT INTO notification_message AS m (uuid, registration_uuid, position, bytes, status, date_created)
           SELECT w.uuid, w.registration_uuid, w.position, w.bytes, 'QUEUED', $5
           FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[]) WITH ORDINALITY
             AS w(uuid, registration_uuid, position, bytes, ordinal)
           ORDER BY w.ordinal
           ON CONFLICT (registration_uuid, position) DO ${conflicts[conflict]}
           RETURNING m.registration_uuid, m.bytes`,
    values: [
      binaryArray.uuid(wanted.map(({ uuid }) => uuid)),
      binaryArray.uuid(wanted.map(({ registrationUuid }) => registrationUuid)),
      wanted.map(({ position }) => position),
      wanted.map(({ bytes }) => bytes),
      time,
    ],
  });
  return rows;
};
