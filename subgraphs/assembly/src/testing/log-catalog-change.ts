import { logChanges, type Database } from '@fds/database';

/** Logs a change of the catalog in the way in which the owners of its tables do. */
export const logCatalogChange = (
  { pool }: Pick<Database, 'pool'>,
  resourceType: 'Adaptor' | 'InboundAcl' | 'OutboundAcl' | 'Preference' | 'Zone',
): Promise<void> => logChanges(pool, [{ action: 'PUT', resourceType, resource: '/changed' }]);
