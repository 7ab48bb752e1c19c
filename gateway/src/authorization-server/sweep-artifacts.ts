import type { Database } from '@fds/database';

/** Rows that one statement deletes, so that no transaction is long and no other statement waits. */
const batchRows = 500;

/**
 * Deletes expired sign-ins, codes, tokens and sessions of the authorization server. Several processes may do so at
 * once.
 *
 * @returns the number of deleted rows
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
