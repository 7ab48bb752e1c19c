import type { SqlParameters } from '@fds/search';
import type { IssueCause } from '../../domain/events/event-outcome.js';
import { writeFaultFilter, type FaultSight } from './issue-faults.js';

type Values<Value> = readonly Value[] | null;

export type IssueStatus = 'OPEN' | 'CLOSED';
export type IssueException = 'PARSING' | 'MATCHING' | 'ADAPTOR' | 'OTHER';
export type MatchStatus = 'RESOLVED' | 'AMBIGUOUS' | 'PRESUMED_NEW' | 'PRESUMED_MATCH';

/** Filter of issues; a member that is absent or null does not restrict. */
export interface IssueFilter {
  /** GENERAL: of any type. */
  readonly type?: 'GENERAL' | 'DATA_EVENT_EXCEPTION' | null;
  readonly status?: Values<IssueStatus>;
  readonly matchStatus?: Values<MatchStatus>;
  readonly exceptions?: Values<IssueException>;
  readonly drUuid?: string | null;
  readonly domainVersion?: string | null;
  readonly adaptor?: string | null;
  readonly cause?: Values<IssueCause>;
  /** The code of an error. With `property`, one error has both. */
  readonly code?: string | null;
  /** The property of an error: a dotted path, without positions in lists. */
  readonly property?: string | null;
}

const statuses = 2;

/** Both statuses together need no condition; with one status an index has the rows in their order. */
const writeStatus = (status: Values<IssueStatus> | undefined, parameters: SqlParameters): string[] => {
  const [first, ...others] = new Set(status ?? []);
  if (first === undefined || others.length + 1 === statuses) return [];
  return [`i.status = ${parameters.add(first)}`];
};

const writeAny = (column: string, values: Values<string> | undefined, parameters: SqlParameters): string[] =>
  values === null || values === undefined ? [] : [`${column} = ANY (${parameters.add(values)}::text[])`];

const writeUuid = (column: string, uuid: string | null | undefined, parameters: SqlParameters): string[] =>
  uuid === null || uuid === undefined ? [] : [`${column} = ${parameters.add(uuid)}::uuid`];

/** Tests on rows of `i`. */
export const writeIssueFilter = (filter: IssueFilter, sight: FaultSight, parameters: SqlParameters): string[] => [
  ...(filter.type === 'DATA_EVENT_EXCEPTION' ? [`i.type = ${parameters.add(filter.type)}`] : []),
  ...writeStatus(filter.status, parameters),
  ...writeAny('i.match_status', filter.matchStatus, parameters),
  ...writeAny('i.exception', filter.exceptions, parameters),
  ...writeUuid('i.record_uuid', filter.drUuid, parameters),
  ...writeUuid('i.domain_version_uuid', filter.domainVersion, parameters),
  ...writeUuid('i.adaptor_uuid', filter.adaptor, parameters),
  ...writeAny('i.cause', filter.cause, parameters),
  ...writeFaultFilter(filter, sight, parameters),
];
