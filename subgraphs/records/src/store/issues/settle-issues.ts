import { binaryArray, type SqlSession } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { IssueCause, RaisedIssue } from '../../domain/events/event-outcome.js';
import type { IssuePriority } from '../../domain/issues/default-priority.js';
import type { IssueTexts } from '../../domain/issues/read-issue-change.js';
import type { IssueActor } from './log-issues.js';

/** The current state of an open issue, before its event is tried again. */
export interface OpenIssue {
  readonly uuid: string;
  readonly changeVersion: number;
  readonly title: string;
  readonly cause: IssueCause | null;
  readonly issuePriority: IssuePriority;
  /** JSON text. */
  readonly errors: string | null;
}

/** Locks issues and returns those that are still open, by uuid. */
export const lockOpenIssues = async (
  client: SqlSession,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, OpenIssue>> => {
  if (uuids.length === 0) return new Map();
  const { rows } = await client.query<OpenIssue>({
    name: 'records-lock-open-issues',
    text: `SELECT uuid, change_version AS "changeVersion", title, cause, issue_priority AS "issuePriority", errors
           FROM data_issue WHERE uuid = ANY ($1::uuid[]) AND status = 'OPEN' ORDER BY uuid FOR UPDATE`,
    values: [binaryArray.uuid(uuids)],
  });
  return new Map(rows.map((row) => [row.uuid, row]));
};

/** An issue whose event was processed. */
export interface ClosedIssue {
  readonly uuid: string;
  /** The record that the event changed; undefined: none. */
  readonly recordUuid: string | undefined;
  /**
   * A steward decided on the match: the record that the event turned out to be about; undefined: no decision was
   * needed.
   */
  readonly settledRecordUuid: string | undefined;
  /** The texts that a steward changed with it; undefined: nothing. */
  readonly texts: IssueTexts | undefined;
  /** Undefined: the server. */
  readonly by: IssueActor | undefined;
}

/** Closes issues whose events were processed. */
export const closeIssues = async (client: SqlSession, issues: readonly ClosedIssue[]): Promise<void> => {
  if (issues.length === 0) return;
  await client.query({
    name: 'records-close-issues',
    text: `UPDATE data_issue i SET status = 'CLOSED', last_updated = now(), change_version = change_version + 1,
             match_status = CASE WHEN n.settled IS NULL THEN i.match_status ELSE 'RESOLVED' END,
             record_uuid = coalesce(n.settled, i.record_uuid), title = coalesce(n.title, i.title),
             description = CASE WHEN n.title IS NULL THEN i.description ELSE n.description END,
             issue_priority = coalesce(n.priority, i.issue_priority)
           FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])
             AS n(uuid, settled, title, description, priority)
           -- by the index, as in the update of records
           WHERE i.uuid = n.uuid AND i.uuid = ANY ($1::uuid[])`,
    values: [
      binaryArray.uuid(issues.map(({ uuid }) => uuid)),
      binaryArray.uuid(issues.map(({ settledRecordUuid }) => settledRecordUuid ?? null)),
      binaryArray.text(issues.map(({ texts }) => texts?.title ?? null)),
      binaryArray.text(issues.map(({ texts }) => texts?.description ?? null)),
      binaryArray.text(issues.map(({ texts }) => texts?.issuePriority ?? null)),
    ],
  });
};

/** An issue whose event cannot go on for another reason than before. */
export interface RenamedIssue extends RaisedIssue {
  readonly issuePriority: IssuePriority;
  /** The texts that a steward changed with it; the title names the cause in any case. */
  readonly texts: IssueTexts | undefined;
  /** Undefined: the server. */
  readonly by: IssueActor | undefined;
  /** It only waited behind an issue until now: it becomes one. */
  readonly wasWaiting: boolean;
}

/**
 * Renames issues whose events now wait for another reason; an event that had no key before waits under its present key.
 */
export const renameIssues = async (client: SqlSession, issues: readonly RenamedIssue[]): Promise<void> => {
  if (issues.length === 0) return;
  await client.query({
    name: 'records-rename-issues',
    text: `UPDATE data_issue i SET title = n.title, exception = n.exception, match_status = n.match_status,
             cause = n.cause, errors = n.errors, issue_priority = n.priority,
             domain_version_uuid = coalesce(i.domain_version_uuid, n.version_uuid),
             key_digest = coalesce(i.key_digest, decode(n.digest, 'hex')), brake_uuid = NULL,
             record_uuid = coalesce(n.record_uuid, i.record_uuid),
             description = CASE WHEN n.is_written THEN n.description ELSE i.description END,
             last_updated = now(), change_version = CASE WHEN i.cause = 'HELD' THEN 1 ELSE i.change_version + 1 END
           FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[],
                       $9::text[], $10::uuid[], $11::boolean[], $12::text[])
             AS n(uuid, title, exception, match_status, cause, errors, priority, version_uuid, digest, record_uuid,
                  is_written, description)
           -- by the index, as in the update of records
           WHERE i.uuid = n.uuid AND i.uuid = ANY ($1::uuid[])`,
    values: [
      issues.map(({ uuid }) => uuid),
      issues.map(({ title }) => title),
      issues.map(({ exception }) => exception),
      issues.map(({ matchStatus }) => matchStatus),
      issues.map(({ cause }) => cause),
      issues.map(({ errors }) => stringifyJson(errors)),
      issues.map(({ issuePriority }) => issuePriority),
      issues.map(({ domainVersionUuid }) => domainVersionUuid),
      issues.map(({ keyDigest }) => keyDigest),
      issues.map(({ recordUuid }) => recordUuid),
      issues.map(({ texts }) => texts !== undefined),
      issues.map(({ texts }) => texts?.description ?? null),
    ],
  });
};

/** Removes events that only waited behind an issue and continued: they were never issues. */
export const removeContinued = async (client: SqlSession, uuids: readonly string[]): Promise<void> => {
  if (uuids.length === 0) return;
  await client.query({
    name: 'records-remove-continued',
    text: 'DELETE FROM data_issue WHERE uuid = ANY ($1::uuid[])',
    values: [binaryArray.uuid(uuids)],
  });
};

/** An issue of an unreadable event that a later complete event replaces. */
export interface SupersededIssue {
  readonly uuid: string;
  /** The transaction of the later event. */
  readonly transactionUuid: string;
}

/** Closes issues with a note about the event that replaces theirs. After new issues are saved. */
export const closeSuperseded = async (client: SqlSession, issues: readonly SupersededIssue[]): Promise<void> => {
  if (issues.length === 0) return;
  await client.query({
    name: 'records-close-superseded',
    text: `UPDATE data_issue i SET status = 'CLOSED', last_updated = now(), change_version = change_version + 1,
             description = concat_ws(E'\\n', i.description,
               'A later complete event of the record replaced this one (transaction ' || n.transaction || ').')
           FROM unnest($1::uuid[], $2::text[]) AS n(uuid, transaction)
           -- by the index, as in the update of records
           WHERE i.uuid = n.uuid AND i.uuid = ANY ($1::uuid[]) AND i.status = 'OPEN'`,
    values: [
      binaryArray.uuid(issues.map(({ uuid }) => uuid)),
      binaryArray.text(issues.map(({ transactionUuid }) => transactionUuid)),
    ],
  });
};
