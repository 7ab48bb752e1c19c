import type { Queryable } from '../channels/channel.js';

/** A record that the event of an issue may mean, as it was compared. */
export interface IssueMatch {
  readonly recordUuid: string;
  readonly adaptorUuid: string | null;
  readonly score: number | null;
  /** JSON text of an object. */
  readonly drKey: string;
  /** JSON text of a list. */
  readonly comparisons: string;
}

/** All of an issue, the best first. */
export const loadIssueMatches = async (client: Queryable, issueUuid: string): Promise<IssueMatch[]> => {
  const { rows } = await client.query<IssueMatch>({
    name: 'records-load-issue-matches',
    text: `SELECT record_uuid AS "recordUuid", adaptor_uuid AS "adaptorUuid", score, dr_key::text AS "drKey",
                  comparisons::text AS comparisons
           FROM issue_match WHERE issue_uuid = $1 ORDER BY number`,
    values: [issueUuid],
  });
  return rows;
};
