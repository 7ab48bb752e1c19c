import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createRestFacade, openIdempotencyStore } from '@fds/rest-facade';
import type { RecordsSubgraph } from '@fds/records';
import type { Drain, Lifetime } from '@fds/service';
import type { Admission } from '../../admission/index.js';
import { createAuditedExecutor, type RefusalAudit } from '../../audit/index.js';
import type { AuthorizationServer, ReportSignIn } from '../../authorization-server/index.js';
import { backupDescription, createBackupEndpoint } from '../../backup/index.js';
import { openidEndpoints, type SignInProvider } from '../../login/index.js';
import { registerMcp } from '../../mcp/index.js';
import { createPlanningShare } from '../../requests/create-planning-share.js';
import { createGraphqlExecutor } from '../../executor/graphql-executor.js';
import { createMeteredExecutor } from '../../executor/metered-executor.js';
import { createTracedExecutor } from '../../executor/traced-executor.js';
import { createAddressOf } from '../../http/address-of.js';
import { createGraphqlEndpoint, type GraphqlEndpoint } from '../../graphql/graphql-endpoint.js';
import { refuseUpgrade } from '../../graphql/socket/refuse-upgrade.js';
import type { SocketLimits } from '../../graphql/socket/socket-limits.js';
import type { SocketSubscriptions } from '../../graphql/subscriptions/open-subscription.js';
import type { StitchedGateway } from '../../stitching/stitched-gateway.js';
import { auditOperations, auditRequests } from '../audit-refusals.js';
import { limitsOf, planningLimitsOf } from './limits-of.js';
import { createApplication, withoutEndSlash } from './application.js';
import { boundedReader } from './bounded-reader.js';
import type { BoundServer } from '../../http/bound-server.js';
import { registerHealthRoutes, type HealthCheck } from '../../http/health-routes.js';
import { registerStartPage } from '../../http/start-page.js';
import { registerMetricsRoute } from '../../http/metrics-route.js';
import type { Platform } from '../open-platform.js';
import { serveLogin } from './serve-login.js';
import { serviceVersion } from '../service-version.js';
import type { ServiceSettings } from '../settings/service-settings.js';

export interface DoorsOptions {
  readonly settings: ServiceSettings;
  readonly platform: Platform;
  /** Listens already: its port is part of the issuer. */
  readonly bound: BoundServer;
  readonly baseUrl: string;
  /** Address of the assembly service that clients see; undefined when it is not documented. */
  readonly assemblyUrl: string | undefined;
  readonly gateway: StitchedGateway;
  /** The subgraph of this process; undefined when it runs elsewhere. */
  readonly records: RecordsSubgraph | undefined;
  /** Undefined when subscriptions are refused. */
  readonly subscriptions: SocketSubscriptions | undefined;
  readonly authorizationServer: AuthorizationServer;
  readonly admission: Admission;
  readonly audit: RefusalAudit;
  readonly onSignIn: ReportSignIn;
  /** Undefined when people sign in at the embedded provider. */
  readonly externalProvider: SignInProvider | undefined;
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly drain: Drain;
  readonly lifetime: Lifetime;
}

const socketLimitsOf = (settings: ServiceSettings): Partial<SocketLimits> => ({
  maxMessageBytes: settings.maxBodyBytes,
  maxSockets: settings.socketMax,
  maxSocketsPerCaller: settings.socketMaxPerCaller,
  maxPending: settings.socketMaxPending,
  maxPendingPerAddress: settings.socketPendingPerAddress,
  initMs: settings.socketInitSeconds * 1000,
  maxOperations: settings.socketMaxOperations,
  maxOperationsPerCaller: settings.socketMaxOperationsPerCaller,
  maxUnread: settings.socketMaxUnread,
  maxUnreadPerCaller: settings.socketMaxUnreadPerCaller,
  maxUnreadInAll: settings.socketMaxUnreadInAll,
  unreadMs: settings.socketUnreadSeconds * 1000,
});

const backupUnreadMs = 60_000;

