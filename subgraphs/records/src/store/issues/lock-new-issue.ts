import type { Queryable } from '@fds/database';

/**
 * Keeps other transactions from raising the issue until the transaction ends: they wait here.
 *
 * @returns whether the issue is new
 */
export const lockNewIssue = async (client: Queryable, issueUuid: string): Promise<boolean> => {
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))', [issueUuid]);
  const { rowCount } = await client.query('SELECT 1 FROM data_issue WHERE uuid = $1', [issueUuid]);
  return rowCount === 0;
};
