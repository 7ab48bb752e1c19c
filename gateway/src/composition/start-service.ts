import { createTokenVerifier } from '@fds/auth';
import { createHostedAdaptors } from '@fds/catalog';
import { subgraphNames } from '@fds/graphql';
import { createAuthenticator, createBusAuthenticator, openSharedThrottle } from '@fds/identity';
import type { Lifetime } from '@fds/service';
import { createAdmission, createRateLimiter } from '../admission/index.js';
import { openRefusalAudit, openSignInAudit, type RefusalAudit, type SignInAudit } from '../audit/index.js';
import { createAuthorizationServer, openArtifactSweep, openKeyRotation } from '../authorization-server/index.js';
import { auditBus, auditCallers, auditSecrets } from './audit-refusals.js';
import { createCarryOut, createCarryOutSlot } from './configuration/create-carry-out.js';
import { createHoldsSecret, type HoldsSecret } from './configuration/holds-secret.js';
import { bindServer } from '../http/bound-server.js';
import { createParts } from './create-parts.js';
import type { HealthCheck } from '../http/health-routes.js';
import { acceptedBy, createExternalSignIn } from './external-sign-in.js';
import { openBus, type OpenedBus } from './open-bus.js';
import { openGateway } from './open-gateway.js';
import { openPlatform, type Platform } from './open-platform.js';
import { openSubscriptions } from './open-subscriptions.js';
import { bindAssemblyDoor, documentedAssemblyUrl, serveAssembly } from './doors/serve-assembly.js';
import { serveDoors } from './doors/serve-doors.js';
import { serveParts } from './doors/serve-parts.js';
import type { ServiceRun } from './service-run.js';
import { showProcess } from './show-process.js';
import { bindPort } from './startup/bind-port.js';
import type { ServiceSettings } from './settings/service-settings.js';
import type { StartTextFacts } from './start-text.js';

/** Addresses of the started servers. */
export type StartedService = StartTextFacts;

/** The conditions under which the process is ready. */
const checksOf = ({ database }: Platform, openedBus: OpenedBus | undefined): Readonly<Record<string, HealthCheck>> => ({
  database: async () => {
    await database.ping();
    return undefined;
  },
  ...(openedBus === undefined ? {} : { bus: async () => (openedBus.bus.connected ? undefined : 'not connected') }),
});

const holdsSecretOf = ({ database, sealer, directory, passwordQueue }: Platform): HoldsSecret =>
  createHoldsSecret({ adaptors: createHostedAdaptors({ database, sealer }), directory, passwordQueue });

const dayMs = 86_400_000;

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

const openAudit = ({ database, metrics, log, now }: Platform, lifetime: Lifetime): RefusalAudit =>
  lifetime.own(openRefusalAudit({ database, log, now, onExceeded: () => metrics.countBoundHit('refusal_entries') }));

const openSignIns = ({ database, metrics, log, now }: Platform, lifetime: Lifetime): SignInAudit =>
  lifetime.own(openSignInAudit({ database, log, now, onExceeded: () => metrics.countBoundHit('sign_in_entries') }));

/** Starts a process with the gateway: all doors, the authorization server, and the subgraphs that it runs. */
const startWithGateway = async (settings: ServiceSettings, run: ServiceRun): Promise<StartedService> => {
  const { lifetime, drain, log } = run;
  // the port is opened first: tokens contain the address, and early requests get 503
  const bound = lifetime.own(
    await bindPort({ variable: 'FDS_PORT', host: settings.host, port: settings.port }, () =>
      bindServer(settings.host, settings.port),
    ),
  );
  drain.onBegin(bound.endConnections);
  const baseUrl = withoutSlash(settings.baseUrl ?? `http://${settings.host}:${bound.port}`);
  const platform = await openPlatform(settings, lifetime, log);
  const { database, sealer, directory, now, newUuid, passwordFiles } = platform;
  const { tokenMinutes } = settings;
  const audit = openAudit(platform, lifetime);
  const { record: onSignIn } = openSignIns(platform, lifetime);
  const authorizationServer = await createAuthorizationServer({
    issuer: baseUrl,
    database,
    sealer,
    directory,
    tokenMinutes,
    redirectUris: settings.redirectUris,
    corsOrigins: settings.corsOrigins,
    // only one process uses the embedded database, so no other process shares the throttle
    throttle:
      settings.databaseUrl === undefined ? undefined : lifetime.own(await openSharedThrottle({ database, log, now })),
    onRefusedSecret: auditSecrets(audit),
    passwordQueue: platform.passwordQueue,
    attemptLimits: {
      maxRunningChecks: settings.passwordChecks,
      maxWaitingChecks: settings.passwordChecksWaiting,
      maxAttempts: settings.signInAttempts,
    },
    onBusy: () => platform.metrics.countBoundHit('password_checks'),
    onTooManySignIns: () => platform.metrics.countBoundHit('sign_ins_under_way'),
    onSignIn,
    log,
    now,
  });
  const { verifier, clients } = authorizationServer;
  lifetime.own(openArtifactSweep({ database, log, now }));
  if (settings.signingKeyDays > 0) {
    lifetime.own(openKeyRotation({ authorizationServer, maxAgeMs: settings.signingKeyDays * dayMs, log }));
  }
  const external = createExternalSignIn(settings, baseUrl, now);
  const authenticator = createAuthenticator({ verifier: acceptedBy(verifier, external), directory });
  const admission = createAdmission({
    authenticator,
    rateLimiter: settings.rateLimit === 0 ? undefined : createRateLimiter(settings.rateLimit, now),
    onRefused: auditCallers(audit),
    onRateLimited: () => platform.metrics.countBoundHit('request_rate'),
  });

  const instanceUuid = newUuid();
  const authenticateAdaptor = createBusAuthenticator({
    clients,
    verifier,
    directory,
    log,
    onRefused: auditBus(audit),
    onAccepted: (actorUuid, address) => onSignIn({ actorUuid, way: 'BUS', resource: '/bus', address }),
  });
  const openedBus = await openBus({
    settings,
    database,
    authenticate: authenticateAdaptor,
    onBoundHit: platform.metrics.countBoundHit,
    instanceUuid,
    lifetime,
    log,
  });
  const door = await bindAssemblyDoor(settings, run);
  const assemblyUrl = documentedAssemblyUrl(settings, door, baseUrl);
  const slot = createCarryOutSlot();
  const { carryOut } = slot;
  const parts = await createParts({ settings, platform, openedBus, instanceUuid, baseUrl, lifetime, carryOut });
  const gateway = await openGateway({ settings, platform, parts, baseUrl, lifetime });
  // requests to parts in other processes would not be in the one transaction
  if (subgraphNames.every((part) => parts[part] !== undefined))
    slot.fill(createCarryOut({ gateway, directory, holdsSecret: holdsSecretOf(platform), log }));
  const checks = checksOf(platform, openedBus);
  const doors = { settings, platform, baseUrl, admission, audit, checks, drain, lifetime };
  await serveDoors({
    ...doors,
    bound,
    assemblyUrl,
    gateway,
    records: parts.records,
    subscriptions: openSubscriptions({ settings, platform, authenticator, instanceUuid, lifetime }),
    authorizationServer,
    onSignIn,
    externalProvider: external?.provider,
  });
  if (door !== undefined && parts.assembly !== undefined)
    await serveAssembly({ ...doors, door, assembly: parts.assembly });
  await showProcess({ settings, platform, openedBus, instanceUuid, run });
  const isPasswordGiven = settings.dgsPassword !== undefined;
  return { baseUrl, assemblyUrl: door?.url, busUrl: openedBus?.url, passwordFiles, isPasswordGiven };
};

