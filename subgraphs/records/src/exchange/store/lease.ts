import type { Queryable } from '@fds/database';

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

/** Adaptors whose owner has not renewed its lease. */
export const loadExpiredLeases = async (client: Queryable): Promise<string[]> => {
  const { rows } = await client.query<{ readonly adaptor_uuid: string }>({
    name: 'records-load-expired-leases',
    text: 'SELECT adaptor_uuid FROM relay_lease WHERE expires_at <= clock_timestamp()',
  });
  return rows.map((row) => row.adaptor_uuid);
};

/** Lets go of everything that the owner holds, so that another process need not wait for the end of the lease. */
export const releaseLeases = async (client: Queryable, owner: string): Promise<void> => {
  await client.query('UPDATE relay_lease SET expires_at = clock_timestamp() WHERE owner = $1', [owner]);
};
