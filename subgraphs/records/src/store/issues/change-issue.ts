import { logChanges, type Database, type SqlClient } from '@fds/database';
import type { IssueTexts } from '../../domain/issues/read-issue-change.js';
import type { LaneKey } from '../../ingest/held-lanes.js';
import { forgetAwaitedKeys } from './awaited-keys.js';
import { toLoggedIssueChange } from './to-logged-issue.js';

/** The issue that a person changes, as it was read. */
export interface IssueVersion {
  readonly uuid: string;
  readonly zoneUuid: string;
  readonly changeVersion: number;
  /** Who changes it. */
  readonly actorUuid: string;
}

interface ChangedRow {
  readonly title: string;
  readonly exception: string | null;
  readonly status: 'OPEN' | 'CLOSED';
  readonly adaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  readonly recordUuid: string | null;
  readonly keyDigest: string | null;
}

const returned = `title, exception, status, adaptor_uuid AS "adaptorUuid", domain_version_uuid AS "domainVersionUuid", record_uuid AS "recordUuid",
  encode(key_digest, 'hex') AS "keyDigest"`;

/** The lane that the issue held back, if it held one. */
const laneOf = ({ adaptorUuid, domainVersionUuid, keyDigest }: ChangedRow): LaneKey | undefined =>
  adaptorUuid === null || domainVersionUuid === null || keyDigest === null
    ? undefined
    : { adaptorUuid, domainVersionUuid, keyDigest };

/** What a person makes of an issue. */
export interface IssueUpdate {
  readonly action: 'PUT' | 'PATCH';
  readonly texts: IssueTexts;
  readonly status: 'OPEN' | 'CLOSED';
  /** A match that was settled with this record; undefined: none was. */
  readonly settledRecordUuid?: string | undefined;
}

/** What became of a change. */
export type IssueChangeResult =
  /** `lane`: those that waited behind it may go on. */
  | { readonly outcome: 'DONE'; readonly lane: LaneKey | undefined }
  /** It has been changed, or removed, since it was read. */
  | { readonly outcome: 'STALE' };

/** Changes an issue, in a transaction of the caller's. */
export const updateIssue = async (
  client: SqlClient,
  { uuid, zoneUuid, changeVersion, actorUuid }: IssueVersion,
  { action, texts, status, settledRecordUuid }: IssueUpdate,
): Promise<IssueChangeResult> => {
  const { rows } = await client.query<ChangedRow>({
    name: 'records-update-issue',
    text: `UPDATE data_issue SET title = $3, description = $4, issue_priority = $5, status = $6,
             match_status = CASE WHEN $7::uuid IS NULL THEN match_status ELSE 'RESOLVED' END,
             record_uuid = coalesce($7, record_uuid), last_updated = now(), change_version = change_version + 1
           WHERE uuid = $1 AND change_version = $2 RETURNING ${returned}`,
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
  const { title, exception } = row;
  const said = { status, title, ...(exception === null ? {} : { exception }) };
  await logChanges(client, [toLoggedIssueChange({ uuid, zoneUuid, subject: row }, said, { action, actorUuid })]);
  return { outcome: 'DONE', lane: laneOf(row) };
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
  { uuid, zoneUuid, changeVersion, actorUuid }: IssueVersion,
): Promise<IssueChangeResult> =>
  database.transaction(async (client): Promise<IssueChangeResult> => {
    const { rows } = await client.query<ChangedRow>({
      name: 'records-remove-issue',
      text: `DELETE FROM data_issue WHERE uuid = $1 AND change_version = $2 RETURNING ${returned}`,
      values: [uuid, changeVersion],
    });
    const [row] = rows;
    if (row === undefined) return { outcome: 'STALE' };
    const { title, status } = row;
    const by = { action: 'DELETE', actorUuid } as const;
    await logChanges(client, [toLoggedIssueChange({ uuid, zoneUuid, subject: row }, { status, title }, by)]);
    return { outcome: 'DONE', lane: status === 'OPEN' ? laneOf(row) : undefined };
  });
