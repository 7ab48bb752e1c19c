import type { Queryable } from '@fds/database';
import { createSqlParameters } from '@fds/search';
import type { FaultSight } from './issue-faults.js';
import { isIssue } from './waiting-events.js';
import { writeSeenIssues } from './write-seen-issues.js';

/** The open issues of an adaptor. */
export interface OpenIssues {
  /** The zone of the adaptor. */
  readonly zoneUuid: string;
  readonly count: bigint;
}

/** The open issues of adaptors that a caller may see, in one statement. An adaptor that does not exist has no entry. */
export const countOpenIssues = async (
  reads: Queryable,
  adaptorUuids: readonly string[],
  { visibility }: Pick<FaultSight, 'visibility'>,
): Promise<ReadonlyMap<string, OpenIssues>> => {
  const parameters = createSqlParameters();
  const wanted = parameters.add(adaptorUuids);
  const seen = visibility === undefined ? '' : ` AND ${writeSeenIssues(visibility, parameters)}`;
  const { rows } = await reads.query<OpenIssues & { readonly uuid: string }>({
    text: `SELECT a.uuid, a.zone_uuid AS "zoneUuid",
                  (SELECT count(*) FROM data_issue i
                   WHERE i.adaptor_uuid = a.uuid AND i.status = 'OPEN' AND ${isIssue}${seen}) AS count
           FROM adaptor a WHERE a.uuid = ANY (${wanted}::uuid[])`,
    values: [...parameters.values],
  });
  return new Map(rows.map((row) => [row.uuid, row]));
};
