import type { IssueCause } from '../../domain/events/event-outcome.js';
import type { IssuePriority } from '../../domain/issues/default-priority.js';
import type { IssueException, IssueStatus, MatchStatus } from './issue-filter.js';

/** An issue with the names of its adaptor and version, which may be gone. */
export interface ListedIssue {
  readonly uuid: string;
  readonly type: string;
  readonly status: IssueStatus;
  readonly issuePriority: IssuePriority;
  readonly title: string;
  readonly description: string | null;
  readonly exception: IssueException | null;
  readonly matchStatus: MatchStatus | null;
  readonly cause: IssueCause | null;
  readonly zoneUuid: string;
  readonly recordUuid: string | null;
  /** The accepted event that a presumption made. */
  readonly eventUuid: string | null;
  readonly adaptorUuid: string | null;
  readonly adaptorName: string | null;
  readonly domainVersionUuid: string | null;
  /** Hexadecimal, of the key that the event names; null: it names none. */
  readonly keyDigest: string | null;
  readonly versionNumber: number | null;
  readonly domainUuid: string | null;
  readonly domainName: string | null;
  /** JSON text; null if the message contained no event. */
  readonly dataEvent: string | null;
  /** JSON text of a list. */
  readonly errors: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

/** Columns of `ListedIssue` over the tables of `listedIssueSource`. */
export const listedIssueColumns = `
  i.uuid, i.type, i.status, i.issue_priority AS "issuePriority", i.title, i.description, i.exception,
  i.match_status AS "matchStatus", i.cause, i.zone_uuid AS "zoneUuid", i.record_uuid AS "recordUuid",
  i.event_uuid AS "eventUuid", i.adaptor_uuid AS "adaptorUuid", a.name AS "adaptorName",
  i.domain_version_uuid AS "domainVersionUuid", v.version_number AS "versionNumber", d.uuid AS "domainUuid",
  d.name AS "domainName", encode(i.key_digest, 'hex') AS "keyDigest", i.data_event AS "dataEvent", i.errors, i.date_created AS "dateCreated",
  i.last_updated AS "lastUpdated", i.change_version AS "changeVersion"`;

/** Joins to rows of `i`. */
export const issueJoins = `
  LEFT JOIN adaptor a ON a.uuid = i.adaptor_uuid
  LEFT JOIN domain_version v ON v.uuid = i.domain_version_uuid
  LEFT JOIN domain d ON d.uuid = v.domain_uuid`;
