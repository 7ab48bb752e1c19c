import type { Queryable } from '@fds/database';
import { issueJoins, listedIssueColumns, type ListedIssue } from '../../store/issues/listed-issue.js';

/** The transaction that the event of an issue names: an index has it. */
export const issueTransaction = `substring(data_event FROM '"transactionUuid"\\s*:\\s*"([0-9a-fA-F-]{36})"')`;

/** Issues about events: those of transactions, of records, or named ones. */
export interface IssuesOf {
  readonly uuids: readonly string[];
  readonly recordUuids: readonly string[];
  readonly transactionUuids: readonly string[];
}

const maxIssues = 200;

/** Loads issues, newest first. */
export const loadExplainedIssues = async (
  client: Queryable,
  { uuids, recordUuids, transactionUuids }: IssuesOf,
): Promise<readonly ListedIssue[]> => {
  const { rows } = await client.query<ListedIssue>({
    name: 'records-load-explained-issues',
    text: `SELECT ${listedIssueColumns} FROM (
             SELECT * FROM data_issue WHERE uuid = ANY ($1::uuid[])
             UNION SELECT * FROM data_issue WHERE record_uuid = ANY ($2::uuid[])
             UNION SELECT * FROM data_issue WHERE data_event IS NOT NULL AND ${issueTransaction} = ANY ($3::text[])
           ) i ${issueJoins} ORDER BY i.uuid DESC LIMIT ${maxIssues}`,
    values: [uuids, recordUuids, transactionUuids],
  });
  return rows;
};
