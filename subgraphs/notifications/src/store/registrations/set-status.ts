import { logChanges, type SqlClient } from '@fds/database';
import type { RegistrationStatus } from '../../domain/registration/registration.js';
import { toLoggedRegistration } from './log-registration.js';
import { shownColumns, toShown, type ShownRow } from './registration-rows.js';

export interface NewStatus {
  readonly status: RegistrationStatus;
  /** Null when the last attempt succeeded. */
  readonly lastError: string | null;
}

/**
 * Sets the status that results from deliveries. A different status is logged as a change by the server, of which the
 * user can be notified. A registration that its user has changed to DISABLED or REFUSED in the meantime is not changed.
 */
export const setStatus = async (
  client: SqlClient,
  registrationUuids: readonly string[],
  { status, lastError }: NewStatus,
  time: Date,
): Promise<void> => {
  if (registrationUuids.length === 0) return;
  const { rows } = await client.query<ShownRow & { readonly before: string }>({
    name: 'notifications-set-status',
    text: `WITH current AS (
             SELECT uuid AS "currentUuid", status AS before FROM notification_registration
             WHERE uuid = ANY ($1::uuid[]) AND status IN ('ACTIVE', 'FAILING')
               AND (status <> $2 OR last_error IS DISTINCT FROM $3)
             ORDER BY uuid FOR NO KEY UPDATE)
           UPDATE notification_registration
           SET status = $2, last_error = $3, last_updated = CASE WHEN before = $2 THEN last_updated ELSE $4 END
           FROM current WHERE uuid = "currentUuid" RETURNING ${shownColumns}, before`,
    values: [[...registrationUuids], status, lastError, time],
  });
  await logChanges(
    client,
    rows.filter(({ before }) => before !== status).map((row) => toLoggedRegistration('PATCH', toShown(row), undefined)),
  );
};
