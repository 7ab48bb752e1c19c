import type { Queryable } from '@fds/database';
import type { SortTerm } from '@fds/graphql';
import { createSqlParameters, type SqlParameters } from '@fds/search';
import { writeIssueFilter, type IssueFilter } from './issue-filter.js';
import type { FaultSight } from './issue-faults.js';
import { isJoinedOrder, writeIssueOrder } from './issue-order.js';
import { writePlace, type IssuePlace, type IssueZones } from './issue-place.js';
import { issueJoins, listedIssueColumns, type ListedIssue } from './listed-issue.js';
import { stretchOf } from './stretch.js';
import { isIssue } from './waiting-events.js';
import { writeSeenIssues } from './write-seen-issues.js';

/** The issues that are meant. */
export interface IssueSelection {
  readonly place: IssuePlace | IssueZones;
  readonly filter: IssueFilter;
  /** The issues and errors that the caller may see. */
  readonly sight: FaultSight;
}

/** A test on rows of `i`. */
export const writeSelection = ({ place, filter, sight }: IssueSelection, parameters: SqlParameters): string =>
  [
    isIssue,
    ...writePlace(place, parameters),
    ...writeIssueFilter(filter, sight, parameters),
    ...(sight.visibility === undefined ? [] : [writeSeenIssues(sight.visibility, parameters)]),
  ].join(' AND ');

/** A step through issues from the oldest to the newest. */
export interface IssueStep {
  /** The last one that was read. */
  readonly after: string | undefined;
  /** Only these; undefined: all. */
  readonly among: readonly string[] | undefined;
  readonly limit: number;
}

const writeStep = ({ after, among }: Omit<IssueStep, 'limit'>, parameters: SqlParameters): string[] => [
  ...(after === undefined ? [] : [`i.uuid > ${parameters.add(after)}::uuid`]),
  ...(among === undefined ? [] : [`i.uuid = ANY (${parameters.add(among)}::uuid[])`]),
];

export const countIssues = async (
  client: Queryable,
  selection: IssueSelection,
  step: Omit<IssueStep, 'limit'> = { after: undefined, among: undefined },
): Promise<number> => {
  const parameters = createSqlParameters();
  const tests = [writeSelection(selection, parameters), ...writeStep(step, parameters)];
  const { rows } = await client.query<{ readonly total: bigint }>({
    text: `SELECT count(*) AS total FROM data_issue i WHERE ${tests.join(' AND ')}`,
    values: [...parameters.values],
  });
  return Number(rows[0]?.total ?? 0n);
};

/** Those of the issues that are still open. */
export const reloadOpenIssues = async (client: Queryable, uuids: readonly string[]): Promise<ListedIssue[]> => {
  const { rows } = await client.query<ListedIssue>({
    name: 'records-reload-open-issues',
    text: `SELECT ${listedIssueColumns} FROM data_issue i ${issueJoins}
           WHERE i.uuid = ANY ($1::uuid[]) AND i.status = 'OPEN'`,
    values: [uuids],
  });
  return rows;
};

/** Which of the issues are shown. */
export interface IssuePage {
  readonly order: readonly SortTerm[];
  readonly offset: number;
  readonly limit: number;
  /** As many as there are: more than `offset`. */
  readonly total: number;
}

/**
 * A page of issues. The rows of the page are chosen by index before anything else of them is read, from the end that is
 * nearer: the last page costs no more than the first.
 */
export const listIssues = async (
  client: Queryable,
  selection: IssueSelection,
  page: IssuePage,
): Promise<ListedIssue[]> => {
  const parameters = createSqlParameters();
  const tests = writeSelection(selection, parameters);
  const order = writeIssueOrder(page.order);
  const stretch = stretchOf(page);
  const [limit, offset] = [parameters.add(stretch.limit), parameters.add(stretch.offset)];
  const chosenBy = stretch.from === 'START' ? order : writeIssueOrder(page.order, 'BACKWARDS');
  const { rows } = await client.query<ListedIssue>({
    text: `SELECT ${listedIssueColumns} FROM (
             SELECT i.uuid FROM data_issue i ${isJoinedOrder(page.order) ? issueJoins : ''}
             WHERE ${tests} ORDER BY ${chosenBy} LIMIT ${limit}::int OFFSET ${offset}::bigint
           ) chosen JOIN data_issue i ON i.uuid = chosen.uuid ${issueJoins}
           ORDER BY ${order}`,
    values: [...parameters.values],
  });
  return rows;
};

/** The oldest selected issues after `after`. */
export const loadIssues = async (
  client: Queryable,
  selection: IssueSelection,
  { after, among, limit }: IssueStep,
): Promise<ListedIssue[]> => {
  const parameters = createSqlParameters();
  const tests = writeSelection(selection, parameters);
  const { rows } = await client.query<ListedIssue>({
    text: `SELECT ${listedIssueColumns} FROM data_issue i ${issueJoins}
           WHERE ${[tests, ...writeStep({ after, among }, parameters)].join(' AND ')}
           ORDER BY i.uuid LIMIT ${parameters.add(limit)}::int`,
    values: [...parameters.values],
  });
  return rows;
};

/** One of the issues of a place that may be seen. */
export const findIssue = async (
  client: Queryable,
  issueUuid: string,
  { place, sight }: { readonly place: IssuePlace; readonly sight: FaultSight },
): Promise<ListedIssue | undefined> => {
  const parameters = createSqlParameters();
  const tests = writeSelection({ place, filter: {}, sight }, parameters);
  const domain = place.domainUuid ? ` AND d.uuid = ${parameters.add(place.domainUuid)}::uuid` : '';
  const { rows } = await client.query<ListedIssue>({
    text: `SELECT ${listedIssueColumns} FROM data_issue i ${issueJoins}
           WHERE i.uuid = ${parameters.add(issueUuid)}::uuid AND ${tests}${domain}`,
    values: [...parameters.values],
  });
  return rows[0];
};
