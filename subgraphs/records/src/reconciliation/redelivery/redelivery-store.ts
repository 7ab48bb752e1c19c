import { logChanges, type Queryable, type SqlClient, type SqlSession } from '@fds/database';
import { createSqlParameters, type SearchCondition, type SqlParameters } from '@fds/search';
import type { DomainVersionView } from '../../domain/catalog.js';
import { writeRecordCondition } from '../store/job-pages.js';
import { JobLost, keptJobs, type JobOwner } from '../store/running-jobs.js';
import type { ReconciledPlace } from '../store/reconciliation.js';

/** The records that are sent again. Exactly one of `fromTime`, `drUuids` and `query` is set. */
export interface RedeliveryOrder extends ReconciledPlace {
  /** Null: records of every version. */
  readonly domainVersionUuid: string | null;
  /** Records with a change from this time on. */
  readonly fromTime: Date | null;
  /** Exclusive. */
  readonly toTime: Date | null;
  readonly drUuids: readonly string[] | null;
  readonly query: string | null;
  readonly startedByUuid: string | null;
}

/** Numbers of records by their result. */
export interface RedeliveryCounts {
  readonly sent: number;
  readonly withheld: number;
  readonly unanswered: number;
}

/** A job as it is stored. */
export interface Redelivery extends RedeliveryOrder, RedeliveryCounts {
  readonly uuid: string;
  readonly status: 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED';
  /** Records of the selection. Null: they are not counted yet. */
  readonly total: number | null;
  /** The last record that was worked on. */
  readonly position: string | null;
  readonly lastRecordUuid: string;
  readonly message: string | null;
  readonly dateCreated: Date;
  readonly dateFinished: Date | null;
}

const columns = `uuid, zone_uuid AS "zoneUuid", adaptor_uuid AS "adaptorUuid", status, domain_version_uuid AS "domainVersionUuid",
  from_time AS "fromTime", to_time AS "toTime", dr_uuids AS "drUuids", query, total::float8 AS total, sent::float8 AS sent, withheld::float8 AS withheld,
  unanswered::float8 AS unanswered, position, last_record_uuid AS "lastRecordUuid", message, started_by_uuid AS "startedByUuid",
  date_created AS "dateCreated", date_finished AS "dateFinished"`;

/** The members of a job for answers and for the change log. */
export const shownRedelivery = (job: Redelivery) => {
  const { sent, withheld, unanswered, total, fromTime: from, toTime: to, ...rest } = job;
  const examined = sent + withheld + unanswered;
  const share = total === null ? 0 : examined / Math.max(1, total);
  return {
    ...rest,
    from,
    to,
    counts: { examined, sent, withheld, unanswered },
    progress: job.status === 'DONE' ? 1 : Math.min(1, share),
  };
};

const logRedelivery = (
  client: SqlSession,
  job: Redelivery,
  action: 'POST' | 'PUT',
  actorUuid?: string | null,
): Promise<void> =>
  logChanges(client, [
    {
      action,
      resourceType: 'AdaptorRedelivery',
      resource: `/zones/${job.zoneUuid}/adaptors/${job.adaptorUuid}/redeliveries/${job.uuid}`,
      resourceUuid: job.uuid,
      zoneUuid: job.zoneUuid,
      ...(actorUuid ? { actorUuid } : {}),
      data: shownRedelivery(job),
    },
  ]);

/** Jobs of an adaptor that may run at one time. */
export const maxRunningRedeliveries = 10;

/**
 * Adds a job, and its entry in the change log.
 *
 * @returns undefined: as many jobs of the adaptor run as may run
 */
