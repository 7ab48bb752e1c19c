import type { GraphqlRoute } from '../../route.js';

const common = { kind: 'graphql', tag: 'Governance' } as const;

const metrics = `
  fragment Metrics on AclChainMetrics {
    acls { ...Metric } defaultPolicy { ...Metric }
  }
  fragment Metric on AclMetric { aclUuid position allowed denied lastMatched }`;

/** Metrics of chains, and the dry-run of a change. */
export const governanceRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: '/zones/{zoneUuid}/acls/metrics',
    operationId: 'getZoneAclMetrics',
    summary: 'How often each entry of the chains of a zone decided, and their default policies',
    status: 200,
    document: `
      query getZoneAclMetrics($zoneUuid: Uuid!) {
        result: zoneAclMetrics(zoneUuid: $zoneUuid) { inbound { ...Metrics } outbound { ...Metrics } }
      } ${metrics}`,
  },
  {
    ...common,
    method: 'GET',
    path: '/operational-acls/metrics',
    operationId: 'getOperationalAclMetrics',
    summary: 'How often each entry of the operational chain decided, and its default policy',
    status: 200,
    document: `
      query getOperationalAclMetrics { result: operationalAclMetrics { ...Metrics } } ${metrics}`,
  },
  {
    ...common,
    method: 'POST',
    path: '/zones/{zoneUuid}/acls/dry-run',
    operationId: 'dryRunAcls',
    summary:
      'Show the messages that a data change would cause, and the entries that would decide on them; writes and sends nothing',
    body: { kind: 'object', variable: 'input' },
    status: 200,
    document: `
      query dryRunAcls($zoneUuid: Uuid!, $input: AclDryRunInput!) {
        result: aclDryRun(zoneUuid: $zoneUuid, input: $input) {
          action drUuid matchStatus
          messages { destinationZoneUuid destinationAdaptorUuid action jsonData removedProperties }
          denied { destinationAdaptorUuid aclUuid chain }
          acls { chain aclUuid position destinationAdaptorUuid result properties }
        }
      }`,
  },
  {
    ...common,
    method: 'POST',
    path: '/zones/{zoneUuid}/acls/rehearsal',
    permission: { action: 'POST', path: '/zones/{zoneUuid}/acls/dry-run' },
    operationId: 'rehearseAcls',
    summary: 'Compare the results of recorded events with those of other chains; writes and sends nothing',
    body: { kind: 'object', variable: 'input' },
    status: 200,
    document: `
      query rehearseAcls($zoneUuid: Uuid!, $input: AclRehearsalInput!) {
        result: aclRehearsal(zoneUuid: $zoneUuid, input: $input) {
          examined unchanged changed
          differences {
            dataEventUuid drUuid drKey destinationAdaptorUuid
            before { ...Decision } after { ...Decision }
          }
          byAdaptor { adaptorUuid gains loses }
          byProperty { property gains loses }
          matching { dataEventUuid before { ...Match } after { ...Match } }
        }
      }
      fragment Decision on RehearsalDecision { status action removedProperties }
      fragment Match on RehearsalMatch { matchStatus drUuid }`,
  },
];
