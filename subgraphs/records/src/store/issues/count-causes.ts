import type { Queryable } from '@fds/database';
import { createSqlParameters } from '@fds/search';
import type { IssueCause } from '../../domain/events/event-outcome.js';
import type { IssueException } from './issue-filter.js';
import { faultsOfIssue } from './issue-faults.js';
import { writeSelection, type IssueSelection } from './list-issues.js';
import { issueJoins } from './listed-issue.js';

/** Issues that have the same values in all members of a group. */
export interface CountedIssues {
  readonly zoneUuid: string;
  readonly adaptorUuid: string | null;
  readonly adaptorName: string | null;
  readonly domainVersionUuid: string | null;
  readonly versionNumber: number | null;
  readonly domainUuid: string | null;
  readonly domainName: string | null;
  readonly cause: IssueCause | null;
  readonly exception: IssueException | null;
  /** Their record, if a data access rule of the caller names it. Otherwise any other record, or null: it is not known. */
  readonly recordUuid: string | null;
  /** `<code> <pointer>` of each error, as `faultsOfIssue` has them. */
  readonly faults: readonly string[];
  readonly issueCount: bigint;
  readonly openCount: bigint;
  readonly oldest: Date;
  readonly newest: Date;
  /** The oldest issue. */
  readonly example: string;
  /** Sums over all groups, including those beyond the limit. */
  readonly allIssues: bigint;
  readonly allOpen: bigint;
}

/** Stands for every record that no rule names. */
const otherRecord = '00000000-0000-0000-0000-000000000000';

/** The largest groups are returned, at most this many. */
const maxCountedGroups = 10_000;

const keys = 'i.zone_uuid, i.adaptor_uuid, i.domain_version_uuid, i.cause, i.exception, i.named, i.faults';

/**
 * Issues in groups.
 *
 * @param named records that data access rules name; their visible properties may differ from those of other records
 */
export const countCauses = async (
  client: Queryable,
  selection: IssueSelection,
  named: readonly string[],
): Promise<CountedIssues[]> => {
  const parameters = createSqlParameters();
  const tests = writeSelection(selection, parameters);
  const namedRecord = `CASE WHEN i.record_uuid IS NULL OR i.record_uuid = ANY (${parameters.add(named)}::uuid[])
                            THEN i.record_uuid ELSE ${parameters.add(otherRecord)}::uuid END`;
  const { rows } = await client.query<CountedIssues>({
    text: `SELECT i.zone_uuid AS "zoneUuid", i.adaptor_uuid AS "adaptorUuid", a.name AS "adaptorName",
                  i.domain_version_uuid AS "domainVersionUuid", v.version_number AS "versionNumber",
                  d.uuid AS "domainUuid", d.name AS "domainName", i.cause, i.exception, i.named AS "recordUuid",
                  i.faults, i.issues AS "issueCount", i.open AS "openCount", i.oldest, i.newest, i.example,
                  i.all_issues AS "allIssues", i.all_open AS "allOpen"
           FROM (SELECT ${keys}, count(*) AS issues, count(*) FILTER (WHERE i.status = 'OPEN') AS open,
                        min(i.date_created) AS oldest, max(i.date_created) AS newest, min(i.uuid::text) AS example,
                        (sum(count(*)) OVER ())::bigint AS all_issues,
                        (sum(count(*) FILTER (WHERE i.status = 'OPEN')) OVER ())::bigint AS all_open
                 FROM (SELECT i.uuid, i.zone_uuid, i.adaptor_uuid, i.domain_version_uuid, i.cause, i.exception, i.status,
                              i.date_created, ${namedRecord} AS named,
                              ARRAY(SELECT f.code || ' ' || f.pointer FROM (${faultsOfIssue}) f ORDER BY 1) AS faults
                       FROM data_issue i WHERE ${tests}) i
                 GROUP BY ${keys} ORDER BY count(*) DESC, min(i.uuid::text) LIMIT ${maxCountedGroups}) i ${issueJoins}
           ORDER BY i.issues DESC, i.example`,
    values: [...parameters.values],
  });
  return rows;
};
