import type { EndpointPermission } from '@fds/access-rules';
import type { GraphqlRoute } from '../route.js';
import { adaptorOperationRoutes } from './catalog/adaptor-operation-routes.js';
import { adaptorRoutes } from './catalog/adaptor-routes.js';
import { adaptorTypeRoutes } from './catalog/adaptor-type-routes.js';
import { capableAdaptorRoute } from './catalog/capable-adaptor-route.js';
import { bulkImportRoute } from './records/bulk-import-route.js';
import { configurationRoutes } from './governance/configuration-routes.js';
import { dataAccessRuleRoutes } from './access/data-access-rule-routes.js';
import { dataRecordRoutes } from './records/data-record-routes.js';
import { domainRoutes } from './catalog/domain-routes.js';
import { domainVersionRoutes } from './catalog/domain-version-routes.js';
import { dataEventRoutes } from './records/data-event-routes.js';
import { changeLogRoutes } from './governance/change-log-routes.js';
import { governanceRoutes } from './governance/governance-routes.js';
import { groupRoutes } from './access/group-routes.js';
import { issueRoutes } from './records/issue-routes.js';
import { notificationRoutes } from './notifications/notification-routes.js';
import { overviewRoutes, resourceRoutes } from './access/overview-routes.js';
import { operationalAclRoutes } from './governance/operational-acl-routes.js';
import { permissionRoutes } from './access/permission-routes.js';
import { preferenceRoutes } from './catalog/preference-routes.js';
import { explainRoute } from './records/explain-route.js';
import { processRoute } from './governance/process-route.js';
import { reconciliationRoutes } from './records/reconciliation-routes.js';
import { redeliveryRoutes } from './records/redelivery-routes.js';
import { roleRoutes } from './access/role-routes.js';
import { tokenRoute } from './access/token-route.js';
import { userRoutes } from './access/user-routes.js';
import { zoneAclRoutes } from './governance/zone-acl-routes.js';
import { zoneRoutes } from './catalog/zone-routes.js';

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
  ...dataEventRoutes,
  bulkImportRoute,
  ...issueRoutes,
  explainRoute,
  ...reconciliationRoutes,
  ...redeliveryRoutes,
  ...zoneAclRoutes,
  ...operationalAclRoutes,
  ...governanceRoutes,
  ...changeLogRoutes,
  processRoute,
  ...configurationRoutes,
  ...userRoutes,
  ...groupRoutes,
  ...roleRoutes,
  ...dataAccessRuleRoutes,
  ...permissionRoutes,
  ...overviewRoutes,
  ...notificationRoutes,
  tokenRoute,
];

/** Permissions of endpoints outside the table. */
const others = [
  { action: 'GET', path: '/endpoints' },
  { action: 'GET', path: '/graphql-schema' },
  { action: 'POST', path: '/backup' },
] as const;

/** The permissions of the endpoints below `/api`, as in GET `/endpoints`. */
export const endpointPermissions = (): readonly EndpointPermission[] => [
  ...routeTable.map(({ permission, method, path }) => permission ?? { action: method, path }),
  ...others,
];

/** Every path that is translated to GraphQL. The API, its OpenAPI document and GET `/endpoints` come from this table. */
export const routeTable: readonly GraphqlRoute[] = [
  ...routes,
  ...resourceRoutes([
    ...routes.map(({ permission, method, path }) => permission ?? { action: method, path }),
    ...others,
  ]),
];
