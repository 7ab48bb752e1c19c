import type { Queryable } from '@fds/database';

/**
 * Has a version, adaptor, chain, preference or name of a zone been changed after a position of the change log? The
 * states of adaptors do not count.
 */
export const hasCatalogChanged = async (session: Queryable, after: bigint): Promise<boolean> => {
  // the types of the partial index, without a parameter; otherwise the index is not used
  const { rows } = await session.query<{ changed: boolean }>({
    name: 'assembly-catalog-changes',
    text: `SELECT EXISTS (SELECT FROM change_log WHERE position > $1 AND resource_type IN ('Adaptor', 'AdaptorType', 'Domain',
             'DomainVersion', 'InboundAcl', 'OutboundAcl', 'Preference', 'Zone')) AS changed`,
    values: [after],
  });
  return rows[0]?.changed !== false;
};
