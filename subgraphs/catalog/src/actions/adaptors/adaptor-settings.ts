import type { Principal, Sealer } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { checkChangeVersion, type FaultList, staleChangeVersion } from '@fds/errors';
import { commanded } from '../../domain/adaptors/adaptor-state.js';
import { defaultTypeName, type AdaptorType } from '../../domain/adaptors/adaptor-type.js';
import {
  adaptorAsInput,
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
import { adaptorColumns, adaptorForLog, adaptorResource } from '../../store/adaptors/adaptor-rows.js';
import { listDiscoveries } from '../../store/adaptors/discovery-store.js';
import { loadVerifications } from '../../store/adaptors/load-verifications.js';
import { requireAdaptor } from './require-adaptor.js';
import { logAs, type StoreTools } from '../../store/catalog-writer.js';
import { newClientSecret } from './registration-actions.js';
import { requireZone } from '../zones/require-zone.js';

/** A created adaptor with its credentials. */
export interface CreatedAdaptor {
  readonly adaptor: Adaptor;
  readonly clientId: string;
  readonly clientSecret: string;
}

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

/** Tools that store the settings of adaptors. */
export interface SettingsTools extends StoreTools {
  readonly sealer: Sealer;
  readonly metadataSecrets: MetadataSecrets;
  /** The addresses to which webhook adaptors may post. Default: only public addresses. */
  readonly webhookTargets?: TargetRule | undefined;
}

/** Reads the settings of an input, and stores and logs them within a transaction. */
interface StoredSettings {
  /** Logs an adaptor in the form of GET. */
  log(
    tx: PrismaTransaction,
    principal: Principal,
    action: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    adaptor: Adaptor,
  ): Promise<void>;
  /** Changes the settings of an adaptor that is locked. */
  configure(
    tx: PrismaTransaction,
    current: Adaptor,
    input: AdaptorInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<Adaptor>;
  /** Creates an adaptor. @throws AppError NOT_FOUND when there is no such zone */
  insert(
    tx: PrismaTransaction,
    zoneUuid: string,
    input: AdaptorInput,
    principal: Principal,
    faults: FaultList,
  ): Promise<CreatedAdaptor>;
}

export const createAdaptorSettings = (tools: SettingsTools): StoredSettings => {
  const { database, now, newUuid, sealer, metadataSecrets, webhookTargets = publicTargets } = tools;

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

  return {
    log: logAdaptor,
    configure: async (tx, current, input, principal, action, faults) => {
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
    },
    insert: async (tx, zoneUuid, input, principal, faults) => {
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
    },
  };
};
