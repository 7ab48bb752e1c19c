import type { GraphqlRoute } from '../../route.js';

const change = `
  fragment Change on PlannedChange { action kind name uuid before after changeVersion }`;

const common = { kind: 'graphql', tag: 'Configuration', method: 'POST', status: 200 } as const;

/** Configuration as documents: plans, and their application. */
export const configurationRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    path: '/plan',
    operationId: 'planConfiguration',
    summary:
      'Show the changes that documents of configuration would make; with prune, resources that they leave out are deleted',
    query: { parameters: { prune: 'prune' } },
    body: { kind: 'members', variables: ['documents'] },
    takesDocuments: true,
    document: `
      mutation planConfiguration($documents: Json!, $prune: Boolean) {
        result: planConfiguration(documents: $documents, prune: $prune) {
          planUuid changes { ...Change } faults { pointer code detail }
          access { subject { kind name uuid } gains { domainVersion property actions } loses { domainVersion property actions } }
          rehearsal
        }
      } ${change}`,
  },
  {
    ...common,
    path: '/plan/{planUuid}/apply',
    operationId: 'applyPlan',
    summary: 'Apply a plan of the caller, in one transaction',
    showsSecrets: true,
    document: `
      mutation applyPlan($planUuid: Uuid!) {
        result: applyPlan(planUuid: $planUuid) {
          planUuid changes { ...Change } clients { kind name clientId clientSecret }
        }
      } ${change}`,
  },
];
