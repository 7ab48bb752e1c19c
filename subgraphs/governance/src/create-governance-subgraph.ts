import { readFileSync } from 'node:fs';
import type { Database } from '@fds/database';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import { aclResolvers } from './resolvers/acl-resolvers.js';
import { callerResolver } from './resolvers/caller-resolver.js';
import { dataAccessRuleResolvers } from './resolvers/data-access-rule-resolvers.js';
import { groupResolvers } from './resolvers/group-resolvers.js';
import { overviewResolvers } from './resolvers/overview-resolvers.js';
import { permissionResolvers } from './resolvers/permission-resolvers.js';
import { roleResolvers } from './resolvers/role-resolvers.js';
import { userResolvers } from './resolvers/user-resolvers.js';
import { createAclStore } from './store/acl-store.js';
import { createRuleStore } from './store/data-access/rule-store.js';
import { createGroupStore } from './store/identity/group-store.js';
import { createPermissionOverviews } from './store/identity/permission-overview.js';
import { createPermissionStore } from './store/identity/permission-store.js';
import { createRoleStore } from './store/identity/role-store.js';
import { createUserStore } from './store/identity/user-store.js';

export interface GovernanceDependencies {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after every commit that changes who may do what: this process is not to go by what was. */
  readonly forgetHolders: () => void;
}

/** Who the caller is; the zones' users, groups, roles, permissions and ACL chains. */
export const createGovernanceSubgraph = (dependencies: GovernanceDependencies): Subgraph => {
  const { database, now, newUuid } = dependencies;
  const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  const acls = aclResolvers(createAclStore({ database, now, newUuid }));
  const resolvers = [
    acls,
    userResolvers(createUserStore(dependencies)),
    groupResolvers(createGroupStore(dependencies)),
    roleResolvers(createRoleStore(dependencies)),
    permissionResolvers(createPermissionStore(dependencies)),
    dataAccessRuleResolvers(createRuleStore(dependencies)),
  ];
  return {
    name: 'governance',
    typeDefs,
    schema: buildSchemaOf(typeDefs, {
      Query: Object.assign(
        { caller: callerResolver(database) },
        ...resolvers.map(({ Query }) => Query),
        overviewResolvers(createPermissionOverviews(database)).Query,
      ),
      Mutation: Object.assign({}, ...resolvers.map(({ Mutation }) => Mutation)),
    }),
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
};
