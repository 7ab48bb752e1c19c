import type { LoggedChange, SqlSession } from '@fds/database';

/** A change of data that routing depends on. */
export type CatalogChange = Pick<LoggedChange, 'position' | 'action' | 'resourceType' | 'resourceUuid'>;

interface ChangeRow {
  readonly position: bigint;
  readonly action: CatalogChange['action'];
  readonly resource_type: string;
  readonly resource_uuid: string | null;
}

/**
 * Changes above a position that are committed now, of domains, versions, adaptors (not of their states) and chains. One
 * below the highest may still appear, when the transaction that took the position earlier commits.
 */
export const loadCatalogChanges = async (
  client: Pick<SqlSession, 'query'>,
  after: bigint,
): Promise<readonly CatalogChange[]> => {
  // types of the partial index, and no parameter: otherwise the index is not used
  const { rows } = await client.query<ChangeRow>({
    name: 'records-load-catalog-changes',
    text: `SELECT position, action, resource_type, resource_uuid FROM change_log
           WHERE position > $1 AND resource_type IN ('Adaptor', 'AdaptorType', 'Domain', 'DomainVersion', 'InboundAcl',
             'OperationalAcl', 'OutboundAcl')`,
    values: [after],
  });
  return rows.map(({ position, action, resource_type: resourceType, resource_uuid: resourceUuid }) => ({
    position,
    action,
    resourceType,
    ...(resourceUuid === null ? {} : { resourceUuid }),
  }));
};
