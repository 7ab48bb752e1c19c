import type { Queryable } from '@fds/database';
import { isLiving } from '@fds/owned-tables';

/**
 * Takes the leases that are free, expired or ours already; the fence rises with a change of owner. An adaptor that was
 * deleted has no lease.
 */
export const acquireLeases = async (
  client: Queryable,
  adaptorUuids: readonly string[],
  lease: { readonly owner: string; readonly durationMs: number },
): Promise<Set<string>> => {
  const { rows } = await client.query<{ readonly adaptor_uuid: string }>({
    name: 'records-acquire-leases',
    text: `INSERT INTO relay_lease AS l (adaptor_uuid, owner, expires_at, acquired_at)
           SELECT adaptor_uuid, $2::uuid, clock_timestamp() + $3 * interval '1 millisecond', clock_timestamp()
           FROM unnest($1::uuid[]) AS wanted(adaptor_uuid)
           WHERE EXISTS (SELECT 1 FROM adaptor a WHERE a.uuid = wanted.adaptor_uuid) ORDER BY adaptor_uuid
           ON CONFLICT (adaptor_uuid) DO UPDATE
           SET owner = excluded.owner, expires_at = excluded.expires_at,
               acquired_at = CASE WHEN l.owner = excluded.owner THEN l.acquired_at ELSE clock_timestamp() END,
               fence = CASE WHEN l.owner = excluded.owner THEN l.fence ELSE l.fence + 1 END
           WHERE l.owner = excluded.owner OR l.expires_at <= clock_timestamp()
           RETURNING adaptor_uuid`,
    values: [adaptorUuids, lease.owner, lease.durationMs],
  });
  return new Set(rows.map((row) => row.adaptor_uuid));
};

/** A process that takes a share of the adaptors, and the number of active adaptors that it serves. */
interface LeaseHolder {
  readonly uuid: string;
  readonly held: number;
}

/** The shares of the processes at one moment. */
export interface LeaseState {
  /** In order of their uuid. Empty: no process shows itself. */
  readonly members: readonly LeaseHolder[];
  /** Number of all active adaptors. */
  readonly adaptors: number;
  /** Active adaptors of this process, in order of their uuid. */
  readonly mine: readonly string[];
}

export const loadLeaseState = async (client: Queryable, owner: string): Promise<LeaseState> => {
  const { rows } = await client.query<LeaseState>({
    name: 'records-load-lease-state',
    text: `WITH held AS MATERIALIZED (
             SELECT l.owner, l.adaptor_uuid FROM relay_lease l JOIN adaptor a ON a.uuid = l.adaptor_uuid AND a.active
             WHERE l.expires_at > clock_timestamp()
           )
           SELECT (SELECT count(*)::int FROM adaptor WHERE active) AS adaptors,
                  ARRAY(SELECT adaptor_uuid FROM held WHERE held.owner = $1::uuid ORDER BY adaptor_uuid) AS mine,
                  (SELECT coalesce(json_agg(json_build_object('uuid', p.uuid, 'held',
                                              (SELECT count(*) FROM held WHERE held.owner = p.uuid)) ORDER BY p.uuid), '[]')
                   FROM server_process p WHERE p.takes_leases AND ${isLiving('p')}) AS members`,
    values: [owner],
  });
  return rows[0] ?? { members: [], adaptors: 0, mine: [] };
};

/** An adaptor without a living owner. */
export interface FreeAdaptor {
  readonly adaptorUuid: string;
  /** Did a process serve it before? */
  readonly served: boolean;
}

/** Active adaptors without a living owner, those of dead processes first. */
export const loadFreeAdaptors = async (client: Queryable, limit: number): Promise<FreeAdaptor[]> => {
  const { rows } = await client.query<FreeAdaptor>({
    name: 'records-load-free-adaptors',
    text: `SELECT a.uuid AS "adaptorUuid", l.adaptor_uuid IS NOT NULL AS served
           FROM adaptor a LEFT JOIN relay_lease l ON l.adaptor_uuid = a.uuid
           WHERE a.active AND (l.adaptor_uuid IS NULL OR l.expires_at <= clock_timestamp())
           ORDER BY l.adaptor_uuid IS NULL, a.uuid LIMIT $1`,
    values: [limit],
  });
  return rows;
};

/** Gives leases of the owner to another process. */
export const giveLeases = async (
  client: Queryable,
  adaptorUuids: readonly string[],
  { from, to, durationMs }: { readonly from: string; readonly to: string; readonly durationMs: number },
): Promise<void> => {
  await client.query({
    name: 'records-give-leases',
    text: `UPDATE relay_lease
           SET owner = $3, fence = fence + 1, acquired_at = clock_timestamp(),
               expires_at = clock_timestamp() + $4 * interval '1 millisecond'
           WHERE adaptor_uuid = ANY($1::uuid[]) AND owner = $2`,
    values: [adaptorUuids, from, to, durationMs],
  });
};

/** Lets go of everything that the owner holds, so that another process need not wait for the end of the lease. */
export const releaseLeases = async (client: Queryable, owner: string): Promise<void> => {
  await client.query('UPDATE relay_lease SET expires_at = clock_timestamp() WHERE owner = $1', [owner]);
};
