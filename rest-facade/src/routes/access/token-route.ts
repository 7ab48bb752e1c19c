import type { GraphqlRoute } from '../../route.js';

/** Who the caller is, as the token and the server know it. */
export const tokenRoute: GraphqlRoute = {
  kind: 'graphql',
  method: 'GET',
  path: '/token',
  operationId: 'getToken',
  tag: 'Miscellaneous',
  summary: 'Read what the bearer token says, and who its holder is',
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
