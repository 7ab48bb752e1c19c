import type { Queryable } from '@fds/database';
import { createSqlParameters, type SqlParameters } from '@fds/search';
import type { QueueKey } from '../../domain/issues/parked-queues.js';
import { stretchOf } from './stretch.js';

/** A test on rows of `i`: is it an issue, and not an event that only waits behind one? */
export const isIssue = `i.cause IS DISTINCT FROM 'HELD'`;

const isWaiting = `w.cause = 'HELD' AND w.status = 'OPEN' AND w.brake_uuid IS NULL`;

/**
 * The number of events behind each issue, by its uuid. An issue without such events is absent. Behind an issue MASS_DELETION are the
 * deletions that are parked with it.
 */
export const countWaiting = async (
  client: Queryable,
  issueUuids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  if (issueUuids.length === 0) return new Map();
  const { rows } = await client.query<{ readonly uuid: string; readonly waiting: bigint }>({
    name: 'records-count-waiting',
    text: `SELECT i.uuid, w.waiting FROM data_issue i CROSS JOIN LATERAL (
             SELECT count(*) AS waiting FROM data_issue w
             WHERE w.adaptor_uuid = i.adaptor_uuid AND w.domain_version_uuid = i.domain_version_uuid
               AND w.key_digest = i.key_digest AND ${isWaiting} AND w.uuid > i.uuid OFFSET 0
           ) w
           WHERE i.uuid = ANY ($1::uuid[]) AND i.status = 'OPEN' AND w.waiting > 0
           UNION ALL
           SELECT b.brake_uuid, count(*) FROM data_issue b
           WHERE b.brake_uuid = ANY ($1::uuid[]) AND b.cause = 'HELD' GROUP BY b.brake_uuid`,
    values: [issueUuids],
  });
  return new Map(rows.map(({ uuid, waiting }) => [uuid, Number(waiting)]));
};

/** An event that waits behind an issue. */
export interface WaitingEvent {
  readonly uuid: string;
  readonly recordUuid: string | null;
  /** JSON text. */
  readonly dataEvent: string;
  readonly dateCreated: Date;
}

/** The issue that events wait behind. */
export interface WaitingBehind {
  readonly issueUuid: string;
  /** Undefined: deletions are parked with an issue MASS_DELETION. */
  readonly queue: QueueKey | undefined;
}

const writeBehind = ({ issueUuid, queue }: WaitingBehind, parameters: SqlParameters): string =>
  queue === undefined
    ? `w.brake_uuid = ${parameters.add(issueUuid)}::uuid AND w.cause = 'HELD'`
    : `w.adaptor_uuid = ${parameters.add(queue.adaptorUuid)}::uuid
   AND w.domain_version_uuid = ${parameters.add(queue.domainVersionUuid)}::uuid
   AND w.key_digest = decode(${parameters.add(queue.keyDigest)}, 'hex') AND ${isWaiting}
   AND w.uuid > ${parameters.add(issueUuid)}::uuid`;

/** A page of the events behind an issue, in the order in which they follow. The last page costs as much as the first. */
export const listWaiting = async (
  client: Queryable,
  behind: WaitingBehind,
  page: { readonly offset: number; readonly limit: number; readonly total: number },
): Promise<WaitingEvent[]> => {
  const parameters = createSqlParameters();
  const test = writeBehind(behind, parameters);
  const { from, offset, limit } = stretchOf(page);
  const { rows } = await client.query<WaitingEvent>({
    text: `SELECT e.uuid, e.record_uuid AS "recordUuid", e.data_event AS "dataEvent", e.date_created AS "dateCreated"
           FROM (SELECT w.uuid FROM data_issue w WHERE ${test}
                 ORDER BY w.uuid ${from === 'START' ? 'ASC' : 'DESC'}
                 LIMIT ${parameters.add(limit)}::int OFFSET ${parameters.add(offset)}::bigint) chosen
           JOIN data_issue e ON e.uuid = chosen.uuid ORDER BY e.uuid`,
    values: [...parameters.values],
  });
  return rows;
};