/** Passes upgrades of `/graphql` to its sockets, and refuses others with 404. */
const upgradeTo =
  ({ handleUpgrade }: GraphqlEndpoint) =>
  (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (withoutEndSlash(request.url ?? '').split('?', 1)[0] === '/graphql') handleUpgrade(request, socket, head);
    else refuseUpgrade(socket, 'ELSEWHERE');
  };

/** Opens the doors of the gateway: REST and its pages, GraphQL, the authorization server, health and metrics, on one port. */
export const serveDoors = async (options: DoorsOptions): Promise<void> => {
  const {
    settings,
    platform,
    bound,
    baseUrl,
    assemblyUrl,
    gateway,
    records,
    subscriptions,
    authorizationServer,
    admission,
    audit,
    checks,
    drain,
    lifetime,
  } = options;
  const { database, sealer, metrics, log, now, newUuid } = platform;
  const authenticate = admission.admit;
  const onForbidden = auditRequests(audit);
  const untraced = createGraphqlExecutor({
    gateway,
    limits: limitsOf(settings),
    cacheBytes: settings.graphqlCacheBytes,
    planning: createPlanningShare({
      limits: planningLimitsOf(settings),
      onBoundHit: () => metrics.countBoundHit('graphql_planning'),
    }),
    maxAnswerCharacters: settings.answerMaxBytes,
    onTooLarge: () => metrics.countBoundHit('answer_bytes'),
    countMutations: ({ authorization }, further) => admission.admitMore(authorization, further),
    onTooComplex: () => metrics.countBoundHit('graphql_limits'),
    log,
  });
  const executor = createTracedExecutor(untraced);
  const schema = gateway.staticSchema;
  const { maxBodyBytes, maxFileBytes } = settings;

  const { app, open } = createApplication(bound, { baseUrl, settings, metrics: metrics.traffic, log });
  registerStartPage(app, { baseUrl, assemblyUrl });
  registerHealthRoutes(app, checks, drain);
  registerMetricsRoute(app, platform, authenticate);
  await authorizationServer.register(app, admission.admitAnyone);
  await serveLogin(app, options);
  const idempotency = lifetime.own(openIdempotencyStore({ database, sealer, log, now, newUuid }));
  await app.register(
    createRestFacade({
      executor,
      readRecord: records && boundedReader(records.readRecord, settings.answerMaxBytes),
      schema,
      authenticate,
      baseUrl,
      assemblyUrl,
      idempotency,
      findVisibleVersions: gateway.recordTypesOf,
      onForbidden,
      others: openidEndpoints,
      further: [
        {
          endpoint: createBackupEndpoint({ read: platform.readSnapshot, unreadMs: backupUnreadMs, log }),
          description: backupDescription,
        },
      ],
      log,
      limits: { maxBodyBytes, maxFileBytes },
    }),
  );
  const metered = createMeteredExecutor(executor, metrics.traffic);
  const graphql = lifetime.own(
    await createGraphqlEndpoint({
      executor: createAuditedExecutor(metered.executor, auditOperations(audit)),
      onRefused: metered.countRefusal,
      staticSchema: schema,
      baseUrl,
      authenticate,
      addressOf: createAddressOf(settings.trustedProxies),
      maxBodyBytes,
      subscriptions,
      socketLimits: socketLimitsOf(settings),
      onBoundHit: metrics.countBoundHit,
      log,
    }),
  );
  await app.register(graphql.plugin);
  registerMcp(app, {
    baseUrl,
    version: serviceVersion(),
    access: settings.mcpWrite ? 'write' : 'read',
    corsOrigins: settings.corsOrigins,
    authenticate,
    log,
  });
  metrics.show('sockets', () => [{ value: graphql.socketCount() }]);
  if (subscriptions !== undefined) {
    metrics.show('subscriptions', () => [{ value: subscriptions.subscriptions.count() }]);
  }
  bound.server.on('upgrade', upgradeTo(graphql));
  await open();
  lifetime.onClose(() => app.close());
  // opened first, closed first: no request reaches a part that is closing, and open sockets would keep the server open
  lifetime.onClose(() => bound.close());
  lifetime.onClose(() => graphql.close());
};
