import { loadSettledHead, type Database, type SqlClient } from '@fds/database';

const reader = 'webhooks';

/** The position up to which changes have been matched with registrations. The first process starts at the end of the log. */
export const openCursor = async ({ pool }: Pick<Database, 'pool'>): Promise<bigint> => {
  const read = async (): Promise<bigint | undefined> => {
    const { rows } = await pool.query<{ position: bigint }>(
      'SELECT position FROM notification_cursor WHERE reader = $1',
      [reader],
    );
    return rows[0]?.position;
  };
  const known = await read();
  if (known !== undefined) return known;
  await pool.query('INSERT INTO notification_cursor (reader, position) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    reader,
    await loadSettledHead(pool),
  ]);
  return (await read()) ?? 0n;
};

/** Removes the position, so that the next start begins at the end of the log. */
export const dropCursor = async ({ pool }: Pick<Database, 'pool'>): Promise<void> => {
  await pool.query('DELETE FROM notification_cursor WHERE reader = $1', [reader]);
};

/** Reads and locks the position until the transaction ends. */
export const lockCursor = async (client: SqlClient): Promise<bigint> => {
  const { rows } = await client.query<{ position: bigint }>(
    'SELECT position FROM notification_cursor WHERE reader = $1 FOR UPDATE',
    [reader],
  );
  return rows[0]?.position ?? 0n;
};

export const moveCursor = async (client: SqlClient, position: bigint): Promise<void> => {
  await client.query('UPDATE notification_cursor SET position = $2 WHERE reader = $1 AND position < $2', [
    reader,
    position,
  ]);
};