export const addRedelivery = async (
  client: SqlClient,
  uuid: string,
  order: RedeliveryOrder,
): Promise<Redelivery | undefined> => {
  // two requests at a time would not see each other's job
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('redeliveries ' || $1, 0))`, [order.adaptorUuid]);
  const running = await client.query<{ readonly total: number }>(
    `SELECT count(*)::int AS total FROM redelivery WHERE adaptor_uuid = $1 AND status = 'RUNNING'`,
    [order.adaptorUuid],
  );
  if ((running.rows[0]?.total ?? 0) >= maxRunningRedeliveries) return undefined;
  const { rows } = await client.query<Redelivery>(
    `INSERT INTO redelivery (uuid, zone_uuid, adaptor_uuid, domain_version_uuid, from_time, to_time, dr_uuids, query,
                             started_by_uuid, last_record_uuid)
     VALUES ($1, $2, $3, $4, $5, $6, $7::uuid[], $8, $9,
             coalesce((SELECT uuid FROM data_record ORDER BY uuid DESC LIMIT 1), '00000000-0000-0000-0000-000000000000'))
     RETURNING ${columns}`,
    [
      uuid,
      order.zoneUuid,
      order.adaptorUuid,
      order.domainVersionUuid,
      order.fromTime,
      order.toTime,
      order.drUuids,
      order.query,
      order.startedByUuid,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new TypeError('a redelivery was not added');
  await logRedelivery(client, row, 'POST', order.startedByUuid);
  return row;
};

export const findRedelivery = async (
  client: Queryable,
  uuid: string,
  { zoneUuid, adaptorUuid }: ReconciledPlace,
): Promise<Redelivery | undefined> => {
  const { rows } = await client.query<Redelivery>(
    `SELECT ${columns} FROM redelivery WHERE uuid = $1 AND zone_uuid = $2 AND adaptor_uuid = $3`,
    [uuid, zoneUuid, adaptorUuid],
  );
  return rows[0];
};

/** A page of the jobs of an adaptor, the newest first, and their number. */
export const listRedeliveries = async (
  client: Queryable,
  { zoneUuid, adaptorUuid }: ReconciledPlace,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: readonly Redelivery[]; readonly total: number }> => {
  const where = 'zone_uuid = $1 AND adaptor_uuid = $2';
  const counted = await client.query<{ total: bigint }>(`SELECT count(*) AS total FROM redelivery WHERE ${where}`, [
    zoneUuid,
    adaptorUuid,
  ]);
  const { rows } = await client.query<Redelivery>(
    `SELECT ${columns} FROM redelivery WHERE ${where} ORDER BY uuid DESC OFFSET $3 LIMIT $4`,
    [zoneUuid, adaptorUuid, page.offset, page.limit],
  );
  return { rows, total: Number(counted.rows[0]?.total ?? 0n) };
};

/**
 * Takes a job that no other process works on, or shows that this process still works on it. Jobs take turns: the one that was
 * taken longest ago is next, so an adaptor that answers slowly does not hold up the jobs of others.
 */
export const claimRedelivery = async (client: SqlSession, owner: JobOwner): Promise<Redelivery | undefined> => {
  const { rows } = await client.query<Redelivery>({
    name: 'records-claim-redelivery',
    text: `UPDATE redelivery SET owner = $1, owned_until = clock_timestamp() + $2 * interval '1 millisecond'
           WHERE uuid = (
             SELECT uuid FROM redelivery
             WHERE status = 'RUNNING' AND (owner = $1 OR owned_until IS NULL OR owned_until <= clock_timestamp())
             ORDER BY owned_until NULLS FIRST, uuid LIMIT 1 FOR UPDATE SKIP LOCKED)
           RETURNING ${columns}`,
    values: [owner.instanceUuid, owner.durationMs],
  });
  return rows[0];
};

/** A record that is sent again. */
export interface RedeliveredRecord {
  readonly uuid: string;
  readonly domainVersionUuid: string;
}

/** The query of a job. Undefined: the job has none. */
export type RedeliverySearch = { readonly version: DomainVersionView; readonly condition: SearchCondition } | undefined;

/** SQL that is true for the records `r` of a job, from its position on, that its adaptor links, or was sent. */
const writeSelection = async (
  session: Queryable,
  parameters: SqlParameters,
  job: Redelivery,
  searched: RedeliverySearch,
): Promise<string> => {
  const adaptor = parameters.add(job.adaptorUuid);
  const conditions = [
    `r.uuid <= ${parameters.add(job.lastRecordUuid)}::uuid`,
    `(EXISTS (SELECT FROM record_link l WHERE l.record_uuid = r.uuid AND l.adaptor_uuid = ${adaptor}::uuid)
      OR r.expected_content ? ${adaptor}::uuid::text)`,
  ];
  if (job.position !== null) conditions.push(`r.uuid > ${parameters.add(job.position)}::uuid`);
  if (job.domainVersionUuid !== null) {
    conditions.push(`r.domain_version_uuid = ${parameters.add(job.domainVersionUuid)}::uuid`);
  }
  if (job.drUuids !== null) conditions.push(`r.uuid = ANY (${parameters.add(job.drUuids)}::uuid[])`);
  if (job.fromTime !== null) {
    conditions.push(`EXISTS (
      SELECT FROM data_event e WHERE e.record_uuid = r.uuid
        AND e.date_created >= ${parameters.add(job.fromTime)}::timestamptz
        AND e.date_created < ${parameters.add(job.toTime ?? job.dateCreated)}::timestamptz)`);
  }
  if (searched !== undefined) {
    conditions.push(await writeRecordCondition(session, parameters, searched.version, searched.condition));
  }
  return conditions.join(' AND ');
};

/** Counts the records of a job that has not begun. */
export const countRedelivery = async (
  session: Queryable,
  job: Redelivery,
  searched: RedeliverySearch,
): Promise<void> => {
  const parameters = createSqlParameters();
  const where = await writeSelection(session, parameters, job, searched);
  await session.query(
    `UPDATE redelivery SET total = (SELECT count(*) FROM data_record r WHERE ${where})
     WHERE uuid = ${parameters.add(job.uuid)}::uuid AND status = 'RUNNING'`,
    [...parameters.values],
  );
};

/** The next records of a job, in the order of their uuids. */
export const loadRedeliveryPage = async (
  session: Queryable,
  job: Redelivery,
  searched: RedeliverySearch,
  limit: number,
): Promise<readonly RedeliveredRecord[]> => {
  const parameters = createSqlParameters();
  const where = await writeSelection(session, parameters, job, searched);
  const { rows } = await session.query<RedeliveredRecord>({
    text: `SELECT r.uuid, r.domain_version_uuid AS "domainVersionUuid" FROM data_record r
           WHERE ${where} ORDER BY r.uuid LIMIT ${parameters.add(limit)}::int`,
    values: [...parameters.values],
  });
  return rows;
};

/** Adds the result of a page, in the transaction of its messages. @throws JobLost: another process has worked on the page */
export const saveRedeliveryPage = async (
  client: SqlSession,
  job: Redelivery,
  position: string,
  counts: RedeliveryCounts,
): Promise<void> => {
  const { rowCount } = await client.query({
    name: 'records-save-redelivery-page',
    text: `UPDATE redelivery SET position = $3, sent = sent + $4, withheld = withheld + $5, unanswered = unanswered + $6
           WHERE uuid = $1 AND status = 'RUNNING' AND position IS NOT DISTINCT FROM $2::uuid`,
    values: [job.uuid, job.position, position, counts.sent, counts.withheld, counts.unanswered],
  });
  if (rowCount === 0) throw new JobLost();
};

/** Ends a job that runs, and adds the entry in the change log. */
export const finishRedelivery = async (
  client: SqlClient,
  uuid: string,
  {
    status,
    message,
    actorUuid,
  }: { readonly status: 'DONE' | 'FAILED' | 'CANCELLED'; readonly message: string | null; readonly actorUuid?: string },
): Promise<void> => {
  const { rows } = await client.query<Redelivery>(
    `UPDATE redelivery SET status = $2, message = $3, date_finished = clock_timestamp(), owner = NULL, owned_until = NULL
     WHERE uuid = $1 AND status = 'RUNNING' RETURNING ${columns}`,
    [uuid, status, message],
  );
  for (const job of rows) await logRedelivery(client, job, 'PUT', actorUuid);
};

/** Removes the ended jobs of an adaptor that has many later ones. */
export const forgetRedeliveries = async (client: SqlSession, adaptorUuid: string): Promise<void> => {
  await client.query({
    name: 'records-forget-redeliveries',
    text: `DELETE FROM redelivery WHERE adaptor_uuid = $1 AND status <> 'RUNNING' AND uuid <= (
             SELECT uuid FROM redelivery WHERE adaptor_uuid = $1 ORDER BY uuid DESC OFFSET $2 LIMIT 1)`,
    values: [adaptorUuid, keptJobs],
  });
};
