import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerBus } from '@fds/adaptor-bus';
import type { Sealer } from '@fds/auth';
import type { Database } from '@fds/database';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import { createKeyQueues, repeatEvery, type Closable, type Log } from '@fds/service';
import type { TargetRule } from '@fds/webhook-client';
import {
  createOperationPublisher,
  createCheckAnswerer,
  createOperationSender,
  createSupersededTeller,
} from './bus/adaptor-operations.js';
import { createQuestions } from './bus/create-questions.js';
import { handleLogs } from './bus/handle-logs.js';
import { handleReports, type RefusalNotices, type TakeAdaptorError } from './bus/handle-reports.js';
import { createAdaptorOperations } from './operations/create-adaptor-operations.js';
import { createHostedAnswers } from './operations/create-hosted-answers.js';
import { createCountCollector } from './operations/create-count-collector.js';
import { adaptorOperationResolvers } from './resolvers/adaptor-operation-resolvers.js';
import { adaptorResolvers } from './resolvers/adaptor-resolvers.js';
import { adaptorTypeResolvers } from './resolvers/adaptor-type-resolvers.js';
import { capableAdaptorResolvers } from './resolvers/capable-adaptor-resolvers.js';
import { domainResolvers } from './resolvers/domain-resolvers.js';
import { domainVersionResolvers } from './resolvers/domain-version-resolvers.js';
import { createLoadersOf } from './resolvers/loaders.js';
import { preferenceResolvers } from './resolvers/preference-resolvers.js';
import { zoneResolvers } from './resolvers/zone-resolvers.js';
import { createDiscoveryStore } from './store/adaptors/discovery-store.js';
import { createAdaptorStates, type AdaptorStates } from './store/adaptors/adaptor-states.js';
import { createAdaptorActions } from './actions/adaptors/adaptor-actions.js';
import { createAdaptorCounts } from './store/operations/adaptor-counts.js';
import { createShutdownCodes } from './actions/adaptors/shutdown-codes.js';
import { createMetadataSecrets } from './store/secrets/metadata-secrets.js';
import { sealClearSecrets } from './store/secrets/seal-clear-secrets.js';
import { takeMessage } from './store/operations/taken-messages.js';
import { createAdaptorTypeActions } from './actions/adaptor-types/adaptor-type-actions.js';
import { createCatalogReader } from './store/catalog-reader.js';
import { createDomainActions } from './actions/domains/domain-actions.js';
import { createDomainVersionActions } from './actions/versions/domain-version-actions.js';
import { createPreferenceActions } from './actions/preferences/preference-actions.js';
import { createRegistrationActions } from './actions/adaptors/registration-actions.js';
import type {
  CreateManagedRoles,
  ForgetHolders,
  ForgetZone,
  GrantDomain,
  MoveDomain,
  RequireDomainZone,
} from './actions/zones/zone-roles.js';
import { createZoneActions } from './actions/zones/zone-actions.js';

export interface CatalogDependencies {
  readonly database: Database;
  readonly bus: Pick<ServerBus, 'handle' | 'publish' | 'connected'>;
  readonly sealer: Sealer;
  /** Creates the roles of a new zone. */
  readonly createManagedRoles: CreateManagedRoles;
  /** Remove data of a deleted zone: roles, memberships, permissions, and ACL chains. */
  readonly forgetZone: readonly ForgetZone[];
  /** Decides which zone may own a domain that a caller creates or moves. */
  readonly requireDomainZone: RequireDomainZone;
  /** Gives the stewards of the owning zone their permissions on a new domain. */
  readonly grantDomain: GrantDomain;
  /** Moves the permissions on a domain to other stewards when another zone becomes its owner. */
  readonly moveDomain: MoveDomain;
  /** Makes this process forget cached permissions after they have changed. */
  readonly forgetHolders: ForgetHolders;
  /** Addresses in registrations: `tcp://<host>:<port>` first, then TLS and websocket if they exist. */
  readonly messageBusUrls: readonly [string, ...string[]];
  /** Time that the old secret stays valid after a re-issue; 0 = not at all. */
  readonly secretGraceSeconds: number;
  /**
   * The adaptors that the broker reports as connected when the subgraph starts. `nothing`: the broker is embedded and
   * starts with the process, so every adaptor is marked DOWN, or DOWN_PAUSED. Default `retained-status`.
   */
  readonly busRemembers?: 'nothing' | 'retained-status';
  /** Handles errors that adaptors report. Without it they are only logged. */
  readonly takeAdaptorError?: TakeAdaptorError;
  /** Notices of refused events that adaptors have not acknowledged. Without it, none is repeated. */
  readonly refusals?: RefusalNotices;
  /** Longest time until an adaptor answers a question. Default 5000. */
  readonly answerTimeoutMs?: number;
  /** Interval at which an order to an adaptor is repeated until it is confirmed. Default 10 000. */
  readonly remindEveryMs?: number;
  /** Interval at which the counts of connected adaptors are fetched. Default 60 000. */
  readonly collectEveryMs?: number;
  /** The addresses to which webhook adaptors may post. Default: only public addresses. */
  readonly webhookTargets?: TargetRule;
  readonly log: Log;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
}

/**
 * Zones, adaptor types, adaptors, domains and their versions. `start` begins to handle `up/status`, `up/ops` and
 * `up/log` of the bus. With an embedded broker, call it before adaptors can connect: earlier messages are lost. The
 * caller closes the resources that it passed in.
 */
