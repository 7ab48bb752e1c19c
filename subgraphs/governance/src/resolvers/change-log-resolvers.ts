import type { StatementCaller } from '@fds/database';
import { guarded, type FieldAccess, type RequestContext } from '@fds/graphql';
import { hiddenTypes } from '../domain/change-log/hidden-types.js';
import {
  readChangeQuery,
  readProofQuery,
  type ChangeLogArguments,
  type ProofArguments,
} from '../domain/change-log/read-change-query.js';
import type { ChangeLogActions } from '../actions/change-log/change-log-actions.js';

const access: FieldAccess = {
  mode: 'require',
  action: 'GET',
  resource: '/change-log',
  narrower: ['/zones/{zoneUuid}/change-log'],
};

const callerOf = ({ principal, signal }: RequestContext): StatementCaller => ({
  key: principal.uuid,
  ...(signal === undefined ? {} : { signal }),
});

/** Resolvers for changes and refused accesses of the deployment or of one zone, and for their proof. */
export const changeLogResolvers = (actions: ChangeLogActions) => ({
  Query: {
    changeLog: guarded<ChangeLogArguments>(access, async (args, context) => {
      const query = readChangeQuery(args);
      const hidden = hiddenTypes(context.principal, query.filter.zoneUuid);
      const { changes, ...position } = await actions.list(query, hidden, callerOf(context));
      return { ...position, changes: changes.map(({ resourceType: type, ...change }) => ({ type, ...change })) };
    }),
    changeLogLines: guarded<ChangeLogArguments>(access, (args, context) => {
      const query = readChangeQuery(args);
      return actions.lines(query, hiddenTypes(context.principal, query.filter.zoneUuid), callerOf(context));
    }),
    changeLogProof: guarded<ProofArguments>(
      { mode: 'require', action: 'GET', resource: '/change-log/proof' },
      async (args, context) => {
        const proof = await actions.prove(readProofQuery(args), callerOf(context));
        return { ...proof, algorithm: 'SHA-256', intact: proof.pages.every(({ state }) => state !== 'BROKEN') };
      },
    ),
  },
});
