import type { Database } from '@fds/database';

const rows = 1000;

/** Removes messages that were settled before a time, with their attempts, in several steps. @returns the number */
export const pruneMessages = async ({ pool }: Pick<Database, 'pool'>, before: Date): Promise<number> => {
  let removed = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `DELETE FROM notification_message WHERE uuid IN (
         SELECT uuid FROM notification_message WHERE settled_at < $1 ORDER BY settled_at LIMIT ${rows})`,
      [before],
    );
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < rows) return removed;
  }
};
