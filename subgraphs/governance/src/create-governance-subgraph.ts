import { readFileSync } from 'node:fs';
import type { Database } from '@fds/database';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import { aclResolvers } from './resolvers/acl-resolvers.js';
import { callerResolver } from './resolvers/caller-resolver.js';
import { createAclStore } from './store/acl-store.js';

export interface GovernanceDependencies {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
}

/** Who the caller is, and the zones' ACL chains. */
export const createGovernanceSubgraph = ({ database, now, newUuid }: GovernanceDependencies): Subgraph => {
  const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  const acls = aclResolvers(createAclStore({ database, now, newUuid }));
  return {
    name: 'governance',
    typeDefs,
    schema: buildSchemaOf(typeDefs, {
      Query: { caller: callerResolver(database), ...acls.Query },
      Mutation: acls.Mutation,
    }),
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
};
