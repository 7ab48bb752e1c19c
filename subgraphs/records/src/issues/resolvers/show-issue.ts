import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { ListedIssue } from '../../store/issues/listed-issue.js';
import { seeIssueData, type IssueSight } from '../visibility/see-issue.js';

/** An issue as GraphQL shows it, with the part of its event that the caller may see. */
export const showIssue = async (sight: IssueSight, view: CatalogView, issue: ListedIssue, waitingCount: number) => {
  const { adaptorUuid, adaptorName, zoneUuid, domainVersionUuid, versionNumber, domainUuid, domainName } = issue;
  const domain = domainUuid === null ? null : { uuid: domainUuid, name: domainName };
  const { dataEvent, errors } = await seeIssueData(sight, view, issue);
  return {
    uuid: issue.uuid,
    type: issue.type,
    status: issue.status,
    issuePriority: issue.issuePriority,
    title: issue.title,
    description: issue.description,
    exception: issue.exception,
    matchStatus: issue.matchStatus,
    drUuid: issue.recordUuid,
    adaptor: adaptorUuid === null ? null : { uuid: adaptorUuid, name: adaptorName, zoneUuid },
    domainVersion: domainVersionUuid === null ? null : { uuid: domainVersionUuid, versionNumber, domain },
    dataEvent,
    errors,
    waitingCount,
    dateCreated: issue.dateCreated,
    lastUpdated: issue.lastUpdated,
    changeVersion: issue.changeVersion,
  };
};
