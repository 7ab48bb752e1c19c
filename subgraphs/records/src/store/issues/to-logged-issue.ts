import type { Change } from '@fds/database';
import type { RaisedIssue } from '../../domain/events/event-outcome.js';

/** Who changed an issue, and how. */
export interface IssueActor {
  readonly action: 'PUT' | 'PATCH' | 'DELETE';
  readonly actorUuid: string;
}

/**
 * The change log's word of an issue that was closed, has another cause now, or was changed by a person.
 *
 * @param by undefined: the server
 */
export const toLoggedIssueChange = (
  issue: { readonly uuid: string; readonly zoneUuid: string },
  data: { readonly status: 'OPEN' | 'CLOSED'; readonly title?: string; readonly exception?: string },
  by?: IssueActor,
): Change => ({
  action: by?.action ?? 'PUT',
  resourceType: 'DataIssue',
  resource: `/zones/${issue.zoneUuid}/issues/${issue.uuid}`,
  resourceUuid: issue.uuid,
  zoneUuid: issue.zoneUuid,
  data: { uuid: issue.uuid, ...data },
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
  data: { uuid: issue.uuid, title: issue.title, exception: issue.exception, status: 'OPEN' },
});
