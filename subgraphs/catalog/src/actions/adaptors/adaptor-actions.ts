import type { Principal, Sealer } from '@fds/auth';
import { inTransaction, isReferenceViolation, type PrismaTransaction } from '@fds/database';
import {
  AppError,
  checkChangeVersion,
  FaultList,
  type GivenChangeVersion,
  requireNotStale,
  staleChangeVersion,
} from '@fds/errors';
import { canonicalJson, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import {
  commanded,
  commandedHosted,
  type AdaptorCommand,
  type StateOperation,
  type Transition,
} from '../../domain/adaptors/adaptor-state.js';
import { defaultTypeName, type AdaptorType } from '../../domain/adaptors/adaptor-type.js';
import {
  adaptorAsInput,
  capabilitiesInEffect,
  changesConfiguration,
  readAdaptor,
  type Adaptor,
  type AdaptorInput,
  type AdaptorSettings,
} from '../../domain/adaptors/adaptor.js';
import { addWebhookFaults, isWebhookType } from '../../domain/adaptors/webhook-adaptor.js';
import { noMetadata, readSecretMetadata, type ReadSecretMetadata } from '../../domain/secrets/read-secret-metadata.js';
import { publicTargets, type TargetRule } from '@fds/webhook-client';
import type { MetadataSecrets } from '../../store/secrets/metadata-secrets.js';
import { lockSecretNames, maskLogged } from '../../store/secrets/seal-clear-secrets.js';
import { capabilityRows } from '../../store/adaptor-types/adaptor-type-rows.js';
import { adaptorColumns, adaptorForLog, adaptorResource, lockAdaptor } from '../../store/adaptors/adaptor-rows.js';
import { listDiscoveries } from '../../store/adaptors/discovery-store.js';
import { loadVerifications } from '../../store/adaptors/load-verifications.js';
import { requireAdaptor } from './require-adaptor.js';
import { saveState } from '../../store/adaptors/adaptor-states.js';
import { logAs, type StoreTools } from '../../store/catalog-writer.js';
import type { ForgetHolders } from '../zones/zone-roles.js';
import { removePreferencesOf } from '../../store/preferences/preference-rows.js';
import { newClientSecret } from './registration-actions.js';
import { requireZone } from '../zones/require-zone.js';

/** A created adaptor with its credentials. */
interface CreatedAdaptor {
  readonly adaptor: Adaptor;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface AdaptorActions {
  /** @throws AppError NOT_FOUND, also when the adaptor is in another zone */
  read(zoneUuid: string, adaptorUuid: string): Promise<Adaptor>;
  /** @throws AppError NOT_FOUND when there is no such zone */
  create(zoneUuid: string, input: AdaptorInput, principal: Principal, faults?: FaultList): Promise<CreatedAdaptor>;
  replace(
    zoneUuid: string,
    adaptorUuid: string,
    input: AdaptorInput,
    principal: Principal,
    faults?: FaultList,
  ): Promise<Adaptor>;
  /** A change of `state` only needs no changeVersion. */
  patch(
    zoneUuid: string,
    adaptorUuid: string,
    input: AdaptorInput,
    principal: Principal,
    faults?: FaultList,
  ): Promise<Adaptor>;
  /** Sets `active` to false and keeps everything. Idempotent. */
  deactivate(zoneUuid: string, adaptorUuid: string, given: GivenChangeVersion, principal: Principal): Promise<void>;
  /** Removes it permanently, with the preferences of zones for it. */
  remove(zoneUuid: string, adaptorUuid: string, given: GivenChangeVersion, principal: Principal): Promise<void>;
}

/**
 * Sends an operation to an adaptor after the commit. Never rejects: the adaptor's next report makes up for a lost
 * message.
 */
export type SendOperation = (adaptorUuid: string, operation: StateOperation | 'METADATA') => Promise<void>;

interface Written {
  readonly adaptor: Adaptor;
  readonly operations: readonly (StateOperation | 'METADATA')[];
}

/** The configuration that is sent to the adaptor, as text that can be compared. */
const configurationOf = (adaptor: Adaptor, revealed: JsonObject | null): string =>
  canonicalJson(
    parseJson(
      stringifyJson([capabilitiesInEffect(adaptor), revealed, adaptor.discoveryMode, { ...adaptor.deletionLimit }]),
    ),
  );

type UsedType = Pick<AdaptorType, 'uuid' | 'name' | 'secretProperties'>;

/** The type of the input, otherwise `default`. */
const findType = async (tx: PrismaTransaction, uuid: string | null, faults: FaultList): Promise<UsedType> => {
  const type = await tx.adaptorType.findUnique({
    where: uuid === null ? { name: defaultTypeName } : { uuid },
    select: { uuid: true, name: true, secretProperties: true },
  });
  if (type !== null) return type;
  if (uuid === null) throw new Error(`there is no adaptor type ${defaultTypeName}`);
  faults.add('/adaptorTypeUuid', 'UNKNOWN_REFERENCE', `there is no adaptor type ${uuid}`);
  return { uuid, name: '', secretProperties: [] };
};

const saveCapabilities = async (
  tx: PrismaTransaction,
  adaptorUuid: string,
  { capabilities }: AdaptorSettings,
): Promise<void> => {
  await tx.adaptorCapability.deleteMany({ where: { adaptorUuid } });
  await tx.adaptorCapability.createMany({
    data: capabilityRows(capabilities ?? []).map((row) => ({ ...row, adaptorUuid })),
  });
};

/** Tools of the actions on adaptors. */
export interface AdaptorTools extends StoreTools {
  readonly sealer: Sealer;
  readonly metadataSecrets: MetadataSecrets;
  readonly send: SendOperation;
  readonly forgetHolders: ForgetHolders;
  /** The addresses to which webhook adaptors may post. Default: only public addresses. */
  readonly webhookTargets?: TargetRule | undefined;
}

/**
 * The state after a command, and the operation to send. An adaptor that the service runs follows its state without an
 * operation.
 */
const afterCommand = ({ state, adaptorType }: Adaptor, command: AdaptorCommand): Transition =>
  isWebhookType(adaptorType) ? { state: commandedHosted(state, command) } : commanded(state, command);

export const createAdaptorActions = (tools: AdaptorTools): AdaptorActions => {
  const { database, now, newUuid, sealer, metadataSecrets, send, forgetHolders } = tools;
  const { webhookTargets = publicTargets } = tools;

  const checkWebhook = async (
    tx: PrismaTransaction,
    type: UsedType,
    zoneUuid: string,
    settings: AdaptorSettings,
    { metadata, secrets }: ReadSecretMetadata,
    faults: FaultList,
  ): Promise<void> => {
    if (!isWebhookType(type)) return;
    const inEffect =
      settings.metadata === null ? await metadataSecrets.inheritedFrom(tx, type.uuid, zoneUuid) : { metadata, secrets };
    addWebhookFaults(metadataSecrets.reveal(inEffect), settings.capabilities, webhookTargets, faults);
  };

  /** Logs an adaptor in the form of GET. */
  const logAdaptor = async (
    tx: PrismaTransaction,
    principal: Principal,
    action: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    adaptor: Adaptor,
  ): Promise<void> => {
    const { uuid, zoneUuid } = adaptor;
    const discovery = await listDiscoveries(tx, [uuid]);
    // by a connection that no transaction holds
    const verified = (await loadVerifications(database.reads, [uuid])).get(uuid) ?? [];
    await logAs(tx, principal, {
      action,
      resourceType: 'Adaptor',
      resource: adaptorResource(adaptor),
      resourceUuid: uuid,
      zoneUuid,
      data: {
        ...adaptorForLog(adaptor),
        discovery: discovery.map(({ domainVersionUuid, complete, records, dateCompleted }) => ({
          domainVersionUuid,
          complete,
          records,
          dateCompleted: dateCompleted.getTime(),
        })),
        verified: verified.map(({ domainVersionUuid, date, equal, differing, missingHere, missingThere }) => ({
          domainVersionUuid,
          date: date.getTime(),
          equal,
          differing,
          missingHere,
          missingThere,
        })),
      },
    });
  };

  const configure = async (
    tx: PrismaTransaction,
    current: Adaptor,
    input: AdaptorInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<Adaptor> => {
    checkChangeVersion(input.changeVersion, current.changeVersion, faults);
    const settings = readAdaptor(
      action === 'PATCH' ? { ...adaptorAsInput(current), ...input } : input,
      current,
      faults,
    );
    const { uuid, zoneUuid, changeVersion } = current;
    const type = await findType(tx, settings.adaptorTypeUuid, faults);
    const inEffect = await metadataSecrets.ofAdaptor(tx, uuid);
    const read = readSecretMetadata('/metadata', settings.metadata, type.secretProperties, inEffect, faults);
    const { metadata, secrets } = read;
    await checkWebhook(tx, type, zoneUuid, settings, read, faults);
    faults.throwIfAny();
    const { count } = await tx.adaptor.updateMany({
      where: { uuid, changeVersion },
      data: {
        ...adaptorColumns({ ...settings, metadata }),
        adaptorTypeUuid: type.uuid,
        lastUpdated: now(),
        changeVersion: { increment: 1 },
      },
    });
    if (count === 0) throw staleChangeVersion((await requireAdaptor(tx, zoneUuid, uuid)).changeVersion);
    await saveCapabilities(tx, uuid, settings);
    await metadataSecrets.saveOfAdaptor(tx, uuid, metadata === null ? undefined : secrets);
    if (type.uuid !== current.adaptorTypeUuid) await maskLogged(tx, uuid, type.secretProperties);
    const adaptor = await requireAdaptor(tx, zoneUuid, uuid);
    await logAdaptor(tx, principal, action, adaptor);
    return adaptor;
  };

  const write = async <T>(work: (tx: PrismaTransaction) => Promise<T>): Promise<T> => {
    try {
      return await inTransaction(database, work);
    } catch (error) {
      throw isReferenceViolation(error)
        ? new AppError('CONFLICT', 'another request deleted the zone or the type')
        : error;
    }
  };

  const update = async (
    zoneUuid: string,
    adaptorUuid: string,
    input: AdaptorInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<Adaptor> => {
    const { adaptor, operations } = await write(async (tx): Promise<Written> => {
      await lockSecretNames(tx, 'use');
      await lockAdaptor(tx, adaptorUuid);
      const current = await requireAdaptor(tx, zoneUuid, adaptorUuid);
      const configures = action === 'PUT' || changesConfiguration(input);
      requireNotStale(input.changeVersion, current.changeVersion);
      const sentText = async (one: Adaptor): Promise<string> =>
        configurationOf(one, metadataSecrets.reveal(await metadataSecrets.ofAdaptor(tx, adaptorUuid)));
      const before = configures ? await sentText(current) : '';
      const configured = configures ? await configure(tx, current, input, principal, action, faults) : current;
      faults.throwIfAny();
      const changed: Written['operations'] =
        configures && !isWebhookType(configured.adaptorType) && (await sentText(configured)) !== before
          ? ['METADATA']
          : [];
      if (!input.state) return { adaptor: configured, operations: changed };
      const { state, operation } = afterCommand(configured, input.state);
      const stateMessage = state === 'ERROR' ? configured.stateMessage : null;
      await saveState(tx, configured, { state, stateMessage }, principal.uuid);
      return {
        adaptor: { ...configured, state, stateMessage },
        operations: operation === undefined ? changed : [...changed, operation],
      };
    });
    forgetHolders();
    for (const operation of operations) await send(adaptorUuid, operation);
    return adaptor;
  };

  const insert = async (
    tx: PrismaTransaction,
    zoneUuid: string,
    input: AdaptorInput,
    principal: Principal,
    faults: FaultList,
  ): Promise<CreatedAdaptor> => {
    await requireZone(tx, zoneUuid);
    await lockSecretNames(tx, 'use');
    const settings = readAdaptor(input, undefined, faults);
    const type = await findType(tx, settings.adaptorTypeUuid, faults);
    const read = readSecretMetadata('/metadata', settings.metadata, type.secretProperties, noMetadata, faults);
    const { metadata, secrets } = read;
    await checkWebhook(tx, type, zoneUuid, settings, read, faults);
    faults.throwIfAny();
    const [uuid, time, clientSecret] = [newUuid(), now(), newClientSecret()];
    await tx.adaptor.create({
      data: {
        uuid,
        zoneUuid,
        ...adaptorColumns({ ...settings, metadata }),
        adaptorTypeUuid: type.uuid,
        state: input.state ? commanded('DOWN', input.state).state : 'DOWN',
        createdByUuid: principal.uuid,
        dateCreated: time,
        lastUpdated: time,
        capabilities: { create: capabilityRows(settings.capabilities ?? []) },
        registration: { create: { sealedSecret: sealer.seal(clientSecret) } },
      },
      select: { uuid: true },
    });
    if (metadata !== null) await metadataSecrets.saveOfAdaptor(tx, uuid, secrets);
    const adaptor = await requireAdaptor(tx, zoneUuid, uuid);
    await logAdaptor(tx, principal, 'POST', adaptor);
    return { adaptor, clientId: uuid, clientSecret };
  };

  return {
    read: (zoneUuid, adaptorUuid) => requireAdaptor(database.prisma, zoneUuid, adaptorUuid),
    create: (zoneUuid, input, principal, faults = new FaultList()) =>
      write((tx) => insert(tx, zoneUuid, input, principal, faults)),
    replace: (zoneUuid, adaptorUuid, input, principal, faults = new FaultList()) =>
      update(zoneUuid, adaptorUuid, input, principal, 'PUT', faults),
    patch: (zoneUuid, adaptorUuid, input, principal, faults = new FaultList()) =>
      update(zoneUuid, adaptorUuid, input, principal, 'PATCH', faults),
    deactivate: async (zoneUuid, adaptorUuid, given, principal) => {
      await inTransaction(database, async (tx) => {
        await lockAdaptor(tx, adaptorUuid);
        const { active, changeVersion } = await requireAdaptor(tx, zoneUuid, adaptorUuid);
        requireNotStale(given, changeVersion);
        if (!active) return;
        await tx.adaptor.update({
          where: { uuid: adaptorUuid },
          data: { active: false, lastUpdated: now(), changeVersion: { increment: 1 } },
          select: { uuid: true },
        });
        await logAdaptor(tx, principal, 'DELETE', await requireAdaptor(tx, zoneUuid, adaptorUuid));
      });
      forgetHolders();
    },
    remove: async (zoneUuid, adaptorUuid, given, principal) => {
      await inTransaction(database, async (tx) => {
        await lockAdaptor(tx, adaptorUuid);
        const adaptor = await requireAdaptor(tx, zoneUuid, adaptorUuid);
        requireNotStale(given, adaptor.changeVersion);
        await removePreferencesOf(tx, { adaptorUuid }, principal);
        // its discoveries go with it
        await logAdaptor(tx, principal, 'DELETE', adaptor);
        await tx.adaptor.delete({ where: { uuid: adaptorUuid }, select: { uuid: true } });
      });
      forgetHolders();
    },
  };
};
