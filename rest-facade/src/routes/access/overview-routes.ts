import type { GraphqlRoute } from '../../route.js';

const overview = `
  fragment Overview on PermissionOverview {
    userUuid zoneUserUuid
    permissions { action resource source { type uuid name } }
    features { feature enabled }
  }`;

const common = { kind: 'graphql', method: 'GET', tag: 'Permissions', status: 200 } as const;
const userPath = '/zones/{zoneUuid}/users/{zoneUserUuid}';

/** The permissions of the caller and of others, with their sources. */
export const overviewRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    path: '/permissions',
    operationId: 'getOwnPermissions',
    summary: 'Show the caller’s permissions in all zones, and the enabled features of the interface',
    document: `query getOwnPermissions { result: callerPermissions { ...Overview } } ${overview}`,
  },
  {
    ...common,
    path: '/permissions/{user}',
    operationId: 'getPermissionsOfPerson',
    summary: 'Show a person’s permissions in all zones; the person by uuid or SSO id',
    document: `
      query getPermissionsOfPerson($user: String!) { result: personPermissions(user: $user) { ...Overview } } ${overview}`,
  },
  {
    ...common,
    path: `${userPath}/permissions`,
    operationId: 'getPermissionsOfUser',
    summary: 'Show a user’s permissions through the zone',
    document: `
      query getPermissionsOfUser($zoneUuid: Uuid!, $zoneUserUuid: Uuid!) {
        result: userPermissions(zoneUuid: $zoneUuid, zoneUserUuid: $zoneUserUuid) { ...Overview }
      } ${overview}`,
  },
];

/** The permission of an endpoint. */
type Demand = Required<Pick<GraphqlRoute, 'permission'>>['permission'];

const demandsText = (demands: readonly Demand[]): string => {
  const actions = new Map<string, Set<string>>();
  for (const { action, path } of demands) actions.set(path, (actions.get(path) ?? new Set()).add(action));
  const listed = [...actions].map(
    ([path, all]) => `{ resource: ${JSON.stringify(path)}, actions: [${[...all].join(', ')}] }`,
  );
  return `[${listed.join(', ')}]`;
};

/**
 * The resources of the API that a caller can use.
 *
 * @param demands permissions of all other endpoints
 */
export const resourceRoutes = (demands: readonly Demand[]): readonly GraphqlRoute[] => {
  const path = `${userPath}/resource-permissions`;
  const all = demandsText([...demands, { action: 'GET', path: '/resources' }, { action: 'GET', path }]);
  return [
    {
      ...common,
      path: '/resources',
      operationId: 'listResources',
      summary: 'List the resources the caller can use, each with the actions held on at least one of its path',
      document: `query listResources { result: usableResources(resources: ${all}) { resources { resource actions } } }`,
    },
    {
      ...common,
      path,
      operationId: 'getResourcePermissions',
      summary: 'Show the actions that a user holds on each resource of the API through the zone',
      document: `
        query getResourcePermissions($zoneUuid: Uuid!, $zoneUserUuid: Uuid!) {
          result: resourcePermissions(zoneUuid: $zoneUuid, zoneUserUuid: $zoneUserUuid, resources: ${all}) {
            userUuid zoneUserUuid resources { resource actions }
          }
        }`,
    },
  ];
};
