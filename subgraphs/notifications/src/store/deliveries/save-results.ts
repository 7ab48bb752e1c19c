import { binaryArray, type Database, type SqlClient } from '@fds/database';
import type { Attempt, SettledMessage } from '../../domain/delivery/delivery-result.js';
import { setStatus, type NewStatus } from '../registrations/set-status.js';
import { wakeReceivers } from '../queue/wake-receivers.js';

/** Results of sending messages to a receiver. */
export interface Results {
  readonly registrationUuid: string;
  /** In the order of the queue. */
  readonly settled: readonly SettledMessage[];
  /** The failed request, if there was one. */
  readonly failed: Attempt | undefined;
  /** Undefined when nothing was sent. */
  readonly status: NewStatus | undefined;
  /** Failed attempts of the message that is now the first one. */
  readonly failures: number;
  /** Time before which nothing is sent; undefined when sending may continue. */
  readonly nextAttempt: Date | undefined;
}

const saveFailure = async (client: SqlClient, attempt: Attempt): Promise<void> => {
  const { messageUuid, number, date, outcome } = attempt;
  const { milliseconds, kind, httpStatus = null, error = null } = outcome;
  await client.query({
    name: 'notifications-save-failure',
    text: `WITH counted AS (UPDATE notification_message SET attempts = $2 WHERE uuid = $1 RETURNING uuid)
           INSERT INTO notification_attempt
             (message_uuid, number, date_created, milliseconds, outcome, http_status, error)
           SELECT uuid, $2, $3, $4, $5, $6, $7 FROM counted ON CONFLICT DO NOTHING`,
    values: [messageUuid, number, date, milliseconds, kind, httpStatus, error],
  });
};

/** The row of a message stores the request that delivered it, so that only one row is written and no index changes. */
const settle = async (client: SqlClient, settled: readonly SettledMessage[], time: Date): Promise<void> => {
  if (settled.length === 0) return;
  await client.query({
    name: 'notifications-settle',
    text: `UPDATE notification_message m
           SET status = s.status, settled_at = $3, attempts = coalesce(s.number, attempts), delivered_at = s.date,
             delivered_ms = s.milliseconds, delivered_status = s.http_status
           FROM unnest($1::uuid[], $2::text[], $4::int[], $5::timestamptz[], $6::int[], $7::int[])
             AS s(uuid, status, number, date, milliseconds, http_status)
           WHERE m.uuid = s.uuid`,
    values: [
      binaryArray.uuid(settled.map(({ messageUuid }) => messageUuid)),
      settled.map(({ status }) => status),
      time,
      settled.map(({ attempt }) => attempt?.number ?? null),
      settled.map(({ attempt }) => attempt?.date ?? null),
      settled.map(({ attempt }) => attempt?.outcome.milliseconds ?? null),
      settled.map(({ attempt }) => attempt?.outcome.httpStatus ?? null),
    ],
  });
};

/**
 * Locks the queue and removes settled messages from it. @returns false when another process sends to the receiver, or
 * the receiver no longer exists
 */
const shortenQueue = async (
  client: SqlClient,
  { registrationUuid, settled, failures, nextAttempt }: Results,
  owner: string,
): Promise<boolean> => {
  const { rowCount } = await client.query({
    name: 'notifications-shorten-queue',
    text: `UPDATE notification_receiver
           SET queued_messages = queued_messages - $3, queued_bytes = queued_bytes - $4, failures = $5,
             next_attempt = $6, settled_upto = greatest(settled_upto, $7)
           WHERE registration_uuid = $1 AND lease_owner = $2`,
    values: [
      registrationUuid,
      owner,
      settled.length,
      settled.reduce((sum, { bytes }) => sum + bytes, 0),
      failures,
      nextAttempt ?? null,
      settled.at(-1)?.sequence ?? null,
    ],
  });
  return rowCount === 1;
};

/**
 * Writes results if this process still has the lease.
 *
 * @returns false when another process sends to the receiver, or the registration no longer exists; then nothing was
 * written
 */
export const saveResults = (
  database: Pick<Database, 'transaction'>,
  results: Results,
  owner: string,
  time: Date,
): Promise<boolean> =>
  database.transaction(async (client) => {
    if (!(await shortenQueue(client, results, owner))) return false;
    const { registrationUuid, settled, failed, status, nextAttempt } = results;
    await settle(client, settled, time);
    if (failed !== undefined) await saveFailure(client, failed);
    if (settled.some((message) => message.status === 'DELIVERED')) {
      await client.query({
        name: 'notifications-last-delivery',
        text: 'UPDATE notification_registration SET last_delivery = $2 WHERE uuid = $1',
        values: [registrationUuid, time],
      });
    }
    if (status !== undefined) await setStatus(client, [registrationUuid], status, time);
    if (nextAttempt !== undefined) await wakeReceivers(client, [registrationUuid], nextAttempt);
    return true;
  });
