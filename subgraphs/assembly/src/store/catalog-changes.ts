import type { Queryable } from '@fds/database';

/**
 * Has any version, adaptor, chain, preference or name of a zone been changed above a position of the change log? The state of an
 * adaptor is not among them.
 */
export const hasCatalogChanged = async (session: Queryable, after: bigint): Promise<boolean> => {
  // types of the partial index, and no parameter: otherwise the index is not used
  const { rows } = await session.query<{ changed: boolean }>({
    name: 'assembly-catalog-changes',
    text: `SELECT EXISTS (SELECT FROM change_log WHERE position > $1 AND resource_type IN ('Adaptor', 'AdaptorType', 'Domain',
             'DomainVersion', 'InboundAcl', 'OutboundAcl', 'Preference', 'Zone')) AS changed`,
    values: [after],
  });
  return rows[0]?.changed !== false;
};
