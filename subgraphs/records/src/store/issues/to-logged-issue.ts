import type { Change } from '@fds/database';
import { defaultPriority } from '../../domain/issues/default-priority.js';
import type { RaisedIssue } from '../../domain/events/event-outcome.js';

/** Who changed an issue, and how. */
export interface IssueActor {
  readonly action: 'PUT' | 'PATCH' | 'DELETE';
  readonly actorUuid: string;
}

/** The data that an issue is about: by it, data access rules decide on the entry. */
export interface IssueSubject {
  readonly adaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  readonly recordUuid: string | null;
}

const subjectOf = (zoneUuid: string, { adaptorUuid, domainVersionUuid, recordUuid }: IssueSubject) => ({
  drUuid: recordUuid,
  adaptor: adaptorUuid === null ? null : { uuid: adaptorUuid, zoneUuid },
  domainVersion: domainVersionUuid === null ? null : { uuid: domainVersionUuid },
});

/**
 * The change log's word of an issue that was closed, has another cause now, or was changed by a person.
 *
 * @param issue without `subject` the entry is hidden from callers with data access rules
 * @param by undefined: the server
 */
export const toLoggedIssueChange = (
  issue: { readonly uuid: string; readonly zoneUuid: string; readonly subject?: IssueSubject | undefined },
  data: { readonly status: 'OPEN' | 'CLOSED'; readonly title?: string; readonly exception?: string },
  by?: IssueActor,
): Change => ({
  action: by?.action ?? 'PUT',
  resourceType: 'DataIssue',
  resource: `/zones/${issue.zoneUuid}/issues/${issue.uuid}`,
  resourceUuid: issue.uuid,
  zoneUuid: issue.zoneUuid,
  data: { uuid: issue.uuid, ...(issue.subject && subjectOf(issue.zoneUuid, issue.subject)), ...data },
  ...(by === undefined ? {} : { actorUuid: by.actorUuid }),
});

/** The change log's word of a new issue. */
export const toLoggedIssue = (issue: RaisedIssue): Change => ({
  action: 'POST',
  resourceType: 'DataIssue',
  resource: `/zones/${issue.zoneUuid}/issues/${issue.uuid}`,
  resourceUuid: issue.uuid,
  zoneUuid: issue.zoneUuid,
  actorUuid: issue.adaptorUuid,
  data: {
    uuid: issue.uuid,
    ...subjectOf(issue.zoneUuid, issue),
    title: issue.title,
    exception: issue.exception,
    matchStatus: issue.matchStatus,
    issuePriority: defaultPriority(issue.cause),
    status: 'OPEN',
  },
});