export const createCatalogSubgraph = (dependencies: CatalogDependencies): Subgraph => {
  const { database, bus, takeAdaptorError, refusals, log, now, newUuid } = dependencies;
  const { busRemembers = 'retained-status', answerTimeoutMs = 5_000 } = dependencies;
  const { remindEveryMs = 10_000, collectEveryMs = 60_000 } = dependencies;
  const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');

  const queues = createKeyQueues();
  const metadataSecrets = createMetadataSecrets(dependencies.sealer);
  const discoveries = createDiscoveryStore(database);
  const states = createAdaptorStates({ ...dependencies, metadataSecrets });
  const publish = createOperationPublisher(dependencies);
  const sendNow = createOperationSender({ publish, states, discoveries, log, newUuid });
  // an adaptor never sees a configuration that is not committed
  const send: typeof sendNow = (adaptorUuid, operation) => database.afterCommit(() => sendNow(adaptorUuid, operation));
  const answerCheck = createCheckAnswerer({ publish, states, log });
  const tellSuperseded = createSupersededTeller(dependencies);
  const questions = createQuestions({ send: publish, timeoutMs: answerTimeoutMs });
  const counts = createAdaptorCounts(dependencies);
  const asked = createHostedAnswers(database, questions);
  const collector = createCountCollector({ questions: asked, counts, everyMs: collectEveryMs, log, newUuid });
  // a code must be hard to guess, and half of a version 7 uuid is the time
  const codes = createShutdownCodes({ database, now, newCode: randomUUID });
  const operations = createAdaptorOperations({ database, questions: asked, counts, collector, codes, newUuid });
  const take = (adaptorUuid: string, messageId: string): Promise<boolean> =>
    takeMessage(database.prisma, adaptorUuid, messageId);
  const remind = async (): Promise<void> => {
    for (const { uuid, operation } of await states.listAwaited()) await send(uuid, operation);
  };
  const repetitions: Closable[] = [];
  const announce = async (adaptorUuids: readonly string[]): Promise<void> => {
    for (const adaptorUuid of adaptorUuids) await send(adaptorUuid, 'METADATA');
  };

  const zones = createZoneActions(dependencies);
  const adaptorTypes = createAdaptorTypeActions({
    ...dependencies,
    metadataSecrets,
    announceType: async (uuid) => announce(await states.listHeirs(uuid)),
  });
  const adaptors = createAdaptorActions({ ...dependencies, metadataSecrets, send });
  const registrations = createRegistrationActions(dependencies);
  const domains = createDomainActions(dependencies);
  const versions = createDomainVersionActions({
    ...dependencies,
    announceVersion: async (name, versionNumber) => announce(await states.listCapable(name, versionNumber)),
  });
  const loadersOf = createLoadersOf(createCatalogReader(database, discoveries));

  const zone = zoneResolvers(zones, loadersOf);
  const adaptorType = adaptorTypeResolvers(adaptorTypes, loadersOf);
  const adaptor = adaptorResolvers({ database, adaptors, registrations, loadersOf, now });
  const operation = adaptorOperationResolvers(operations);
  const capable = capableAdaptorResolvers(database);
  const preference = preferenceResolvers(createPreferenceActions(dependencies));
  const domain = domainResolvers(domains, loadersOf);
  const version = domainVersionResolvers(database, versions, loadersOf);

  return {
    name: 'catalog',
    typeDefs,
    schema: buildSchemaOf(typeDefs, {
      Query: {
        ...zone.Query,
        ...adaptorType.Query,
        ...adaptor.Query,
        ...operation.Query,
        ...capable.Query,
        ...preference.Query,
        ...domain.Query,
        ...version.Query,
      },
      Mutation: {
        ...zone.Mutation,
        ...adaptorType.Mutation,
        ...adaptor.Mutation,
        ...operation.Mutation,
        ...preference.Mutation,
        ...domain.Mutation,
        ...version.Mutation,
      },
      Zone: zone.Zone,
      AdaptorType: adaptorType.AdaptorType,
      Adaptor: adaptor.Adaptor,
      Domain: domain.Domain,
      DomainVersion: version.DomainVersion,
      DefaultVersionSummary: version.DefaultVersionSummary,
    }),
    start: async () => {
      await sealClearSecrets(database, metadataSecrets);
      // reports that arrive earlier must wait, otherwise this would overwrite them
      const settled = busRemembers === 'nothing' ? states.markDisconnected() : Promise.resolve();
      const report: AdaptorStates['report'] = async (...said) => settled.then(() => states.report(...said));
      const heard = { bus, take, log, now };
      handleReports({
        ...heard,
        states: { report, noteSource: async (...said) => settled.then(() => states.noteSource(...said)) },
        send,
        answerCheck,
        tellSuperseded,
        questions,
        saveCounts: counts.save,
        noteDiscovery: discoveries.note,
        takeAdaptorError,
        refusals,
        queues,
      });
      handleLogs(heard);
      await settled;
      await remind();
      const looking = { log, onFailure: 'adaptors could not be looked after' };
      repetitions.push(
        repeatEvery({ intervalMs: remindEveryMs, work: remind, ...looking }),
        repeatEvery({ intervalMs: collectEveryMs, work: collector.collectAll, ...looking }),
      );
    },
    close: async () => {
      questions.close();
      await Promise.all(repetitions.map(async (repetition) => repetition.close()));
      await queues.settle();
    },
  };
};
