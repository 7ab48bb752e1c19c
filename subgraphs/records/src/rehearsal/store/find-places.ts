import type { Queryable } from '@fds/database';

/** Those of some uuids that are zones or domains. */
export const findPlaces = async (session: Queryable, uuids: readonly string[]): Promise<ReadonlySet<string>> => {
  if (uuids.length === 0) return new Set();
  const { rows } = await session.query<{ readonly uuid: string }>({
    name: 'records-find-places',
    text: `SELECT uuid FROM zone WHERE uuid = ANY ($1::uuid[])
           UNION ALL SELECT uuid FROM domain WHERE uuid = ANY ($1::uuid[])`,
    values: [uuids],
  });
  return new Set(rows.map(({ uuid }) => uuid));
};
