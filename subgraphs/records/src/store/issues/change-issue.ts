import type { Database, SqlClient } from '@fds/database';
import type { IssueTexts } from '../../domain/issues/read-issue-change.js';
import type { QueueKey } from '../../domain/issues/parked-queues.js';
import { forgetAwaitedKeys } from './awaited-keys.js';
import { logIssues } from './log-issues.js';

/** The issue that a person changes, as it was read. */
export interface IssueVersion {
  readonly uuid: string;
  readonly changeVersion: number;
  /** The user who changes it. */
  readonly actorUuid: string;
}

interface ChangedRow {
  readonly status: 'OPEN' | 'CLOSED';
  readonly adaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  readonly keyDigest: string | null;
}

const columns = `status, adaptor_uuid AS "adaptorUuid", domain_version_uuid AS "domainVersionUuid", encode(key_digest, 'hex') AS "keyDigest"`;

/** The key queue that the issue blocked, if it blocked one. */
const queueOf = ({ adaptorUuid, domainVersionUuid, keyDigest }: ChangedRow): QueueKey | undefined =>
  adaptorUuid === null || domainVersionUuid === null || keyDigest === null
    ? undefined
    : { adaptorUuid, domainVersionUuid, keyDigest };

/**
 * Closes open issues at one time, in a transaction of the caller's; events that wait with them are dropped.
 *
 * @returns the queues of those that were closed, by uuid; the others have changed since they were read
 */
export const closeDropped = async (
  client: SqlClient,
  issues: readonly IssueVersion[],
): Promise<ReadonlyMap<string, QueueKey | undefined>> => {
  const { rows } = await client.query<ChangedRow & Pick<IssueVersion, 'uuid'>>({
    name: 'records-close-dropped',
    text: `WITH locked AS MATERIALIZED (
             SELECT o.uuid FROM data_issue o JOIN unnest($1::uuid[], $2::int[]) AS n(uuid, version)
               ON o.uuid = n.uuid AND o.change_version = n.version
             WHERE o.status = 'OPEN' ORDER BY o.uuid FOR UPDATE OF o)
           UPDATE data_issue i SET status = 'CLOSED', last_updated = now(), change_version = change_version + 1
           FROM locked WHERE i.uuid = locked.uuid RETURNING i.uuid, ${columns}`,
    values: [issues.map(({ uuid }) => uuid), issues.map(({ changeVersion }) => changeVersion)],
  });
  const queues = new Map(rows.map((row) => [row.uuid, queueOf(row)]));
  await forgetAwaitedKeys(client, [...queues.keys()]);
  const closed = issues.filter(({ uuid }) => queues.has(uuid));
  await logIssues(
    client,
    closed.map(({ uuid, actorUuid }) => ({ uuid, action: 'PATCH', actorUuid })),
  );
  return queues;
};

/** A person's changes to an issue. */
export interface IssueUpdate {
  readonly action: 'PUT' | 'PATCH';
  readonly texts: IssueTexts;
  readonly status: 'OPEN' | 'CLOSED';
  /** A match that was settled with this record; undefined: none was. */
  readonly settledRecordUuid?: string | undefined;
}

/** Result of a change. */
export type IssueChangeResult =
  /** `queue`: those that waited behind it may go on. */
  | { readonly outcome: 'DONE'; readonly queue: QueueKey | undefined }
  /** It has been changed, or removed, since it was read. */
  | { readonly outcome: 'STALE' };

/** Changes an issue, in a transaction of the caller's. */
export const updateIssue = async (
  client: SqlClient,
  { uuid, changeVersion, actorUuid }: IssueVersion,
  { action, texts, status, settledRecordUuid }: IssueUpdate,
): Promise<IssueChangeResult> => {
  const { rows } = await client.query<ChangedRow>({
    name: 'records-update-issue',
    text: `UPDATE data_issue SET title = $3, description = $4, issue_priority = $5, status = $6,
             match_status = CASE WHEN $7::uuid IS NULL THEN match_status ELSE 'RESOLVED' END,
             record_uuid = coalesce($7, record_uuid), last_updated = now(), change_version = change_version + 1
           WHERE uuid = $1 AND change_version = $2 RETURNING ${columns}`,
    values: [
      uuid,
      changeVersion,
      texts.title,
      texts.description,
      texts.issuePriority,
      status,
      settledRecordUuid ?? null,
    ],
  });
  const [row] = rows;
  if (row === undefined) return { outcome: 'STALE' };
  if (status === 'CLOSED') await forgetAwaitedKeys(client, [uuid]);
  await logIssues(client, [{ uuid, action, actorUuid }]);
  return { outcome: 'DONE', queue: queueOf(row) };
};

/** Which record the event of a settled issue turned out to be about, where that was not known before. */
export const nameRecord = async (client: SqlClient, issueUuid: string, recordUuid: string): Promise<void> => {
  await client.query({
    name: 'records-name-record-of-issue',
    text: 'UPDATE data_issue SET record_uuid = $2 WHERE uuid = $1',
    values: [issueUuid, recordUuid],
  });
};

/** Removes an issue; an event that waits with it is dropped. */
export const removeIssue = (
  database: Pick<Database, 'transaction'>,
  { uuid, changeVersion, actorUuid }: IssueVersion,
): Promise<IssueChangeResult> =>
  database.transaction(async (client): Promise<IssueChangeResult> => {
    const { rows } = await client.query<ChangedRow>({
      name: 'records-lock-issue',
      text: `SELECT ${columns} FROM data_issue WHERE uuid = $1 AND change_version = $2 FOR UPDATE`,
      values: [uuid, changeVersion],
    });
    const [row] = rows;
    if (row === undefined) return { outcome: 'STALE' };
    await logIssues(client, [{ uuid, action: 'DELETE', actorUuid }]);
    await client.query({
      name: 'records-remove-issue',
      text: 'DELETE FROM data_issue WHERE uuid = $1',
      values: [uuid],
    });
    return { outcome: 'DONE', queue: row.status === 'OPEN' ? queueOf(row) : undefined };
  });
