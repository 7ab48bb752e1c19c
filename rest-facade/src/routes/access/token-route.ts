import type { GraphqlRoute } from '../../route.js';

/** Data about the caller from the token and from the server. */
export const tokenRoute: GraphqlRoute = {
  kind: 'graphql',
  method: 'GET',
  path: '/token',
  operationId: 'getToken',
  tag: 'Miscellaneous',
  summary: 'Read the content of the bearer token, and its holder',
  status: 200,
  withTokenClaims: true,
  document: `
    query getToken {
      result: caller {
        sub username ssoId
        zones { zoneUuid zoneName zoneUserUuid default roles { uuid name } groups { uuid name } }
        adaptorUuid
      }
    }`,
};
