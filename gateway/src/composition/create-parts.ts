import { createAssemblySubgraph, type AssemblySubgraph } from '@fds/assembly';
import { hashSecret } from '@fds/auth';
import { createCatalogSubgraph, createHostedAdaptors } from '@fds/catalog';
import { createGovernanceSubgraph, removeZoneAcls, type CarryOut } from '@fds/governance';
import { subgraphNames, unguardedFields, unstatedFields, type Subgraph, type SubgraphName } from '@fds/graphql';
import {
  createManagedRoles,
  grantDomain,
  holderExists,
  moveDomain,
  removeZoneIdentities,
  requireDomainZone,
} from '@fds/identity';
import { createNotificationsSubgraph, loadFirstNeededChange, removeRegistrationsOf } from '@fds/notifications';
import { compileEndpoints, type Endpoints } from '@fds/access-rules';
import {
  createAdaptorErrorTaker,
  createRecordsSubgraph,
  createRefusalNotices,
  type RecordsSubgraph,
} from '@fds/records';
import { endpointPermissions } from '@fds/rest-facade';
import type { Lifetime } from '@fds/service';
import { openChangeLogSealing } from './open-change-log-sealing.js';
import { openChangeLogRetention } from './open-change-log-retention.js';
import type { OpenedBus } from './open-bus.js';
import type { Platform } from './open-platform.js';
import { showFigures } from './show-figures.js';
import { openWebhookSender, webhookTargetsOf } from './open-webhook-sender.js';
import { holds, type Part } from './settings/service-parts.js';
import type { ServiceSettings } from './settings/service-settings.js';

/**
 * The subgraphs of this process; undefined for those that run in another process. A process with records always has an
 * assembly engine.
 */
export interface Parts extends Readonly<Record<SubgraphName, Subgraph | undefined>> {
  readonly records: RecordsSubgraph | undefined;
  readonly assembly: AssemblySubgraph | undefined;
}

export interface PartsOptions {
  readonly settings: ServiceSettings;
  readonly platform: Platform;
  /** Undefined when no part needs a bus. */
  readonly openedBus: OpenedBus | undefined;
  readonly instanceUuid: string;
  /** Address of the service as clients see it. */
  readonly baseUrl: string;
  readonly lifetime: Lifetime;
  /** Carries out documents of configuration. */
  readonly carryOut: CarryOut;
}

/**
 * Checks the static schema. A process whose schema has a fault does not start.
 *
 * @throws Error when a root field has no permission, or one that no endpoint has
 */
const requireGuarded = ({ name, schema }: Subgraph, endpoints: Endpoints): void => {
  const unguarded = unguardedFields(schema);
  if (unguarded.length > 0) throw new Error(`${name} has fields without a permission: ${unguarded.join(', ')}`);
  const unstated = unstatedFields(schema, endpoints);
  if (unstated.length > 0) throw new Error(`${name} demands what no endpoint states: ${unstated.join(', ')}`);
};

const answerLimitsOf = (settings: ServiceSettings) => ({
  maxAnswerBytes: settings.assemblyMaxAnswerBytes,
  maxAnswerParts: settings.assemblyMaxAnswerParts,
  maxRequestBytes: settings.assemblyMaxRequestBytes,
  maxCallerBytes: settings.assemblyMaxCallerBytes,
  maxTotalBytes: settings.assemblyMaxTotalBytes,
});

const deliveryOf = (settings: ServiceSettings, baseUrl: string) => ({
  enabled: settings.notificationsEnabled,
  baseUrl,
  schedule: settings.webhookRetrySeconds.map((seconds) => seconds * 1000),
  queueBounds: { messages: settings.notificationQueueMessages, bytes: settings.notificationQueueBytes },
  concurrency: settings.webhookReceivers,
  slowReceivers: settings.webhookSlowReceivers,
  receiversPerHost: settings.webhookMaxReceiverRequests,
  leaseMs: settings.webhookLeaseSeconds * 1000,
  keptMs: settings.notificationRetentionDays * 86_400_000,
  pruneMs: 600_000,
});

