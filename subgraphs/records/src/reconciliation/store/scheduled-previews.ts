import { binaryArray, type SqlSession } from '@fds/database';
import type { LastReconciliation, ScheduledPair } from '../domain/due-previews.js';
import type { ReconciliationPolicy } from '../domain/plan-effects.js';

/** The schedule of a zone. */
export interface ZoneSchedule {
  readonly zoneUuid: string;
  readonly everyHours: number;
  readonly policy: Omit<ReconciliationPolicy, 'preview'>;
}

/** Advisory lock of the schedule: a process sees the jobs that another one started before it looks. */
const scheduleLock = 72_707_375n;

/** @returns false: another process looks at the schedule at this moment */
export const lockSchedule = async (client: SqlSession): Promise<boolean> => {
  const { rows } = await client.query<{ readonly locked: boolean }>({
    name: 'records-lock-schedule',
    text: 'SELECT pg_try_advisory_xact_lock($1) AS locked',
    values: [scheduleLock],
  });
  return rows[0]?.locked === true;
};

/** Schedules of active zones. */
export const loadSchedules = async (client: SqlSession): Promise<readonly ZoneSchedule[]> => {
  const { rows } = await client.query<{ readonly uuid: string; readonly reconcile: Omit<ZoneSchedule, 'zoneUuid'> }>({
    name: 'records-load-schedules',
    text: 'SELECT uuid, reconcile::jsonb AS reconcile FROM zone WHERE reconcile IS NOT NULL AND active',
    values: [],
  });
  return rows.map(({ uuid, reconcile }) => ({ ...reconcile, zoneUuid: uuid }));
};

/** The number of jobs that the schedule started and that run. */
export const countScheduled = async (client: SqlSession): Promise<number> => {
  const { rows } = await client.query<{ readonly running: number }>({
    name: 'records-count-scheduled',
    text: `SELECT count(*)::int AS running FROM reconciliation WHERE status = 'RUNNING' AND started_by_uuid IS NULL`,
    values: [],
  });
  return rows[0]?.running ?? 0;
};

/** For each pair, a job that runs; otherwise the last one that compared all records and properties. */
export const loadLastReconciliations = async (
  client: SqlSession,
  pairs: readonly ScheduledPair[],
): Promise<readonly LastReconciliation[]> => {
  const { rows } = await client.query<LastReconciliation>({
    name: 'records-load-last-reconciliations',
    text: `SELECT n.adaptor_uuid AS "adaptorUuid", n.version_uuid AS "domainVersionUuid", l.status,
                  extract(epoch FROM l.date_created)::float8 * 1000 AS "startedAtMs"
           FROM unnest($1::uuid[], $2::uuid[]) AS n(adaptor_uuid, version_uuid)
           CROSS JOIN LATERAL (
             SELECT r.status, r.date_created FROM reconciliation r
             WHERE r.adaptor_uuid = n.adaptor_uuid AND r.domain_version_uuid = n.version_uuid
               AND (r.status = 'RUNNING' OR (r.properties IS NULL AND r.query IS NULL))
             ORDER BY r.status = 'RUNNING' DESC, r.uuid DESC LIMIT 1) l`,
    values: [
      binaryArray.uuid(pairs.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(pairs.map(({ domainVersionUuid }) => domainVersionUuid)),
    ],
  });
  return rows;
};
