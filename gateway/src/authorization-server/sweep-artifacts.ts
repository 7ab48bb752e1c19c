import type { Database } from '@fds/database';

/** Rows of one statement: no transaction is long, and nothing else waits. */
const batchRows = 500;

/**
 * Deletes what the authorization server keeps of sign-ins, codes, tokens and sessions, once it has expired. Several processes may
 * do it at once.
 *
 * @returns how many rows were deleted
 */
export const sweepArtifacts = async ({ pool }: Database, now: Date): Promise<number> => {
  let deleted = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `DELETE FROM oidc_artifact WHERE (model, id) IN (
         SELECT model, id FROM oidc_artifact WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [now, batchRows],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < batchRows) return deleted;
  }
};
