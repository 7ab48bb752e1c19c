import { guarded } from '@fds/graphql';
import type { JsonValue } from '@fds/json';
import type { PlanActions } from '../actions/configuration/plan-actions.js';

/** Resolvers for configuration as documents. */
export const configurationResolvers = ({ plan, apply }: PlanActions) => ({
  Mutation: {
    planConfiguration: guarded<{ readonly documents: JsonValue; readonly prune?: boolean | null }>(
      { mode: 'require', action: 'POST', resource: '/plan' },
      ({ documents, prune }, context) => plan(documents, prune ?? false, context),
    ),
    applyPlan: guarded<{ readonly planUuid: string }>(
      { mode: 'require', action: 'POST', resource: '/plan/{planUuid}/apply' },
      ({ planUuid }, context) => apply(planUuid, context),
    ),
  },
});
