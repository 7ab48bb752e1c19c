import type { SortTerm } from '@fds/graphql';

/** Fields that issues may be sorted by, as SQL. `a`, `v` and `d`: see `writeIssueSource`. */
const columns: Readonly<Record<string, string>> = {
  uuid: 'i.uuid',
  type: 'i.type',
  status: 'i.status',
  issuePriority: `array_position(ARRAY['LOW', 'MEDIUM', 'HIGH'], i.issue_priority)`,
  title: 'i.title',
  description: 'i.description',
  exception: 'i.exception',
  matchStatus: 'i.match_status',
  drUuid: 'i.record_uuid',
  dateCreated: 'i.date_created',
  lastUpdated: 'i.last_updated',
  changeVersion: 'i.change_version',
  'adaptor.uuid': 'i.adaptor_uuid',
  'adaptor.name': 'a.name',
  'domainVersion.domain.name': 'd.name',
  'domainVersion.versionNumber': 'v.version_number',
};

export const issueSortFields: readonly string[] = Object.keys(columns);

/**
 * Newest first unless another order is asked for: uuids of version 7 are in the order of time.
 *
 * @param direction BACKWARDS: the last one first. Default FORWARDS
 */
export const writeIssueOrder = (
  order: readonly SortTerm[],
  direction: 'FORWARDS' | 'BACKWARDS' = 'FORWARDS',
): string => {
  const tied = order.some(({ field }) => field === 'uuid') ? [] : [{ field: 'uuid', descending: true }];
  const turned = direction === 'BACKWARDS';
  // NULLs are last ascending and first descending, so that the turned order is the exact reverse
  return [...order, ...tied]
    .map(({ field, descending }) => `${columns[field]} ${descending === turned ? 'ASC' : 'DESC'}`)
    .join(', ');
};

/** Needs the order more than rows of `i`? */
export const isJoinedOrder = (order: readonly SortTerm[]): boolean =>
  order.some(({ field }) => field === 'adaptor.name' || field.startsWith('domainVersion.'));
