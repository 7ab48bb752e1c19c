import type { Database } from '@fds/database';
import { guarded, requirePage } from '@fds/graphql';
import { listCapableAdaptors, type CapableAdaptorFilter } from '../actions/adaptors/capable-adaptor-list.js';

type Arguments = CapableAdaptorFilter & { readonly page?: number | null; readonly size?: number | null };

export const capableAdaptorResolvers = (database: Database) => ({
  Query: {
    capableAdaptors: guarded<Arguments>(
      { mode: 'require', action: 'GET', resource: '/zones/{zoneUuid}/capable-adaptors/{domainVersionUuid}' },
      (args) => listCapableAdaptors(database, args, requirePage(args)),
    ),
  },
});
