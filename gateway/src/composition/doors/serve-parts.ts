import { subgraphNames, type Subgraph } from '@fds/graphql';
import type { Drain, Lifetime } from '@fds/service';
import { subgraphRoutes } from '../../subgraph-server/subgraph-routes.js';
import type { Admission } from '../../admission/index.js';
import { createPlanningShare } from '../../requests/create-planning-share.js';
import { limitsOf, planningLimitsOf } from './limits-of.js';
import { createApplication } from './application.js';
import { bindServer } from '../../http/bound-server.js';
import type { Authenticate } from '../../http/authenticate.js';
import type { Parts } from '../create-parts.js';
import { registerHealthRoutes, type HealthCheck } from '../../http/health-routes.js';
import { registerMetricsRoute } from '../../http/metrics-route.js';
import type { Platform } from '../open-platform.js';
import { bindPort } from '../startup/bind-port.js';
import type { ServiceSettings } from '../settings/service-settings.js';

export interface ServePartsOptions {
  readonly settings: ServiceSettings;
  readonly platform: Platform;
  /** Address of the gateway, used in the types of problems. */
  readonly baseUrl: string;
  readonly parts: Parts;
  /** For fetches of the gateway, which counts the requests itself. */
  readonly authenticate: Authenticate;
  readonly admission: Admission;
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly drain: Drain;
  readonly lifetime: Lifetime;
}

/** Serves the subgraphs of a process without the gateway, each at `/<part>/graphql`. @returns the address */
export const serveParts = async ({
  settings,
  platform,
  baseUrl,
  parts,
  authenticate,
  admission,
  checks,
  drain,
  lifetime,
}: ServePartsOptions): Promise<string> => {
  const { metrics, proofs, log } = platform;
  const routes = {
    authenticate,
    admit: admission.admit,
    proofs,
    limits: limitsOf(settings),
    cacheBytes: settings.graphqlCacheBytes,
    planning: createPlanningShare({
      limits: planningLimitsOf(settings),
      onBoundHit: () => metrics.countBoundHit('graphql_planning'),
    }),
    onTooComplex: () => metrics.countBoundHit('graphql_limits'),
    onWrongProof: () => metrics.countBoundHit('gateway_proof'),
    maxOutsideBodyBytes: settings.maxBodyBytes,
    log,
  };
  const bound = lifetime.own(
    await bindPort({ variable: 'FDS_PARTS_PORT', host: settings.host, port: settings.partsPort }, () =>
      bindServer(settings.host, settings.partsPort),
    ),
  );
  drain.onBegin(bound.endConnections);
  const { app, open } = createApplication(bound, { baseUrl, settings, metrics: metrics.traffic, log });
  registerHealthRoutes(app, checks, drain);
  registerMetricsRoute(app, platform, authenticate);
  for (const subgraph of subgraphNames.map((name): Subgraph | undefined => parts[name])) {
    if (subgraph !== undefined)
      await app.register(subgraphRoutes({ ...routes, subgraph }), { prefix: `/${subgraph.name}` });
  }
  await open();
  lifetime.onClose(() => app.close());
  lifetime.onClose(() => bound.close());
  return `http://${settings.host}:${bound.port}`;
};
