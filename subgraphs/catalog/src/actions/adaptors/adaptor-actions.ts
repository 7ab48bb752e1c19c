import type { Principal } from '@fds/auth';
import { inTransaction, isReferenceViolation, type PrismaTransaction } from '@fds/database';
import { AppError, FaultList, type GivenChangeVersion, requireNotStale } from '@fds/errors';
import { canonicalJson, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import {
  commanded,
  commandedHosted,
  type AdaptorCommand,
  type StateOperation,
  type Transition,
} from '../../domain/adaptors/adaptor-state.js';
import {
  capabilitiesInEffect,
  changesConfiguration,
  type Adaptor,
  type AdaptorInput,
} from '../../domain/adaptors/adaptor.js';
import { isWebhookType } from '../../domain/adaptors/webhook-adaptor.js';
import { lockSecretNames } from '../../store/secrets/seal-clear-secrets.js';
import { lockAdaptor } from '../../store/adaptors/adaptor-rows.js';
import { requireAdaptor } from './require-adaptor.js';
import { saveState } from '../../store/adaptors/adaptor-states.js';
import type { ForgetHolders } from '../zones/zone-roles.js';
import { removePreferencesOf } from '../../store/preferences/preference-rows.js';
import { createAdaptorSettings, type CreatedAdaptor, type SettingsTools } from './adaptor-settings.js';

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

/** Tools of the actions on adaptors. */
export interface AdaptorTools extends SettingsTools {
  readonly send: SendOperation;
  readonly forgetHolders: ForgetHolders;
}

/**
 * The state after a command, and the operation to send. An adaptor that the service runs follows its state without an
 * operation.
 */
const afterCommand = ({ state, adaptorType }: Adaptor, command: AdaptorCommand): Transition =>
  isWebhookType(adaptorType) ? { state: commandedHosted(state, command) } : commanded(state, command);

export const createAdaptorActions = (tools: AdaptorTools): AdaptorActions => {
  const { database, now, metadataSecrets, send, forgetHolders } = tools;
  const { configure, insert, log } = createAdaptorSettings(tools);

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
        await log(tx, principal, 'DELETE', await requireAdaptor(tx, zoneUuid, adaptorUuid));
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
        await log(tx, principal, 'DELETE', adaptor);
        await tx.adaptor.delete({ where: { uuid: adaptorUuid }, select: { uuid: true } });
      });
      forgetHolders();
    },
  };
};
