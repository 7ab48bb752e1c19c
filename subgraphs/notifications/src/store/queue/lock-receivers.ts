import type { SqlClient } from '@fds/database';

/**
 * Locks the receivers of registrations until the transaction ends. Every transaction that writes a receiver and also
 * its registration or messages locks the receiver first, so that two transactions never deadlock.
 *
 * @returns the registrations that exist
 */
export const lockReceivers = async (
  client: SqlClient,
  registrationUuids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await client.query<{ readonly uuid: string }>({
    name: 'notifications-lock-receivers',
    text: `SELECT registration_uuid AS uuid FROM notification_receiver
           WHERE registration_uuid = ANY ($1::uuid[]) ORDER BY registration_uuid FOR NO KEY UPDATE`,
    values: [[...registrationUuids]],
  });
  return new Set(rows.map(({ uuid }) => uuid));
};
