import { logChanges, type SqlClient, type SqlSession } from '@fds/database';
import type { ReconciliationCounts, ReconciliationStatus } from './reconciliation.js';
import { findReconciliation, shownReconciliation } from './reconciliation.js';

/** The process that works on a job, and for how long it may be silent. */
export interface JobOwner {
  readonly instanceUuid: string;
  readonly durationMs: number;
}

/** Ended jobs of an adaptor that are kept; those of reconciliations for each version. */
export const keptJobs = 100;

/** Takes jobs that no process works on, the oldest first. */
export const claimJobs = async (client: SqlSession, owner: JobOwner, limit: number): Promise<readonly string[]> => {
  if (limit <= 0) return [];
  const { rows } = await client.query<{ readonly uuid: string }>({
    name: 'records-claim-reconciliations',
    text: `UPDATE reconciliation SET owner = $1, owned_until = clock_timestamp() + $2 * interval '1 millisecond'
           WHERE uuid IN (
             SELECT uuid FROM reconciliation
             WHERE status = 'RUNNING' AND (owned_until IS NULL OR owned_until <= clock_timestamp())
             ORDER BY uuid LIMIT $3 FOR UPDATE SKIP LOCKED)
           RETURNING uuid`,
    values: [owner.instanceUuid, owner.durationMs, limit],
  });
  return rows.map(({ uuid }) => uuid);
};

/** Shows that the process still works on its jobs. */
export const renewJobs = async (client: SqlSession, owner: JobOwner): Promise<void> => {
  await client.query({
    name: 'records-renew-reconciliations',
    text: `UPDATE reconciliation SET owned_until = clock_timestamp() + $2 * interval '1 millisecond'
           WHERE owner = $1 AND status = 'RUNNING'`,
    values: [owner.instanceUuid, owner.durationMs],
  });
};

/** Lets other processes take the jobs of this one at once. */
export const releaseJobs = async (client: SqlSession, instanceUuid: string): Promise<void> => {
  await client.query({
    name: 'records-release-reconciliations',
    text: `UPDATE reconciliation SET owned_until = NULL WHERE owner = $1 AND status = 'RUNNING'`,
    values: [instanceUuid],
  });
};

/** Logs a job as it is stored now. */
export const logJob = async (
  client: SqlSession,
  uuid: string,
  action: 'POST' | 'PUT' | 'DELETE',
  actorUuid?: string,
): Promise<void> => {
  const job = await findReconciliation(client, uuid);
  if (job === undefined) return;
  await logChanges(client, [
    {
      action,
      resourceType: 'Reconciliation',
      resource: `/zones/${job.zoneUuid}/adaptors/${job.adaptorUuid}/reconciliations/${uuid}`,
      resourceUuid: uuid,
      zoneUuid: job.zoneUuid,
      ...(actorUuid === undefined ? {} : { actorUuid }),
      data: shownReconciliation(job),
    },
  ]);
};

/** Ends a job that runs. @returns false: it does not run */
export const finishJob = async (
  client: SqlClient,
  uuid: string,
  end: {
    readonly status: Exclude<ReconciliationStatus, 'RUNNING'>;
    readonly message: string | null;
    readonly actorUuid?: string;
  },
): Promise<boolean> => {
  const { rowCount } = await client.query(
    `UPDATE reconciliation SET status = $2, message = $3, date_finished = clock_timestamp(), owner = NULL, owned_until = NULL
     WHERE uuid = $1 AND status = 'RUNNING'`,
    [uuid, end.status, end.message],
  );
  if (rowCount === 0) return false;
  await logJob(client, uuid, 'PUT', end.actorUuid);
  return true;
};

/** The smallest uuid of version 7 of a moment. */
const uuidFrom = (epochMs: number): string => {
  const digits = Math.max(0, Math.floor(epochMs)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7000-8000-000000000000`;
};

/** Were events committed since a moment that are not those of the job? The uuids of events begin with their time. */
export const hasOtherEvents = async (session: SqlSession, jobUuid: string, sinceMs: number): Promise<boolean> => {
  const { rows } = await session.query<{ readonly found: boolean }>({
    name: 'records-find-events-beside-reconciliation',
    text: `SELECT EXISTS (SELECT FROM data_event WHERE uuid >= $2 AND transaction_uuid <> $1) AS found`,
    values: [jobUuid, uuidFrom(sinceMs)],
  });
  return rows[0]?.found === true;
};

/** The result of a page of records. */
export interface PageResult {
  readonly uuid: string;
  readonly instanceUuid: string;
  /** The last record before the page. */
  readonly from: string | null;
  /** The last record of the page. */
  readonly position: string;
  readonly scanned: number;
  readonly counts: ReconciliationCounts;
  readonly denied: number;
  readonly byProperty: Readonly<Record<string, number>>;
  readonly unread: Readonly<Record<string, string>>;
}

/** The job was cancelled, or another process works on it. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}

/**
 * Adds the result of a page to a job, in the transaction of its effects. A page counts once: the job has to stand where the
 * page begins.
 *
 * @throws JobLost
 */
export const savePage = async (client: SqlSession, page: PageResult): Promise<void> => {
  const { counts } = page;
  const { rowCount } = await client.query({
    name: 'records-save-reconciliation-page',
    text: `UPDATE reconciliation r
           SET position = $4, scanned = scanned + $5, equal = equal + $6, differing = differing + $7,
               lacked_here = lacked_here + $8, lacked_there = lacked_there + $9, unreadable = unreadable + $10,
               sent = sent + $11, denied = denied + $12, unread = unread || $14::jsonb,
               by_property = (
                 SELECT coalesce(jsonb_object_agg(n.name, n.total), '{}') FROM (
                   SELECT e.key AS name, sum(e.value::bigint) AS total
                   FROM (SELECT * FROM jsonb_each_text(r.by_property) UNION ALL SELECT * FROM jsonb_each_text($13::jsonb)) e
                   GROUP BY e.key) n)
           WHERE uuid = $1 AND status = 'RUNNING' AND owner = $2 AND position IS NOT DISTINCT FROM $3::uuid`,
    values: [
      page.uuid,
      page.instanceUuid,
      page.from,
      page.position,
      page.scanned,
      counts.equal,
      counts.differing,
      counts.missingHere,
      counts.missingThere,
      counts.unreadable,
      counts.sent,
      page.denied,
      JSON.stringify(page.byProperty),
      JSON.stringify(page.unread),
    ],
  });
  if (rowCount === 0) throw new JobLost();
};
