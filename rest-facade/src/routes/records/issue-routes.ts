import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const issue = `
  fragment Issue on DataIssue {
    uuid type status issuePriority title description exception matchStatus drUuid
    adaptor { uuid name zoneUuid }
    domainVersion { uuid versionNumber domain { uuid name } }
    dataEvent
    errors { pointer code detail }
    waitingCount
    dateCreated lastUpdated changeVersion
  }`;

const sort = [
  'uuid',
  'type',
  'status',
  'issuePriority',
  'title',
  'description',
  'exception',
  'matchStatus',
  'drUuid',
  'dateCreated',
  'lastUpdated',
  'changeVersion',
  'adaptor.uuid',
  'adaptor.name',
  'domainVersion.domain.name',
  'domainVersion.versionNumber',
] as const;

const filters = {
  type: 'type',
  'match-status': 'matchStatus',
  exceptions: 'exceptions',
  status: 'status',
  'dr-uuid': 'drUuid',
  'domain-version': 'domainVersion',
  adaptor: 'adaptor',
  cause: 'cause',
  code: 'code',
  property: 'property',
} as const;

const declareFilters = `
  $type: DataIssueType, $status: [DataIssueStatus!], $matchStatus: [DataIssueMatchStatus!],
  $exceptions: [DataIssueException!], $drUuid: Uuid, $domainVersion: Uuid, $adaptor: Uuid,
  $cause: [DataIssueCause!], $code: String, $property: String`;
const passFilters = `
  type: $type, status: $status, matchStatus: $matchStatus, exceptions: $exceptions, drUuid: $drUuid,
  domainVersion: $domainVersion, adaptor: $adaptor, cause: $cause, code: $code, property: $property`;

/** A level at which issues are listed. */
interface Level {
  /** Name of the level in operation ids. */
  readonly name: string;
  /** In summaries. */
  readonly words: string;
  readonly path: string;
  /** Placeholders of the path. */
  readonly variables: readonly string[];
}

const common = { kind: 'graphql', tag: 'Data issues' } as const;
const declare = (names: readonly string[]): string => names.map((name) => `$${name}: Uuid!`).join(', ');
const pass = (names: readonly string[]): string => names.map((name) => `${name}: $${name}`).join(', ');

const listAt = ({ name, words, path, variables }: Level): GraphqlRoute => ({
  ...common,
  method: 'GET',
  path,
  operationId: `list${name}Issues`,
  summary: `List the data issues of ${words}, newest first unless sorted`,
  query: { paged: true, filters, sort },
  collection: 'issues',
  status: 200,
  document: `
    query list${name}Issues(
      ${declare(variables)} ${declareFilters}, $sort: String, $page: Int, $size: Int
    ) {
      result: dataIssues(
        ${pass(variables)} ${passFilters}, sort: $sort, page: $page, size: $size
      ) { data { ...Issue } ${pageFields} }
    } ${issue}`,
});

const countsAt = ({ name, words, path, variables }: Level): GraphqlRoute => ({
  ...common,
  method: 'GET',
  path: `${path}/counts`,
  operationId: `count${name}Issues`,
  summary: `Count the data issues of ${words} by their causes`,
  query: { filters, parameters: { by: 'by', size: 'size' } },
  status: 200,
  document: `
    query count${name}Issues(${declare(variables)} ${declareFilters}, $by: [DataIssueGrouping!], $size: Int) {
      result: dataIssueCounts(${pass(variables)} ${passFilters}, by: $by, size: $size) {
        issueCount openCount groupCount
        groups {
          issueCount openCount zoneUuid
          adaptor { uuid name zoneUuid }
          domainVersion { uuid versionNumber domain { uuid name } }
          exception cause code property oldest newest example
        }
      }
    }`,
});

const settleRoute: GraphqlRoute = {
  ...common,
  method: 'POST',
  path: '/zones/{zoneUuid}/issues/settle',
  operationId: 'settleZoneIssues',
  summary: 'Settle open data issues of a zone by a filter: their events are dropped, or processed again',
  body: { kind: 'object', variable: 'input' },
  status: 200,
  document: `
    mutation settleZoneIssues($zoneUuid: Uuid!, $input: DataIssueSettlementInput!) {
      result: settleDataIssues(zoneUuid: $zoneUuid, input: $input) {
        preview matchedCount closedCount openCount failedCount remainingCount next
        results { issueUuid title outcome code detail }
      }
    }`,
};

