import type { CursorSealer } from '@fds/auth';
import { seeChange, type EventSource } from '@fds/change-events';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject, type JsonValue } from '@fds/json';
import { readCursor } from '../read-cursor.js';

export interface IssueArguments {
  readonly zoneUuid?: string | null;
  readonly after?: string | null;
}

const referenceTo = (value: JsonValue | undefined): { readonly uuid: string } | null => {
  const uuid = isJsonObject(value) ? value['uuid'] : value;
  return typeof uuid === 'string' ? { uuid } : null;
};

/** Changes of data issues of one zone or of all zones, for `dataIssues`. @throws AppError FORBIDDEN, INVALID_PARAMETER, UNKNOWN_CURSOR */
export const createIssueSource = (
  { zoneUuid, after }: IssueArguments,
  { principal }: Pick<RequestContext, 'principal'>,
  { cursors }: { readonly cursors: CursorSealer },
): EventSource => {
  const cursor = readCursor(cursors, after);
  const resource = `/zones/${zoneUuid ?? '?'}/issues`;
  const readings = zoneUuid === null || zoneUuid === undefined ? principal.zones.map((zone) => zone.zoneUuid) : [];
  const held = [resource, ...readings.map((uuid) => `/zones/${uuid}/issues`)];
  if (!held.some((path) => principal.permits('GET', path) || principal.permits('GET', `${path}/?`)))
    throw new AppError('FORBIDDEN', `GET ${resource} is not granted to you`);
  return {
    name: 'dataIssues',
    events: [],
    topics: ['DataIssue'],
    after: cursor,
    see: (receiver, item) => {
      if (item.kind !== 'CHANGE' || item.change.resourceType !== 'DataIssue') return undefined;
      if (typeof zoneUuid === 'string' && item.change.zoneUuid !== zoneUuid) return undefined;
      const change = seeChange(receiver, item.change, item.subject);
      if (change === undefined || !isJsonObject(change.data)) return undefined;
      const { data } = change;
      return {
        cursor: cursors.seal(item.position),
        action: change.action,
        dateCreated: change.dateCreated,
        issueUuid: change.resourceUuid,
        zoneUuid: change.zoneUuid,
        status: data['status'],
        issuePriority: data['issuePriority'],
        title: data['title'],
        description: data['description'],
        exception: data['exception'],
        matchStatus: data['matchStatus'],
        drUuid: data['drUuid'],
        data,
        zone: referenceTo(change.zoneUuid),
        adaptor: referenceTo(data['adaptor']),
        domainVersion: referenceTo(data['domainVersion']),
        record: referenceTo(data['drUuid']),
      };
    },
  };
};
