import { binaryArray, type Database, type SqlClient } from '@fds/database';
import type { Attempt, SettledMessage } from '../../domain/delivery/delivery-result.js';
import { setStatus, type NewStatus } from '../registrations/set-status.js';
import { wakeReceivers } from '../queue/wake-receivers.js';

/** Results of sending some messages to a receiver. */
export interface Results {
  readonly registrationUuid: string;
  readonly attempts: readonly Attempt[];
  readonly settled: readonly SettledMessage[];
  /** Undefined: nothing was sent. */
  readonly status: NewStatus | undefined;
  /** Failed attempts of the message that is now the first. */
  readonly failures: number;
  /** Nothing is sent before; undefined: sending may go on. */
  readonly nextAttempt: Date | undefined;
}

const saveAttempts = async (client: SqlClient, attempts: readonly Attempt[]): Promise<void> => {
  if (attempts.length === 0) return;
  await client.query({
    name: 'notifications-save-attempts',
    text: `INSERT INTO notification_attempt
             (message_uuid, number, date_created, milliseconds, outcome, http_status, error)
           SELECT * FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::int[], $5::text[], $6::int[], $7::text[])
           ON CONFLICT DO NOTHING`,
    values: [
      binaryArray.uuid(attempts.map(({ messageUuid }) => messageUuid)),
      attempts.map(({ number }) => number),
      attempts.map(({ date }) => date),
      attempts.map(({ outcome }) => outcome.milliseconds),
      attempts.map(({ outcome }) => outcome.kind),
      attempts.map(({ outcome }) => outcome.httpStatus ?? null),
      attempts.map(({ outcome }) => outcome.error ?? null),
    ],
  });
  await client.query({
    name: 'notifications-count-attempts',
    text: `UPDATE notification_message m SET attempts = a.number
           FROM unnest($1::uuid[], $2::int[]) AS a(uuid, number) WHERE m.uuid = a.uuid`,
    values: [binaryArray.uuid(attempts.map(({ messageUuid }) => messageUuid)), attempts.map(({ number }) => number)],
  });
};

const settle = async (client: SqlClient, settled: readonly SettledMessage[], time: Date): Promise<void> => {
  if (settled.length === 0) return;
  await client.query({
    name: 'notifications-settle',
    text: `UPDATE notification_message m SET status = s.status, settled_at = $3
           FROM unnest($1::uuid[], $2::text[]) AS s(uuid, status) WHERE m.uuid = s.uuid`,
    values: [
      binaryArray.uuid(settled.map(({ messageUuid }) => messageUuid)),
      settled.map(({ status }) => status),
      time,
    ],
  });
};

/**
 * Writes results, if the lease is still held.
 *
 * @returns false: another process sends to the receiver, or the registration is gone; nothing was written
 */
export const saveResults = (
  database: Pick<Database, 'transaction'>,
  { registrationUuid, attempts, settled, status, failures, nextAttempt }: Results,
  owner: string,
  time: Date,
): Promise<boolean> =>
  database.transaction(async (client) => {
    const bytes = settled.reduce((sum, message) => sum + message.bytes, 0);
    const { rowCount } = await client.query({
      name: 'notifications-empty-queue',
      text: `UPDATE notification_receiver
             SET queued_messages = queued_messages - $3, queued_bytes = queued_bytes - $4, failures = $5,
                 next_attempt = $6
             WHERE registration_uuid = $1 AND lease_owner = $2`,
      values: [registrationUuid, owner, settled.length, bytes, failures, nextAttempt ?? null],
    });
    if (rowCount === 0) return false;
    await settle(client, settled, time);
    await saveAttempts(client, attempts);
    if (attempts.some(({ outcome }) => outcome.kind === 'DELIVERED')) {
      await client.query('UPDATE notification_registration SET last_delivery = $2 WHERE uuid = $1', [
        registrationUuid,
        time,
      ]);
    }
    if (status !== undefined) await setStatus(client, [registrationUuid], status, time);
    if (nextAttempt !== undefined) await wakeReceivers(client, [registrationUuid], nextAttempt);
    return true;
  });
