import type { SortTerm } from '@fds/graphql';
import type { Visibility } from '@fds/record-rows';
import { createSqlParameters, type SqlParameters } from '@fds/search-sql';
import type { Queryable } from '../channels/channel.js';
import { writeIssueFilter, type IssueFilter } from './issue-filter.js';
import { isJoinedOrder, writeIssueOrder } from './issue-order.js';
import { writePlace, type IssuePlace } from './issue-place.js';
import { issueJoins, listedIssueColumns, type ListedIssue } from './listed-issue.js';
import { stretchOf } from './stretch.js';
import { isIssue } from './waiting-events.js';
import { writeSeenIssues } from './write-seen-issues.js';

/** The issues that are meant. */
export interface IssueSelection {
  readonly place: IssuePlace;
  readonly filter: IssueFilter;
  /** What the caller may see; undefined: everything. */
  readonly visibility: Visibility | undefined;
}

const writeTests = ({ place, filter, visibility }: IssueSelection, parameters: SqlParameters): string =>
  [
    isIssue,
    ...writePlace(place, parameters),
    ...writeIssueFilter(filter, parameters),
    ...(visibility === undefined ? [] : [writeSeenIssues(visibility, parameters)]),
  ].join(' AND ');

export const countIssues = async (client: Queryable, selection: IssueSelection): Promise<number> => {
  const parameters = createSqlParameters();
  const { rows } = await client.query<{ readonly total: bigint }>({
    text: `SELECT count(*) AS total FROM data_issue i WHERE ${writeTests(selection, parameters)}`,
    values: [...parameters.values],
  });
  return Number(rows[0]?.total ?? 0n);
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
  const tests = writeTests(selection, parameters);
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

/** One of the issues of a place that may be seen. */
export const findIssue = async (
  client: Queryable,
  issueUuid: string,
  { place, visibility }: Pick<IssueSelection, 'place' | 'visibility'>,
): Promise<ListedIssue | undefined> => {
  const parameters = createSqlParameters();
  const tests = writeTests({ place, filter: {}, visibility }, parameters);
  const domain = place.domainUuid ? ` AND d.uuid = ${parameters.add(place.domainUuid)}::uuid` : '';
  const { rows } = await client.query<ListedIssue>({
    text: `SELECT ${listedIssueColumns} FROM data_issue i ${issueJoins}
           WHERE i.uuid = ${parameters.add(issueUuid)}::uuid AND ${tests}${domain}`,
    values: [...parameters.values],
  });
  return rows[0];
};
