import { inTransaction, logChange, type PrismaTransaction } from '@fds/database';
import {
  isAway,
  reported,
  startsPaused,
  type AdaptorReport,
  type AdaptorState,
  type StateOperation,
} from '../../domain/adaptors/adaptor-state.js';
import { webhookTypeName } from '@fds/webhook-client';
import { shownStateMessage, stateMessageAfter } from '../../domain/adaptors/state-message.js';
import { isWebhookType } from '../../domain/adaptors/webhook-adaptor.js';
import { capabilitiesInEffect, type Adaptor } from '../../domain/adaptors/adaptor.js';
import type { DeletionLimit } from '../../domain/adaptors/deletion-limit.js';
import { domainNameKey } from '../../domain/domains/domain.js';
import { adaptorResource, lockAdaptor, toAdaptor, withTypeAndCapabilities } from './adaptor-rows.js';
import { isJsonObject, parseJson, type JsonObject } from '@fds/json';
import type { MetadataSecrets } from '../secrets/metadata-secrets.js';
import type { StoreTools } from '../catalog-writer.js';
import { findCapabilities } from './find-capabilities.js';
import { takeMessage } from '../operations/taken-messages.js';

/** The data that an adaptor receives when it starts or its configuration changes. */
export interface AdaptorRuntime {
  readonly state: 'PLAY' | 'PAUSE';
  readonly discoveryMode: boolean;
  readonly deletionLimit: DeletionLimit | null;
  readonly capabilities: ReturnType<typeof capabilitiesInEffect>;
  /** Includes its secrets. */
  readonly metadata: JsonObject | null;
  readonly domainVersions: readonly {
    readonly domain: string;
    readonly version: number;
    readonly domainVersionUuid: string;
    readonly drKeyProperties: readonly string[];
    readonly modelSchema: JsonObject;
  }[];
  /** The server's position in both directions. */
  readonly sequenceState: {
    readonly epoch: string | null;
    readonly applied: number;
    readonly sendEpoch: string | null;
    readonly sent: number;
  };
}

/** A report of an adaptor's state. */
interface StateReport {
  readonly state: AdaptorReport;
  readonly message?: string | undefined;
  /** STATUS: a report on `up/status`. ANSWER: the answer to an operation, whose message is about the operation. */
  readonly from: 'STATUS' | 'ANSWER';
  /** The server's own message about the adaptor, for a state other than ERROR. */
  readonly warning?: string | undefined;
  /** Id of the message of the report. Only one process handles it. */
  readonly messageId: string;
}

export interface AdaptorStates {
  /**
   * Stores the state that an adaptor reports. A report without a change does not change the adaptor. Ignores reports of
   * unknown adaptors, reports of soft-deleted adaptors other than DOWN, and reports that another process handles.
   *
   * @returns the order to send to the adaptor
   */
  report(adaptorUuid: string, said: StateReport): Promise<StateOperation | undefined>;
  /**
   * Stores the message of an adaptor about its source as its `stateMessage`; the state stays. An empty message clears it.
   * An adaptor that is not connected has no message.
   *
   * @returns false when another process handles the message
   */
  noteSource(adaptorUuid: string, said: { readonly message: string; readonly messageId: string }): Promise<boolean>;
  /** Undefined when the adaptor does not exist. */
  loadRuntime(adaptorUuid: string): Promise<AdaptorRuntime | undefined>;
  /** Adaptors whose report is missing, with the order to repeat in case it was lost. */
  listAwaited(): Promise<readonly { readonly uuid: string; readonly operation: StateOperation }[]>;
  /** Marks every adaptor as not connected; a paused one stays paused. */
  markDisconnected(): Promise<void>;
  /** Connected adaptors that inherit from the type. */
  listHeirs(adaptorTypeUuid: string): Promise<readonly string[]>;
  /** Connected adaptors that have any capability for the version. */
  listCapable(domainName: string, versionNumber: number): Promise<readonly string[]>;
}

const connected = {
  active: true,
  state: { notIn: ['DOWN', 'DOWN_PAUSED'] },
  adaptorType: { name: { not: webhookTypeName } },
};

/** Changes the state and logs it. The state is not part of the configuration, so changeVersion and lastUpdated stay. */
export const saveState = async (
  tx: PrismaTransaction,
  adaptor: Adaptor,
  next: { readonly state: AdaptorState; readonly stateMessage: string | null },
  actorUuid: string | undefined,
): Promise<void> => {
  if (next.state === adaptor.state && next.stateMessage === adaptor.stateMessage) return;
  await tx.adaptor.update({ where: { uuid: adaptor.uuid }, data: { ...next }, select: { uuid: true } });
  const { uuid, zoneUuid, name } = adaptor;
  await logChange(tx, {
    action: 'PATCH',
    resourceType: 'AdaptorState',
    resource: adaptorResource(adaptor),
    resourceUuid: uuid,
    zoneUuid,
    actorUuid,
    data: { uuid, zoneUuid, name, previousState: adaptor.state, ...next },
  });
};

const readObject = (text: string): JsonObject => {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
};