const routesAt = ({ name, words, path, variables }: Level): readonly GraphqlRoute[] => {
  const one = `${path}/{issueUuid}`;
  const names = [...variables, 'issueUuid'];
  const change = (method: 'PUT' | 'PATCH', verb: 'replace' | 'patch', summary: string): GraphqlRoute => ({
    ...common,
    method,
    path: one,
    operationId: `${verb}${name}Issue`,
    summary,
    body: { kind: 'object', variable: 'input' },
    status: 200,
    document: `
      mutation ${verb}${name}Issue(${declare(names)}, $input: DataIssueInput!) {
        result: ${verb}DataIssue(${pass(names)}, input: $input) { ...Issue }
      } ${issue}`,
  });
  return [
    listAt({ name, words, path, variables }),
    {
      ...common,
      method: 'GET',
      path: one,
      operationId: `get${name}Issue`,
      summary: `Read a data issue of ${words}`,
      status: 200,
      document: `
        query get${name}Issue(${declare(names)}) {
          result: dataIssue(${pass(names)}) { ...Issue }
        } ${issue}`,
    },
    change('PUT', 'replace', `Change a data issue of ${words}: status CLOSED settles it`),
    change('PATCH', 'patch', `Change the given members of a data issue of ${words}: status CLOSED settles it`),
    {
      ...common,
      method: 'DELETE',
      path: one,
      operationId: `delete${name}Issue`,
      summary: `Remove a data issue of ${words}; an event that waits with it is dropped`,
      status: 204,
      document: `
        mutation delete${name}Issue(${declare(names)}, $changeVersion: Long) {
          result: deleteDataIssue(${pass(names)}, changeVersion: $changeVersion)
        }`,
    },
  ];
};

const waitingAt = ({ name, words, path, variables }: Level): GraphqlRoute => {
  const names = [...variables, 'issueUuid'];
  return {
    ...common,
    method: 'GET',
    path: `${path}/{issueUuid}/waiting`,
    operationId: `list${name}IssueWaiting`,
    summary: `List the events that wait behind a data issue of ${words}, in the order in which they follow`,
    query: { paged: true },
    collection: 'dataEvents',
    status: 200,
    document: `
      query list${name}IssueWaiting(${declare(names)}, $page: Int, $size: Int) {
        result: dataIssueWaiting(${pass(names)}, page: $page, size: $size) {
          data { uuid transactionUuid action createTime dateCreated dataEvent } ${pageFields}
        }
      }`,
  };
};

const matchesAt = ({ name, words, path, variables }: Level): GraphqlRoute => {
  const names = [...variables, 'issueUuid'];
  return {
    ...common,
    method: 'GET',
    path: `${path}/{issueUuid}/matches`,
    operationId: `list${name}IssueMatches`,
    summary: `List the records that the event of a data issue of ${words} may be about, the best first`,
    query: {
      paged: true,
      filters: { 'dr-uuid': 'drUuid', 'adaptor-uuid': 'adaptor', 'min-score': 'minScore', 'max-score': 'maxScore' },
    },
    collection: 'matches',
    status: 200,
    document: `
      query list${name}IssueMatches(
        ${declare(names)}, $drUuid: Uuid, $adaptor: Uuid, $minScore: Score, $maxScore: Score, $page: Int, $size: Int
      ) {
        result: dataIssueMatches(
          ${pass(names)}, drUuid: $drUuid, adaptor: $adaptor, minScore: $minScore, maxScore: $maxScore,
          page: $page, size: $size
        ) { data { drUuid score drKey adaptorUuid comparisons } ${pageFields} }
      }`,
  };
};

const everywhere: Level = { name: 'All', words: 'all zones', path: '/issues', variables: [] };
const zone: Level = {
  name: 'Zone',
  words: 'a zone',
  path: '/zones/{zoneUuid}/issues',
  variables: ['zoneUuid'],
};
const adaptor: Level = {
  name: 'Adaptor',
  words: 'an adaptor',
  path: '/zones/{zoneUuid}/adaptors/{adaptorUuid}/issues',
  variables: ['zoneUuid', 'adaptorUuid'],
};
const version: Level = {
  name: 'AdaptorVersion',
  words: 'a domain version at an adaptor',
  path: '/zones/{zoneUuid}/adaptors/{adaptorUuid}/domains/{domainUuid}/versions/{domainVersionUuid}/issues',
  variables: ['zoneUuid', 'adaptorUuid', 'domainUuid', 'domainVersionUuid'],
};

/** Data issues at each level. */
export const issueRoutes: readonly GraphqlRoute[] = [
  listAt(everywhere),
  countsAt(everywhere),
  ...routesAt(zone),
  countsAt(zone),
  settleRoute,
  matchesAt(zone),
  waitingAt(zone),
  ...routesAt(adaptor),
  matchesAt(adaptor),
  waitingAt(adaptor),
  ...routesAt(version),
  waitingAt(version),
];
