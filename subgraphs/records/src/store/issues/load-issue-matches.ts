import type { Queryable } from '@fds/database';

/** A record that the event of an issue may mean, as it was compared. */
export interface IssueMatch {
  readonly recordUuid: string;
  /** The adaptor whose link had the key; null: it was the record's own. */
  readonly adaptorUuid: string | null;
  /** Adaptors that hold the record under this key now. */
  readonly holderUuids: readonly string[];
  /** Does any adaptor hold the record, under whatever key? */
  readonly isLinked: boolean;
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
    text: `SELECT m.record_uuid AS "recordUuid", m.adaptor_uuid AS "adaptorUuid", m.score, m.dr_key::text AS "drKey",
                  m.comparisons::text AS comparisons,
                  ARRAY(SELECT l.adaptor_uuid::text FROM record_link l
                        WHERE l.record_uuid = m.record_uuid AND l.dr_key = m.dr_key
                        ORDER BY l.date_created, l.adaptor_uuid) AS "holderUuids",
                  EXISTS (SELECT FROM record_link l WHERE l.record_uuid = m.record_uuid) AS "isLinked"
           FROM issue_match m WHERE m.issue_uuid = $1 ORDER BY m.number`,
    values: [issueUuid],
  });
  return rows;
};
