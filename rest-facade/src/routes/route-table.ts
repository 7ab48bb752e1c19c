import type { GraphqlRoute } from '../route.js';
import { adaptorRoutes } from './adaptor-routes.js';
import { adaptorTypeRoutes } from './adaptor-type-routes.js';
import { capableAdaptorRoute } from './capable-adaptor-route.js';
import { bulkImportRoute } from './bulk-import-route.js';
import { dataRecordRoutes } from './data-record-routes.js';
import { domainRoutes } from './domain-routes.js';
import { domainVersionRoutes } from './domain-version-routes.js';
import { preferenceRoutes } from './preference-routes.js';
import { tokenRoute } from './token-route.js';
import { zoneAclRoutes } from './zone-acl-routes.js';
import { zoneRoutes } from './zone-routes.js';

/** Every path that is translated to GraphQL. The API, its OpenAPI document and GET `/endpoints` come from this table. */
export const routeTable: readonly GraphqlRoute[] = [
  ...zoneRoutes,
  ...adaptorTypeRoutes,
  ...adaptorRoutes,
  capableAdaptorRoute,
  ...preferenceRoutes,
  ...domainRoutes,
  ...domainVersionRoutes,
  ...dataRecordRoutes,
  bulkImportRoute,
  ...zoneAclRoutes,
  tokenRoute,
];
