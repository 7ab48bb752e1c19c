import type { ReconciliationReading } from '@fds/change-events';
import type { Queryable } from '@fds/database';

/** A reconciliation that has ended is read for so long, so that no reader misses its end. */
const endedSeconds = 3;

/** The reconciliations that run, and those that have ended a moment ago. */
export const loadReconciliations = async (session: Queryable): Promise<readonly ReconciliationReading[]> => {
  const { rows } = await session.query<ReconciliationReading>({
    name: 'notifications-load-reconciliations',
    text: `SELECT uuid AS "reconciliationUuid", zone_uuid AS "zoneUuid", adaptor_uuid AS "adaptorUuid",
             domain_version_uuid AS "domainVersionUuid", status, preview,
             CASE WHEN status = 'DONE' OR total = 0 THEN 1 ELSE least(1, scanned::float8 / total) END AS progress,
             equal + differing + lacked_here + lacked_there + unreadable AS examined, equal, differing,
             lacked_here AS "missingHere", lacked_there AS "missingThere", unreadable, sent, message
           FROM reconciliation
           WHERE status = 'RUNNING' OR date_finished > clock_timestamp() - $1 * interval '1 second' ORDER BY uuid`,
    values: [endedSeconds],
  });
  return rows;
};
