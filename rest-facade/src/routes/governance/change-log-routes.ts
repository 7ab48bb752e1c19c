import type { GraphqlRoute } from '../../route.js';

const routeAt = (path: string, operationId: string, words: string, zone: boolean): GraphqlRoute => {
  const document = (field: string, selection: string): string => `
    query ${operationId}(
      ${zone ? '$zoneUuid: Uuid!, ' : ''}$types: [String!], $actions: [ChangeAction!], $resource: String, $actorUuid: Uuid,
      $from: DateTime, $to: DateTime, $order: ChangeLogOrder, $after: Long, $size: Int
    ) {
      result: ${field}(
        ${zone ? 'zoneUuid: $zoneUuid, ' : ''}types: $types, actions: $actions, resource: $resource, actorUuid: $actorUuid,
        from: $from, to: $to, order: $order, after: $after, size: $size
      ) {
        ${selection}
        cursor more
      }
    }`;
  return {
    kind: 'graphql',
    tag: 'Change log',
    method: 'GET',
    path,
    operationId,
    summary: `List the changes, refused accesses and sign-ins of ${words}, newest first by default; as application/x-ndjson, export them`,
    query: {
      filters: { type: 'types', action: 'actions', resource: 'resource', actor: 'actorUuid', from: 'from', to: 'to' },
      parameters: { after: 'after', size: 'size', order: 'order' },
    },
    status: 200,
    momentary: true,
    document: document(
      'changeLog',
      'changes { position dateCreated action resource type resourceUuid zoneUuid actorUuid data }',
    ),
    lines: { document: document('changeLogLines', 'lines'), list: 'changes' },
  };
};

const proofRoute: GraphqlRoute = {
  kind: 'graphql',
  tag: 'Change log',
  method: 'GET',
  path: '/change-log/proof',
  operationId: 'proveChangeLog',
  summary: 'Compare the change log with the chain of hashes over its pages',
  query: { parameters: { after: 'after', size: 'size' } },
  status: 200,
  momentary: true,
  document: `
    query proveChangeLog($after: Long, $size: Int) {
      result: changeLogProof(after: $after, size: $size) {
        algorithm intact
        pages {
          page firstPosition lastPosition entries removed redacted previousHash hash dateSealed state
          faults { kind position }
          digests { position digest }
        }
        cursor more
      }
    }`,
};

/** Changes, refused accesses and sign-ins: all of them, or those of one zone; and their proof. */
export const changeLogRoutes: readonly GraphqlRoute[] = [
  routeAt('/change-log', 'listChanges', 'the deployment', false),
  proofRoute,
  routeAt('/zones/{zoneUuid}/change-log', 'listZoneChanges', 'a zone', true),
];