/** Creates and starts the subgraphs that this process runs. The lifetime closes them. */
export const createParts = async (options: PartsOptions): Promise<Parts> => {
  const { settings, platform, openedBus, instanceUuid, baseUrl, lifetime } = options;
  const { database, directory, sealer, cursors, metrics, log, now, newUuid } = platform;
  const endpoints = compileEndpoints(endpointPermissions());
  const runs = (part: Part): boolean => settings.parts.includes(part);

  const webhookSender = openWebhookSender(settings, { lifetime, metrics });
  const assembly =
    holds(settings.parts, 'assembly') && openedBus !== undefined
      ? createAssemblySubgraph({
          database,
          bus: openedBus.bus,
          answerLimits: answerLimitsOf(settings),
          onBoundHit: metrics.countBoundHit,
          circuitSettings: {
            failures: settings.assemblyCircuitFailures,
            coolDownMs: settings.assemblyCircuitSeconds * 1000,
          },
          meter: metrics.assembly,
          log,
          now,
          newUuid,
        })
      : undefined;
  if (assembly !== undefined) metrics.assembly.showCircuits(() => assembly.circuitCounts());
  const parts: Parts = {
    catalog:
      runs('catalog') && openedBus !== undefined
        ? createCatalogSubgraph({
            database,
            bus: openedBus.bus,
            sealer,
            createManagedRoles: (tx, zone, writer) => createManagedRoles(tx, zone, writer, endpoints),
            forgetZone: [removeZoneIdentities, removeZoneAcls],
            requireDomainZone,
            grantDomain,
            moveDomain,
            forgetHolders: () => directory.forget(),
            messageBusUrls: [openedBus.url],
            secretGraceSeconds: settings.secretGraceSeconds,
            busRemembers: openedBus.kind === 'EMBEDDED' ? 'nothing' : 'retained-status',
            takeAdaptorError: createAdaptorErrorTaker({ database }),
            refusals: createRefusalNotices({ database, bus: openedBus.bus, now, newUuid }),
            webhookTargets: webhookTargetsOf(settings),
            log,
            now,
            newUuid,
          })
        : undefined,
    governance: runs('governance')
      ? createGovernanceSubgraph({
          hashSecret: (secret, { uuid }) => platform.passwordQueue.run(uuid, () => hashSecret(secret)),
          database,
          now,
          newUuid,
          forgetHolders: () => directory.forget(),
          forgetPerson: [removeRegistrationsOf],
          endpoints,
          hasProvider: settings.oidcIssuer !== undefined,
          sealer,
          carryOut: options.carryOut,
          planMinutes: settings.planMinutes,
        })
      : undefined,
    // records resolve federated records with the assembly engine of their own process
    records:
      runs('records') && openedBus !== undefined && assembly !== undefined
        ? createRecordsSubgraph({
            database,
            bus: openedBus.bus,
            assembler: assembly.assembler,
            collector: assembly.collector,
            log,
            now,
            newUuid,
            instanceUuid,
            importLimits: { maxFileBytes: settings.maxFileBytes, maxRowBytes: settings.maxBodyBytes },
            schemaBytes: settings.graphqlCacheBytes / 8,
            retention: { eventDays: settings.eventRetentionDays, issueDays: settings.issueRetentionDays },
            webhooks: {
              sender: webhookSender,
              catalog: createHostedAdaptors({ database, sealer }),
              rule: webhookTargetsOf(settings),
              schedule: settings.webhookRetrySeconds.map((seconds) => seconds * 1000),
            },
            onCrossed: metrics.countCrossing,
            meter: metrics.events,
            onOversized: () => metrics.countBoundHit('bus_payload'),
          })
        : undefined,
    assembly,
    notifications: runs('notifications')
      ? createNotificationsSubgraph({
          database,
          sealer,
          cursors,
          now,
          newUuid,
          targets: webhookTargetsOf(settings),
          bounds: {
            registrationsPerUser: settings.notificationsPerUser,
            registrationBytes: settings.notificationMaxBytes,
            totalBytes: settings.notificationTotalBytes,
          },
          holderExists,
          secretOverlapMs: settings.webhookSecretHours * 3_600_000,
          sender: webhookSender,
          onBoundHit: metrics.countBoundHit,
          log,
          instanceUuid,
          findUser: (uuid) => directory.findPrincipal(uuid),
          delivery: deliveryOf(settings, baseUrl),
        })
      : undefined,
  };
  for (const part of subgraphNames.map((name): Subgraph | undefined => parts[name])) {
    if (part === undefined) continue;
    requireGuarded(part, endpoints);
    await part.start();
    lifetime.own(part);
  }
  if (settings.changeLogRetentionDays > 0) {
    const keptMs = settings.changeLogRetentionDays * 86_400_000;
    lifetime.own(openChangeLogRetention({ database, log, now, keptMs, loadFirstNeeded: loadFirstNeededChange }));
  }
  if (runs('governance'))
    lifetime.own(openChangeLogSealing({ database, log, now, sealMs: settings.changeLogProofSeconds * 1000 }));
  showFigures(platform, parts, openedBus);
  return parts;
};
