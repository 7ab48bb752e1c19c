import type { AssemblySubgraph } from '@fds/assembly';
import { outputLine, type AssemblyRequest } from '@fds/assembly-contract';
import { toUnavailable } from '@fds/database';
import type { RequestContext } from '@fds/graphql';
import { createAssemblyFacade } from '@fds/rest-facade';
import type { Drain, Lifetime } from '@fds/service';
import type { Admission } from '../../admission/index.js';
import type { RefusalAudit } from '../../audit/index.js';
import { bindServer, type BoundServer } from '../../http/bound-server.js';
import { registerHealthRoutes, type HealthCheck } from '../../http/health-routes.js';
import { registerMetricsRoute } from '../../http/metrics-route.js';
import { requireStorableVariables } from '../../limits/require-storable-text.js';
import { createDirectExecutor } from '../../subgraph-server/direct-executor.js';
import { auditRequests } from '../audit-refusals.js';
import type { Platform } from '../open-platform.js';
import { bindPort } from '../startup/bind-port.js';
import type { ServiceSettings } from '../settings/service-settings.js';
import { createApplication } from './application.js';

/** The port of the assembly service. It listens before the application behind it exists. */
export interface AssemblyDoor {
  readonly bound: BoundServer;
  /** `{dvs_url}`: the address that clients see. */
  readonly url: string;
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

/** Listens on the port when this process serves assembly requests; otherwise returns undefined. The lifetime closes it. */
export const bindAssemblyDoor = async (
  { parts, assemblyEnabled, assemblyBaseUrl, assemblyPort, host }: ServiceSettings,
  { lifetime, drain }: { readonly lifetime: Lifetime; readonly drain: Drain },
): Promise<AssemblyDoor | undefined> => {
  if (!assemblyEnabled || !parts.includes('assembly')) return undefined;
  const bound = lifetime.own(
    await bindPort({ variable: 'FDS_ASSEMBLY_PORT', host, port: assemblyPort }, () => bindServer(host, assemblyPort)),
  );
  drain.onBegin(bound.endConnections);
  return { bound, url: withoutSlash(assemblyBaseUrl ?? `http://${host}:${bound.port}`) };
};

/**
 * The address of the assembly service for the documents of a gateway: that of the door in this process, otherwise that
 * of the settings. Undefined when the service is switched off, or when no setting gives the address.
 */
export const documentedAssemblyUrl = (
  { assemblyEnabled, assemblyBaseUrl, assemblyPort }: ServiceSettings,
  door: AssemblyDoor | undefined,
  baseUrl: string,
): string | undefined => {
  if (door !== undefined || !assemblyEnabled) return door?.url;
  if (assemblyBaseUrl !== undefined) return withoutSlash(assemblyBaseUrl);
  if (assemblyPort === 0) return undefined;
  const { protocol, hostname } = new URL(baseUrl);
  return `${protocol}//${hostname}:${assemblyPort}`;
};

export interface AssemblyDoorOptions {
  readonly door: AssemblyDoor;
  readonly settings: ServiceSettings;
  readonly platform: Platform;
  /** The subgraph of this process. */
  readonly assembly: AssemblySubgraph;
  /** Address of the server. Its pages may call the door from a browser. */
  readonly baseUrl: string;
  readonly admission: Admission;
  readonly audit: RefusalAudit;
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly drain: Drain;
  readonly lifetime: Lifetime;
}

const linesOf = ({ assembler }: AssemblySubgraph) =>
  async function* (
    request: Readonly<Record<string, unknown>>,
    { principal, signal }: RequestContext,
  ): AsyncGenerator<object> {
    const given: AssemblyRequest = request;
    requireStorableVariables({ request });
    try {
      for await (const line of assembler.assembleProgressively(given, principal, signal)) {
        const shown = outputLine(line, given.outputType);
        if (shown !== undefined) yield shown;
      }
    } catch (error) {
      throw toUnavailable(error);
    }
  };

/** Serves `POST /request`, health and metrics on the port of the assembly service. */
export const serveAssembly = async (options: AssemblyDoorOptions): Promise<void> => {
  const { door, settings, platform, assembly, baseUrl, admission, audit, checks, drain, lifetime } = options;
  const { bound, url } = door;
  const { metrics, log } = platform;
  const authenticate = admission.admit;
  const corsOrigins = [...settings.corsOrigins, baseUrl];
  const { app, open } = createApplication(bound, {
    baseUrl,
    settings: { ...settings, corsOrigins },
    metrics: metrics.traffic,
    log,
  });
  registerHealthRoutes(app, checks, drain);
  registerMetricsRoute(app, platform, authenticate);
  await app.register(
    createAssemblyFacade({
      executor: createDirectExecutor(assembly, log),
      schema: assembly.schema,
      assembleLines: linesOf(assembly),
      authenticate,
      baseUrl: url,
      errorsPage: `${baseUrl}/docs/errors`,
      onForbidden: auditRequests(audit),
      onAnswered: metrics.assembly.countAnswer,
      onUnread: () => metrics.countBoundHit('assembly_unread'),
      log,
      maxBodyBytes: settings.maxBodyBytes,
      unreadMs: settings.assemblyUnreadSeconds * 1000,
    }),
  );
  await open();
  lifetime.onClose(() => app.close());
  lifetime.onClose(() => bound.close());
};
