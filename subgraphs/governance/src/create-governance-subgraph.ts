import { readFileSync } from 'node:fs';
import type { Principal, Sealer } from '@fds/auth';
import type { Database } from '@fds/database';
import type { Endpoints } from '@fds/access-rules';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import { callerResolver } from './resolvers/caller-resolver.js';
import { configurationResolvers } from './resolvers/configuration-resolvers.js';
import { changeLogResolvers } from './resolvers/change-log-resolvers.js';
import { dataAccessRuleResolvers } from './resolvers/data-access-rule-resolvers.js';
import { groupResolvers } from './resolvers/group-resolvers.js';
import { operationalAclResolvers } from './resolvers/operational-acl-resolvers.js';
import { overviewResolvers } from './resolvers/overview-resolvers.js';
import { permissionResolvers } from './resolvers/permission-resolvers.js';
import { processResolvers } from './resolvers/process-resolvers.js';
import { roleResolvers } from './resolvers/role-resolvers.js';
import { userResolvers } from './resolvers/user-resolvers.js';
import { zoneAclResolvers } from './resolvers/zone-acl-resolvers.js';
import { createAclMetrics } from './actions/acls/acl-metrics.js';
import { createAttachedRecords } from './actions/acls/attached-records.js';
import { createOperationalAclActions } from './actions/acls/operational-acl-actions.js';
import { createZoneAclActions } from './actions/acls/zone-acl-actions.js';
import { createChangeLogActions } from './actions/change-log/change-log-actions.js';
import { createPlanActions, type CarryOut } from './actions/configuration/plan-actions.js';
import { createRuleActions } from './actions/data-access/rule-actions.js';
import type { ForgetPerson } from './actions/identity/identity-tools.js';
import { createGroupActions } from './actions/identity/groups/group-actions.js';
import { createPermissionOverviews } from './actions/identity/permissions/permission-overview.js';
import { createPermissionActions } from './actions/identity/permissions/permission-actions.js';
import { createRoleActions } from './actions/identity/roles/role-actions.js';
import { createUserActions } from './actions/identity/users/user-actions.js';

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
  /** Seals documents of plans. */
  readonly sealer: Sealer;
  /** Carries out documents of configuration. */
  readonly carryOut: CarryOut;
  /** Lifetime of a plan. */
  readonly planMinutes: number;
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
    zoneAclResolvers(createZoneAclActions(dependencies), createAttachedRecords(dependencies)),
    operationalAclResolvers(createOperationalAclActions(dependencies), createAclMetrics(database)),
    userResolvers(createUserActions(dependencies)),
    groupResolvers(createGroupActions(dependencies)),
    roleResolvers(createRoleActions(dependencies)),
    permissionResolvers(createPermissionActions(dependencies)),
    dataAccessRuleResolvers(createRuleActions(dependencies)),
  ];
  const configuration = configurationResolvers(createPlanActions(dependencies));
  return {
    name: 'governance',
    typeDefs,
    schema: buildSchemaOf(typeDefs, {
      Query: Object.assign(
        { caller: callerResolver(database) },
        ...resolvers.map(({ Query }) => Query),
        overviewResolvers(createPermissionOverviews(database)).Query,
        changeLogResolvers(createChangeLogActions(dependencies)).Query,
        processResolvers(database).Query,
      ),
      Mutation: Object.assign({}, ...resolvers.map(({ Mutation }) => Mutation), configuration.Mutation),
    }),
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
};
