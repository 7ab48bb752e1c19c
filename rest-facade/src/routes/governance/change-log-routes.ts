import type { GraphqlRoute } from '../../route.js';

const routeAt = (path: string, operationId: string, words: string, zone: boolean): GraphqlRoute => ({
  kind: 'graphql',
  tag: 'Change log',
  method: 'GET',
  path,
  operationId,
  summary: `List the changes and refused accesses of ${words}, newest first by default`,
  query: {
    filters: { type: 'types', action: 'actions', resource: 'resource', actor: 'actorUuid', from: 'from', to: 'to' },
    parameters: { after: 'after', size: 'size', order: 'order' },
  },
  status: 200,
  momentary: true,
  document: `
    query ${operationId}(
      ${zone ? '$zoneUuid: Uuid!, ' : ''}$types: [String!], $actions: [ChangeAction!], $resource: String, $actorUuid: Uuid,
      $from: DateTime, $to: DateTime, $order: ChangeLogOrder, $after: Long, $size: Int
    ) {
      result: changeLog(
        ${zone ? 'zoneUuid: $zoneUuid, ' : ''}types: $types, actions: $actions, resource: $resource, actorUuid: $actorUuid,
        from: $from, to: $to, order: $order, after: $after, size: $size
      ) {
        changes { position dateCreated action resource type resourceUuid zoneUuid actorUuid data }
        cursor more
      }
    }`,
});

/** Changes and refused accesses: all of them, or those of one zone. */
export const changeLogRoutes: readonly GraphqlRoute[] = [
  routeAt('/change-log', 'listChanges', 'the deployment', false),
  routeAt('/zones/{zoneUuid}/change-log', 'listZoneChanges', 'a zone', true),
];
