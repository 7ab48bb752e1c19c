import type pg from 'pg';

/**
 * Fills the queue of a paused adaptor with copies of its last message, by SQL and without the service.
 *
 * @param length required length, including the messages that already wait
 * @returns the resulting length, as counted by the database
 */
export const lengthenQueue = async (client: pg.Client, adaptorUuid: string, length: number): Promise<number> => {
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM adaptor_channel WHERE adaptor_uuid = $1 FOR UPDATE', [adaptorUuid]);
  await client.query(
    `INSERT INTO delivery (adaptor_uuid, sequence, event_uuid, record_uuid, action, status, removed_properties, message)
     SELECT d.adaptor_uuid, n, d.event_uuid, d.record_uuid, d.action, d.status, d.removed_properties, d.message
     FROM adaptor_channel c JOIN delivery d ON d.adaptor_uuid = c.adaptor_uuid AND d.sequence = c.down_sequence,
          generate_series(c.down_sequence + 1, c.down_acked + $2::bigint) AS n
     WHERE c.adaptor_uuid = $1`,
    [adaptorUuid, length],
  );
  await client.query('UPDATE adaptor_channel SET down_sequence = down_acked + $2::bigint WHERE adaptor_uuid = $1', [
    adaptorUuid,
    length,
  ]);
  await client.query('COMMIT');
  const { rows } = await client.query<{ waiting: string }>(
    `SELECT count(*) AS waiting FROM delivery WHERE adaptor_uuid = $1 AND message IS NOT NULL AND status = 'QUEUED'`,
    [adaptorUuid],
  );
  return Number(rows[0]?.waiting);
};
