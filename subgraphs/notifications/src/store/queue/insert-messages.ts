import { binaryArray, type SqlClient } from '@fds/database';

/** A change that a registration matches. */
export interface WantedChange {
  readonly uuid: string;
  readonly registrationUuid: string;
  readonly position: bigint;
  /** Size of its data in bytes. */
  readonly bytes: number;
  /** The rights under which its user sees it; null: decided when it is listed. */
  readonly decidedFor: string | null;
}

/** A message that was added to a queue. */
export interface AddedMessage {
  readonly registration_uuid: string;
  readonly bytes: number;
}

/** For an existing message, KEEP changes nothing, and REQUEUE moves it to the end of its queue unless it waits. */
const conflicts = {
  KEEP: 'NOTHING',
  REQUEUE: `UPDATE SET status = 'QUEUED', settled_at = NULL, delivered_at = NULL, sequence = excluded.sequence
            WHERE m.status <> 'QUEUED'`,
} as const;

/**
 * Adds messages to queues in the given order. The caller must have locked the cursor. All messages get their numbers
 * under this lock, so a message that becomes visible has a greater number than all visible messages.
 */
export const insertMessages = async (
  client: SqlClient,
  wanted: readonly WantedChange[],
  conflict: keyof typeof conflicts,
  time: Date,
): Promise<readonly AddedMessage[]> => {
  const { rows } = await client.query<AddedMessage>({
    name: `notifications-insert-${conflict.toLowerCase()}`,
    text: `INSERT INTO notification_message AS m (uuid, registration_uuid, position, bytes, status, date_created, decided_for)
           SELECT w.uuid, w.registration_uuid, w.position, w.bytes, 'QUEUED', $5, w.decided_for
           FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[], $6::text[]) WITH ORDINALITY
             AS w(uuid, registration_uuid, position, bytes, decided_for, ordinal)
           ORDER BY w.ordinal
           ON CONFLICT (registration_uuid, position) DO ${conflicts[conflict]}
           RETURNING m.registration_uuid, m.bytes`,
    values: [
      binaryArray.uuid(wanted.map(({ uuid }) => uuid)),
      binaryArray.uuid(wanted.map(({ registrationUuid }) => registrationUuid)),
      wanted.map(({ position }) => position),
      wanted.map(({ bytes }) => bytes),
      time,
      wanted.map(({ decidedFor }) => decidedFor),
    ],
  });
  return rows;
};
