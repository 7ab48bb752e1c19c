import type { Database } from './open-database.js';

/** The entries of the change log that may be removed. */
export interface OldChanges {
  /** Entries from this time on are kept. */
  readonly before: Date;
  /** Entries from this position on are kept; undefined: no reader needs old entries. */
  readonly needed: bigint | undefined;
  /**
   * Maximum number of entries that one transaction removes. Default 1000: readers of the log wait for each transaction.
   */
  readonly batch?: number;
}

/**
 * Removes old entries, the oldest first, and records the last removed position in the same transaction. It only removes
 * entries from the beginning of the log, and keeps the last entry. The hashes of the pages stay. Several processes may call it at the same time.
 *
 * @returns number of removed entries
 */
export const pruneChangeLog = async (
  { pool }: Pick<Database, 'pool'>,
  { before, needed, batch = 1000 }: OldChanges,
): Promise<number> => {
  let removed = 0;
  for (;;) {
    const { rows } = await pool.query<{ readonly removed: bigint }>({
      name: 'change-log-prune',
      text: `WITH oldest AS (
               SELECT position, date_created FROM change_log
               WHERE position < least($2::bigint, (SELECT max(position) FROM change_log))
               ORDER BY position LIMIT $3),
             removed AS (
               DELETE FROM change_log c USING oldest o
               WHERE c.position = o.position
                 AND o.position < coalesce((SELECT min(position) FROM oldest WHERE date_created >= $1), o.position + 1)
               RETURNING c.position),
             -- a page without entries proves nothing more about them, and keeps the chain together
             emptied AS (
               UPDATE change_log_page SET positions = NULL, digests = NULL
               WHERE last_position > (SELECT up_to FROM change_log_removal)
                 AND last_position <= (SELECT max(position) FROM removed)),
             noted AS (
               UPDATE change_log_removal SET up_to = greatest(up_to, (SELECT max(position) FROM removed))
               WHERE EXISTS (SELECT FROM removed))
             SELECT count(*) AS removed FROM removed`,
      values: [before, needed ?? null, batch],
    });
    const count = Number(rows[0]?.removed ?? 0n);
    removed += count;
    if (count < batch) return removed;
  }
};