/** Stores the states of adaptors, which change by their reports and when the server starts. */
export const createAdaptorStates = ({
  database,
  metadataSecrets,
}: StoreTools & { readonly metadataSecrets: MetadataSecrets }): AdaptorStates => {
  const { prisma, pool } = database;

  const applyReport = (
    adaptorUuid: string,
    { state: report, messageId, ...said }: Omit<StateReport, 'messageId'> & { readonly messageId?: string },
  ) =>
    inTransaction(database, async (tx) => {
      await lockAdaptor(tx, adaptorUuid);
      if (messageId !== undefined && !(await takeMessage(tx, adaptorUuid, messageId))) return undefined;
      const row = await tx.adaptor.findUnique({ where: { uuid: adaptorUuid }, include: withTypeAndCapabilities });
      if (row === null || (!row.active && report !== 'DOWN')) return undefined;
      const adaptor = toAdaptor(row);
      // the service runs it, so messages on the bus with its credentials do not change its state
      if (messageId !== undefined && isWebhookType(adaptor.adaptorType)) return undefined;
      const { state, operation } = reported(adaptor.state, report);
      await saveState(
        tx,
        adaptor,
        { state, stateMessage: stateMessageAfter(adaptor, { state, ...said }) },
        adaptorUuid,
      );
      return operation;
    });

  const noteSource: AdaptorStates['noteSource'] = (adaptorUuid, { message, messageId }) =>
    inTransaction(database, async (tx) => {
      await lockAdaptor(tx, adaptorUuid);
      if (!(await takeMessage(tx, adaptorUuid, messageId))) return false;
      const row = await tx.adaptor.findUnique({ where: { uuid: adaptorUuid }, include: withTypeAndCapabilities });
      if (row === null) return true;
      const adaptor = toAdaptor(row);
      if (!adaptor.active || isAway(adaptor.state) || isWebhookType(adaptor.adaptorType)) return true;
      const { state } = adaptor;
      await saveState(tx, adaptor, { state, stateMessage: shownStateMessage(message) }, adaptorUuid);
      return true;
    });

  const versionsOf = async (
    capabilities: AdaptorRuntime['capabilities'],
  ): Promise<AdaptorRuntime['domainVersions']> => {
    const named = [...new Map(capabilities.map((it) => [`${it.domainName}:${it.versionNumber}`, it])).values()];
    if (named.length === 0) return [];
    const versions = await prisma.domainVersion.findMany({
      where: {
        OR: named.map(({ domainName, versionNumber }) => ({
          versionNumber,
          domain: { nameKey: domainNameKey(domainName) },
        })),
      },
      select: {
        uuid: true,
        versionNumber: true,
        drKeyProperties: true,
        modelSchema: true,
        domain: { select: { name: true } },
      },
      orderBy: { uuid: 'asc' },
    });
    return versions.map(({ uuid, versionNumber, drKeyProperties, modelSchema, domain }) => ({
      domain: domain.name,
      version: versionNumber,
      domainVersionUuid: uuid,
      drKeyProperties,
      modelSchema: readObject(modelSchema),
    }));
  };

  const uuidsOf = (rows: readonly { readonly uuid: string }[]): string[] => rows.map((row) => row.uuid);

  return {
    report: applyReport,
    noteSource,
    loadRuntime: async (uuid) => {
      const row = await prisma.adaptor.findUnique({ where: { uuid }, include: withTypeAndCapabilities });
      if (row === null) return undefined;
      const adaptor = toAdaptor(row);
      const channel = await prisma.adaptorChannel.findUnique({ where: { adaptorUuid: uuid } });
      const capabilities = capabilitiesInEffect(adaptor);
      return {
        state: startsPaused(adaptor.state) ? 'PAUSE' : 'PLAY',
        discoveryMode: adaptor.discoveryMode,
        deletionLimit: adaptor.deletionLimit,
        capabilities,
        metadata: metadataSecrets.reveal(await metadataSecrets.ofAdaptor(prisma, uuid)),
        domainVersions: await versionsOf(capabilities),
        sequenceState: {
          epoch: channel?.upEpoch ?? null,
          applied: Number(channel?.upApplied ?? 0n),
          sendEpoch: channel?.downEpoch ?? null,
          sent: Number((channel?.downSequence ?? 0n) - (channel?.downBase ?? 0n)),
        },
      };
    },
    // every start runs this as SQL, so that a start without work loads as little of Prisma as possible
    listAwaited: async () => {
      const { rows } = await pool.query<{ readonly uuid: string; readonly state: AdaptorState }>(
        `SELECT a.uuid, a.state FROM adaptor a JOIN adaptor_type t ON t.uuid = a.adaptor_type_uuid
         WHERE a.state IN ('STARTING', 'PAUSING') AND a.active AND t.name <> $1`,
        [webhookTypeName],
      );
      return rows.map(({ uuid, state }) => ({ uuid, operation: state === 'PAUSING' ? 'PAUSE' : 'START' }));
    },
    markDisconnected: async () => {
      const { rows } = await pool.query<{ readonly uuid: string }>(
        "SELECT uuid FROM adaptor WHERE state NOT IN ('DOWN', 'DOWN_PAUSED')",
      );
      for (const { uuid } of rows) await applyReport(uuid, { state: 'DOWN', from: 'STATUS' });
    },
    listHeirs: async (adaptorTypeUuid) =>
      uuidsOf(
        await prisma.adaptor.findMany({
          where: { ...connected, adaptorTypeUuid, OR: [{ inheritsCapabilities: true }, { metadata: null }] },
          select: { uuid: true },
        }),
      ),
    listCapable: async (domainName, versionNumber) => {
      const found = await findCapabilities(prisma, { domainName, versionNumber });
      const uuid = { in: [...new Set(found.map(({ adaptorUuid }) => adaptorUuid))] };
      return uuidsOf(await prisma.adaptor.findMany({ where: { ...connected, uuid }, select: { uuid: true } }));
    },
  };
};