/** Authenticates callers in a process without the gateway. It reads the keys of tokens from the issuer. */
const admissionOf = (settings: ServiceSettings, { directory, metrics, now }: Platform, audit: RefusalAudit) => {
  const issuer = withoutSlash(settings.baseUrl ?? '');
  const keys = new URL(`${issuer}/oauth2/jwks`);
  const verifier = createTokenVerifier({ issuer, audiences: [`${issuer}/api`, `${issuer}/mcp`], keys, now });
  const external = createExternalSignIn(settings, issuer, now);
  const authenticator = createAuthenticator({ verifier: acceptedBy(verifier, external), directory });
  const admission = createAdmission({
    authenticator,
    rateLimiter: settings.rateLimit === 0 ? undefined : createRateLimiter(settings.rateLimit, now),
    onRefused: auditCallers(audit),
    onRateLimited: () => metrics.countBoundHit('request_rate'),
  });
  return { issuer, authenticate: authenticator.authenticate, admission };
};

/**
 * Starts a process with some subgraphs only, which serves them to a gateway elsewhere. With the part assembly it also
 * serves assembly requests, on a separate port.
 */
const startParts = async (settings: ServiceSettings, run: ServiceRun): Promise<StartedService> => {
  const { lifetime, drain, log } = run;
  const door = await bindAssemblyDoor(settings, run);
  const platform = await openPlatform(settings, lifetime, log);
  const { database, newUuid } = platform;
  const instanceUuid = newUuid();
  const audit = openAudit(platform, lifetime);
  const { issuer, authenticate: authenticateCaller, admission } = admissionOf(settings, platform, audit);
  // adaptors connect to the external broker, which authenticates them itself
  const authenticate = async () => 'REFUSED' as const;
  const openedBus = await openBus({
    settings,
    database,
    authenticate,
    onBoundHit: platform.metrics.countBoundHit,
    instanceUuid,
    lifetime,
    log,
  });
  const { carryOut } = createCarryOutSlot();
  const parts = await createParts({ settings, platform, openedBus, instanceUuid, baseUrl: issuer, lifetime, carryOut });
  const checks = checksOf(platform, openedBus);
  const doors = { settings, platform, baseUrl: issuer, admission, audit, checks, drain, lifetime };
  const baseUrl = await serveParts({ ...doors, parts, authenticate: authenticateCaller });
  if (door !== undefined && parts.assembly !== undefined)
    await serveAssembly({ ...doors, door, assembly: parts.assembly });
  await showProcess({ settings, platform, openedBus, instanceUuid, run });
  return {
    baseUrl,
    assemblyUrl: door?.url,
    busUrl: openedBus?.url,
    passwordFiles: platform.passwordFiles,
    isPasswordGiven: settings.dgsPassword !== undefined,
  };
};

/**
 * Starts the parts of the settings. On failure, the lifetime owns the resources that were opened, and the caller closes
 * it.
 */
export const startService = async (settings: ServiceSettings, run: ServiceRun): Promise<StartedService> => {
  const started = await (settings.parts.includes('gateway') ? startWithGateway : startParts)(settings, run);
  run.drain.open(settings.drainSeconds * 1000);
  return started;
};
