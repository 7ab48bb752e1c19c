import type { GraphqlRoute } from '../../route.js';

/** The caller, as the token and the server know it. */
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
