import { logChanges, type Database } from '@fds/database';

/** Logs a change of the catalog, as the owners of its tables do in the transaction of each change. */
export const logCatalogChange = (
  { pool }: Pick<Database, 'pool'>,
  resourceType: 'Adaptor' | 'InboundAcl' | 'OutboundAcl' | 'Preference' | 'Zone',
): Promise<void> => logChanges(pool, [{ action: 'PUT', resourceType, resource: '/changed' }]);
