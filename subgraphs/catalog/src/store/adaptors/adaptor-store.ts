import type { Principal, Sealer } from '@fds/auth';
import { inTransaction, isReferenceViolation, type PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { canonicalJson, parseJson, stringifyJson } from '@fds/json';
import {
  checkChangeVersion,
  FaultList,
  type GivenChangeVersion,
  requireNotStale,
  staleChangeVersion,
} from '@fds/resource-rules';
import { commanded, type StateOperation } from '../../domain/adaptors/adaptor-state.js';
import { defaultTypeName } from '../../domain/adaptors/adaptor-type.js';
import {
  adaptorAsInput,
  capabilitiesInEffect,
  changesConfiguration,
  metadataInEffect,
  readAdaptor,
  type Adaptor,
  type AdaptorInput,
  type AdaptorSettings,
} from '../../domain/adaptors/adaptor.js';
import { capabilityRows } from '../adaptor-types/adaptor-type-rows.js';
import { adaptorColumns, adaptorForLog, adaptorResource, lockAdaptor, requireAdaptor } from './adaptor-rows.js';
import { saveState } from './adaptor-states.js';
import { logAs, type StoreTools } from '../catalog-writer.js';
import type { ForgetHolders } from '../zones/zone-roles.js';
import { removePreferencesOf } from '../preferences/preference-rows.js';
import { newClientSecret } from './registration-store.js';
import { requireZone } from '../zones/zone-rows.js';

/** A created adaptor with its credentials. */
interface CreatedAdaptor {
  readonly adaptor: Adaptor;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface AdaptorStore {
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
  /** `state` alone needs no changeVersion. */
  patch(
    zoneUuid: string,
    adaptorUuid: string,
    input: AdaptorInput,
    principal: Principal,
    faults?: FaultList,
  ): Promise<Adaptor>;
  /** Sets `active` to false and keeps everything. Idempotent. */
  deactivate(zoneUuid: string, adaptorUuid: string, given: GivenChangeVersion, principal: Principal): Promise<void>;
  /** Removes it for ever, and what zones prefer of it. */
  remove(zoneUuid: string, adaptorUuid: string, given: GivenChangeVersion, principal: Principal): Promise<void>;
}

/** Sends an operation to an adaptor after the commit. Never rejects: what is lost is made good when it reports. */
export type SendOperation = (adaptorUuid: string, operation: StateOperation | 'METADATA') => Promise<void>;

interface Written {
  readonly adaptor: Adaptor;
  readonly operations: readonly (StateOperation | 'METADATA')[];
}

const configurationOf = (adaptor: Adaptor): string =>
  canonicalJson(
    parseJson(stringifyJson([capabilitiesInEffect(adaptor), metadataInEffect(adaptor), adaptor.discoveryMode])),
  );

/** The type to use: the one named, else `default`. */
const findType = async (tx: PrismaTransaction, uuid: string | null, faults: FaultList): Promise<string> => {
  if (uuid === null) {
    const { uuid: standard } = await tx.adaptorType.findUniqueOrThrow({
      where: { name: defaultTypeName },
      select: { uuid: true },
    });
    return standard;
  }
  if ((await tx.adaptorType.count({ where: { uuid } })) === 0) {
    faults.add('/adaptorTypeUuid', 'UNKNOWN_REFERENCE', `there is no adaptor type ${uuid}`);
  }
  return uuid;
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

/** The adaptors of the zones. */
export interface AdaptorTools extends StoreTools {
  readonly sealer: Sealer;
  readonly send: SendOperation;
  readonly forgetHolders: ForgetHolders;
}

export const createAdaptorStore = (tools: AdaptorTools): AdaptorStore => {
  const { database, now, newUuid, sealer, send, forgetHolders } = tools;

  const logAdaptor = (
    tx: PrismaTransaction,
    principal: Principal,
    action: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    adaptor: Adaptor,
  ): Promise<void> =>
    logAs(tx, principal, {
      action,
      resourceType: 'Adaptor',
      resource: adaptorResource(adaptor),
      resourceUuid: adaptor.uuid,
      zoneUuid: adaptor.zoneUuid,
      data: adaptorForLog(adaptor),
    });

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
    const adaptorTypeUuid = await findType(tx, settings.adaptorTypeUuid, faults);
    faults.throwIfAny();
    const { uuid, zoneUuid, changeVersion } = current;
    const { count } = await tx.adaptor.updateMany({
      where: { uuid, changeVersion },
      data: { ...adaptorColumns(settings), adaptorTypeUuid, lastUpdated: now(), changeVersion: { increment: 1 } },
    });
    if (count === 0) throw staleChangeVersion((await requireAdaptor(tx, zoneUuid, uuid)).changeVersion);
    await saveCapabilities(tx, uuid, settings);
    const adaptor = await requireAdaptor(tx, zoneUuid, uuid);
    await logAdaptor(tx, principal, action, adaptor);
    return adaptor;
  };

  const write = async <T>(work: (tx: PrismaTransaction) => Promise<T>): Promise<T> => {
    try {
      return await inTransaction(database, work);
    } catch (error) {
      throw isReferenceViolation(error) ? new AppError('CONFLICT', 'the zone or type was deleted meanwhile') : error;
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
      await lockAdaptor(tx, adaptorUuid);
      const current = await requireAdaptor(tx, zoneUuid, adaptorUuid);
      const configures = action === 'PUT' || changesConfiguration(input);
      requireNotStale(input.changeVersion, current.changeVersion);
      const configured = configures ? await configure(tx, current, input, principal, action, faults) : current;
      faults.throwIfAny();
      const changed: Written['operations'] =
        configurationOf(configured) === configurationOf(current) ? [] : ['METADATA'];
      if (!input.state) return { adaptor: configured, operations: changed };
      const { state, operation } = commanded(configured.state, input.state);
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
    const settings = readAdaptor(input, undefined, faults);
    const adaptorTypeUuid = await findType(tx, settings.adaptorTypeUuid, faults);
    faults.throwIfAny();
    const [uuid, time, clientSecret] = [newUuid(), now(), newClientSecret()];
    await tx.adaptor.create({
      data: {
        uuid,
        zoneUuid,
        ...adaptorColumns(settings),
        adaptorTypeUuid,
        state: input.state ? commanded('DOWN', input.state).state : 'DOWN',
        createdByUuid: principal.uuid,
        dateCreated: time,
        lastUpdated: time,
        capabilities: { create: capabilityRows(settings.capabilities ?? []) },
        registration: { create: { sealedSecret: sealer.seal(clientSecret) } },
      },
      select: { uuid: true },
    });
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
        await tx.adaptor.delete({ where: { uuid: adaptorUuid }, select: { uuid: true } });
        await logAdaptor(tx, principal, 'DELETE', adaptor);
      });
      forgetHolders();
    },
  };
};
