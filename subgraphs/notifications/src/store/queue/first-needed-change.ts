import type { Database } from '@fds/database';

/**
 * The first change that deliveries still need: a change that has not been matched with the registrations, or a change
 * of a message that waits or is in the delivery log. Undefined when no change is needed.
 */
export const loadFirstNeededChange = async ({ pool }: Pick<Database, 'pool'>): Promise<bigint | undefined> => {
  const { rows } = await pool.query<{ readonly position: bigint | null }>(
    `SELECT least(
       (SELECT min(greatest(r.after_position, c.position)) + 1 FROM notification_registration r, notification_cursor c
        WHERE c.reader = 'webhooks' AND r.status IN ('ACTIVE', 'FAILING')),
       (SELECT min(m.position) FROM notification_registration r CROSS JOIN LATERAL (
          SELECT position FROM notification_message WHERE registration_uuid = r.uuid ORDER BY position LIMIT 1) AS m)
     ) AS position`,
  );
  return rows[0]?.position ?? undefined;
};
