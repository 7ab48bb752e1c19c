import { guarded } from '@fds/graphql';
import { hiddenTypes } from '../domain/change-log/hidden-types.js';
import { readChangeQuery, type ChangeLogArguments } from '../domain/change-log/read-change-query.js';
import type { ChangeLogActions } from '../actions/change-log/change-log-actions.js';

/** Resolvers for changes and refused accesses of the deployment or of one zone. */
export const changeLogResolvers = (actions: ChangeLogActions) => ({
  Query: {
    changeLog: guarded<ChangeLogArguments>(
      { mode: 'require', action: 'GET', resource: '/change-log', narrower: ['/zones/{zoneUuid}/change-log'] },
      async (args, { principal, signal }) => {
        const query = readChangeQuery(args);
        const { changes, ...position } = await actions.list(query, hiddenTypes(principal, query.filter.zoneUuid), {
          key: principal.uuid,
          ...(signal === undefined ? {} : { signal }),
        });
        return { ...position, changes: changes.map(({ resourceType: type, ...change }) => ({ type, ...change })) };
      },
    ),
  },
});
