import type { GraphqlRoute } from '../route.js';
import { adaptorOperationRoutes } from './adaptor-operation-routes.js';
import { adaptorRoutes } from './adaptor-routes.js';
import { adaptorTypeRoutes } from './adaptor-type-routes.js';
import { capableAdaptorRoute } from './capable-adaptor-route.js';
import { bulkImportRoute } from './bulk-import-route.js';
import { dataAccessRuleRoutes } from './data-access-rule-routes.js';
import { dataRecordRoutes } from './data-record-routes.js';
import { domainRoutes } from './domain-routes.js';
import { domainVersionRoutes } from './domain-version-routes.js';
import { governanceRoutes } from './governance-routes.js';
import { groupRoutes } from './group-routes.js';
import { issueRoutes } from './issue-routes.js';
import { overviewRoutes, resourceRoutes } from './overview-routes.js';
import { operationalAclRoutes } from './operational-acl-routes.js';
import { permissionRoutes } from './permission-routes.js';
import { preferenceRoutes } from './preference-routes.js';
import { roleRoutes } from './role-routes.js';
import { tokenRoute } from './token-route.js';
import { userRoutes } from './user-routes.js';
import { zoneAclRoutes } from './zone-acl-routes.js';
import { zoneRoutes } from './zone-routes.js';

const routes: readonly GraphqlRoute[] = [
  ...zoneRoutes,
  ...adaptorTypeRoutes,
  ...adaptorRoutes,
  ...adaptorOperationRoutes,
  capableAdaptorRoute,
  ...preferenceRoutes,
  ...domainRoutes,
  ...domainVersionRoutes,
  ...dataRecordRoutes,
  bulkImportRoute,
  ...issueRoutes,
  ...zoneAclRoutes,
  ...operationalAclRoutes,
  ...governanceRoutes,
  ...userRoutes,
  ...groupRoutes,
  ...roleRoutes,
  ...dataAccessRuleRoutes,
  ...permissionRoutes,
  ...overviewRoutes,
  tokenRoute,
];

/** Endpoints beside the table that demand a permission. */
const others = ['/endpoints', '/graphql-schema'].map((path) => ({ action: 'GET' as const, path }));

/** Every path that is translated to GraphQL. The API, its OpenAPI document and GET `/endpoints` come from this table. */
export const routeTable: readonly GraphqlRoute[] = [
  ...routes,
  ...resourceRoutes([
    ...routes.map(({ permission, method, path }) => permission ?? { action: method, path }),
    ...others,
  ]),
];
