import { binaryArray, intoChangeLog, noteChanges, type SqlSession } from '@fds/database';
import { issueJoins } from './listed-issue.js';

/** A person's change of an issue. */
export interface IssueActor {
  readonly action: 'PUT' | 'PATCH' | 'DELETE';
  readonly actorUuid: string;
}

/** A change of an issue for the change log. */
export interface LoggedIssue {
  readonly uuid: string;
  readonly action: 'POST' | IssueActor['action'];
  /** The person or adaptor that caused it; undefined: the server. */
  readonly actorUuid?: string | undefined;
  /** The record of the event, for an issue that names a version and no record. */
  readonly recordUuid?: string | undefined;
  /** Logged only if it is closed now. Default: in any case. */
  readonly isClosed?: boolean;
}

/** The entry of a new issue: its adaptor caused it. */
export const newIssue = ({
  uuid,
  adaptorUuid,
}: {
  readonly uuid: string;
  readonly adaptorUuid: string;
}): LoggedIssue => ({
  uuid,
  action: 'POST',
  actorUuid: adaptorUuid,
});

/**
 * Logs issues as they are stored now, in the form of GET without their event and its faults, which hold data. Call it after the
 * change, but before a deletion, in its transaction. One statement for all, none for none.
 */
export const logIssues = async (client: SqlSession, issues: readonly LoggedIssue[]): Promise<void> => {
  if (issues.length === 0) return;
  noteChanges(['DataIssue']);
  await client.query({
    // no name: its joins are planned for each use
    text: `${intoChangeLog}
           SELECT n.action, 'DataIssue', '/zones/' || i.zone_uuid || '/issues/' || i.uuid, i.uuid, i.zone_uuid, n.actor_uuid,
             json_build_object(
               'uuid', i.uuid, 'type', i.type, 'status', i.status, 'issuePriority', i.issue_priority,
               'title', i.title, 'description', i.description, 'exception', i.exception, 'matchStatus', i.match_status,
               'drUuid', CASE WHEN i.domain_version_uuid IS NULL THEN i.record_uuid ELSE coalesce(i.record_uuid, n.record_uuid) END,
               'adaptor', CASE WHEN i.adaptor_uuid IS NOT NULL
                 THEN json_build_object('uuid', i.adaptor_uuid, 'name', a.name, 'zoneUuid', i.zone_uuid) END,
               'domainVersion', CASE WHEN i.domain_version_uuid IS NOT NULL
                 THEN json_build_object('uuid', i.domain_version_uuid, 'versionNumber', v.version_number, 'domain',
                   CASE WHEN d.uuid IS NOT NULL THEN json_build_object('uuid', d.uuid, 'name', d.name) END) END,
               'dateCreated', (extract(epoch FROM i.date_created) * 1000)::bigint,
               'lastUpdated', (extract(epoch FROM i.last_updated) * 1000)::bigint,
               'changeVersion', i.change_version)::text
           FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::bool[]) WITH ORDINALITY
             AS n(uuid, action, actor_uuid, record_uuid, is_closed, place)
           JOIN data_issue i ON i.uuid = n.uuid AND (NOT n.is_closed OR i.status = 'CLOSED') ${issueJoins}
           ORDER BY n.place`,
    values: [
      binaryArray.uuid(issues.map(({ uuid }) => uuid)),
      binaryArray.text(issues.map(({ action }) => action)),
      binaryArray.uuid(issues.map(({ actorUuid }) => actorUuid ?? null)),
      binaryArray.uuid(issues.map(({ recordUuid }) => recordUuid ?? null)),
      issues.map(({ isClosed }) => isClosed === true),
    ],
  });
};
