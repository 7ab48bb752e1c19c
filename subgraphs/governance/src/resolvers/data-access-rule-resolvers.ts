import { guarded, requirePage } from '@fds/graphql';
import { FaultList, type GivenChangeVersion } from '@fds/errors';
import type { DataAccessRuleInput } from '../domain/data-access/rule.js';
import type { RuleKey, RuleActions } from '../actions/data-access/rule-actions.js';
import type { RoleKey } from '../actions/identity/roles/role-actions.js';

interface ListArguments extends RoleKey {
  readonly page?: number | null;
  readonly size?: number | null;
}

type ListInput = RoleKey & { readonly inputs: readonly DataAccessRuleInput[] };
type WriteArguments = RuleKey & { readonly input: DataAccessRuleInput };

const all = '/zones/{zoneUuid}/roles/{roleUuid}/data-access-rules';
const one = `${all}/{ruleUuid}`;

/** Resolvers for data access rules of the roles of a zone. */
export const dataAccessRuleResolvers = (actions: RuleActions) => ({
  Query: {
    dataAccessRules: guarded<ListArguments>(
      { mode: 'require', action: 'GET', resource: all },
      ({ page, size, ...key }) => actions.list(key, requirePage({ page, size })),
    ),
    dataAccessRule: guarded<RuleKey>({ mode: 'require', action: 'GET', resource: one }, (key) => actions.read(key)),
  },
  Mutation: {
    createDataAccessRules: guarded<ListInput>(
      { mode: 'require', action: 'POST', resource: all },
      ({ inputs, ...key }, { principal, purpose }) => actions.add(key, inputs, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceDataAccessRules: guarded<ListInput>(
      { mode: 'require', action: 'PUT', resource: all },
      ({ inputs, ...key }, { principal, purpose }) =>
        actions.replaceAll(key, inputs, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceDataAccessRule: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.replace(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchDataAccessRule: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.patch(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deleteDataAccessRule: guarded<RuleKey & { readonly changeVersion?: GivenChangeVersion }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ changeVersion, ...key }, { principal }) => {
        await actions.remove(key, changeVersion, principal);
        return true;
      },
    ),
  },
});
