import { readFileSync } from 'node:fs';
import type { Principal } from '@fds/auth';
import type { Database } from '@fds/database';
import type { Endpoints } from '@fds/permissions';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import { callerResolver } from './resolvers/caller-resolver.js';
import { changeLogResolvers } from './resolvers/change-log-resolvers.js';
import { dataAccessRuleResolvers } from './resolvers/data-access-rule-resolvers.js';
import { groupResolvers } from './resolvers/group-resolvers.js';
import { operationalAclResolvers } from './resolvers/operational-acl-resolvers.js';
import { overviewResolvers } from './resolvers/overview-resolvers.js';
import { permissionResolvers } from './resolvers/permission-resolvers.js';
import { roleResolvers } from './resolvers/role-resolvers.js';
import { userResolvers } from './resolvers/user-resolvers.js';
import { zoneAclResolvers } from './resolvers/zone-acl-resolvers.js';
import { createAclMetrics } from './store/acls/acl-metrics.js';
import { createAttachedRecords } from './store/acls/attached-records.js';
import { createOperationalAclStore } from './store/acls/operational-acl-store.js';
import { createZoneAclStore } from './store/acls/zone-acl-store.js';
import { createChangeLogStore } from './store/change-log/change-log-store.js';
import { createRuleStore } from './store/data-access/rule-store.js';
import type { ForgetPerson } from './store/identity/identity-tools.js';
import { createGroupStore } from './store/identity/groups/group-store.js';
import { createPermissionOverviews } from './store/identity/permissions/permission-overview.js';
import { createPermissionStore } from './store/identity/permissions/permission-store.js';
import { createRoleStore } from './store/identity/roles/role-store.js';
import { createUserStore } from './store/identity/users/user-store.js';

export interface GovernanceDependencies {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after every commit that changes permissions, because this process must not use cached values. */
  readonly forgetHolders: () => void;
  /** Called in the transaction that removes a person. */
  readonly forgetPerson: readonly ForgetPerson[];
  /** The endpoints of the API. A pattern gives access to those that it matches. */
  readonly endpoints: Endpoints;
  /** Whether an external provider signs people in. */
  readonly hasProvider: boolean;
  /**
   * Hashes a secret that the caller sets. Its queue is bounded and shared with all hashes of the process. @throws
   * AppError RATE_LIMITED
   */
  readonly hashSecret: (secret: string, caller: Principal) => Promise<string>;
}

/** Identifies the caller, and stores users, groups, roles, permissions and ACL chains of the zones. */
export const createGovernanceSubgraph = (dependencies: GovernanceDependencies): Subgraph => {
  const { database } = dependencies;
  const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  const resolvers = [
    zoneAclResolvers(createZoneAclStore(dependencies), createAttachedRecords(dependencies)),
    operationalAclResolvers(createOperationalAclStore(dependencies), createAclMetrics(database)),
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
        changeLogResolvers(createChangeLogStore(dependencies)).Query,
      ),
      Mutation: Object.assign({}, ...resolvers.map(({ Mutation }) => Mutation)),
    }),
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
};
