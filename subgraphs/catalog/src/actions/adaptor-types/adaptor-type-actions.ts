import type { Principal } from '@fds/auth';
import { inTransaction, isReferenceViolation, isUniqueViolation, type PrismaTransaction } from '@fds/database';
import {
  AppError,
  checkChangeVersion,
  FaultList,
  type GivenChangeVersion,
  requireNotStale,
  staleChangeVersion,
} from '@fds/errors';
import { filterText, orderOf, type Paged, type PageRequest, readPage } from '@fds/graphql';
import {
  readAdaptorType,
  requireRemovable,
  requireRenamable,
  type AdaptorType,
  type AdaptorTypeInput,
  type AdaptorTypeSettings,
} from '../../domain/adaptors/adaptor-type.js';
import { mayReadAdaptorType, requireAnyOf } from '../../domain/visibility.js';
import { requireUnused } from '../../domain/require-unused.js';
import { noMetadata, readSecretMetadata, type ReadSecretMetadata } from '../../domain/secrets/read-secret-metadata.js';
import type { Secrets } from '../../domain/secrets/split-secrets.js';
import type { MetadataSecrets } from '../../store/secrets/metadata-secrets.js';
import { lockSecretNames, sealAddedNames } from '../../store/secrets/seal-clear-secrets.js';
import {
  adaptorTypeColumns,
  capabilityRows,
  toAdaptorType,
  withDefaultCapabilities,
} from '../../store/adaptor-types/adaptor-type-rows.js';
import { logAs, type StoreTools } from '../../store/catalog-writer.js';

export interface AdaptorTypeFilter {
  readonly adaptorTypeUuid?: string | null;
  readonly name?: string | null;
  readonly sort?: string | null;
}

export interface AdaptorTypeActions {
  list(filter: AdaptorTypeFilter, page: PageRequest, principal: Principal): Promise<Paged<AdaptorType>>;
  /** @throws AppError NOT_FOUND */
  read(uuid: string): Promise<AdaptorType>;
  create(input: AdaptorTypeInput, principal: Principal, faults?: FaultList): Promise<AdaptorType>;
  replace(uuid: string, input: AdaptorTypeInput, principal: Principal, faults?: FaultList): Promise<AdaptorType>;
  patch(uuid: string, input: AdaptorTypeInput, principal: Principal, faults?: FaultList): Promise<AdaptorType>;
  /** @throws AppError IN_USE while an adaptor is of the type */
  remove(uuid: string, changeVersion: GivenChangeVersion, principal: Principal): Promise<void>;
}

const sortFields = ['name', 'version', 'dateCreated', 'lastUpdated'];

const notFound = (uuid: string): AppError => new AppError('NOT_FOUND', `there is no adaptor type ${uuid}`);

const requireType = async (tx: PrismaTransaction, uuid: string): Promise<AdaptorType> => {
  const row = await tx.adaptorType.findUnique({ where: { uuid }, include: withDefaultCapabilities });
  if (row === null) throw notFound(uuid);
  return toAdaptorType(row);
};

interface ReadSettings {
  /** The metadata with its secrets masked. */
  readonly settings: AdaptorTypeSettings;
  readonly secrets: Secrets;
}

const readSettings = async (
  tx: PrismaTransaction,
  input: AdaptorTypeInput,
  inEffect: ReadSecretMetadata,
  faults: FaultList,
): Promise<ReadSettings> => {
  const given = readAdaptorType(input, faults);
  const { defaultMetadata, secretProperties, secretZones, zoneUuid } = given;
  const { metadata, secrets } = readSecretMetadata(
    '/defaultMetadata',
    defaultMetadata,
    secretProperties,
    inEffect,
    faults,
  );
  if (zoneUuid !== null && (await tx.zone.count({ where: { uuid: zoneUuid } })) === 0) {
    faults.add('/zoneUuid', 'UNKNOWN_REFERENCE', `there is no zone ${zoneUuid}`);
  }
  const zones = await tx.zone.findMany({ where: { uuid: { in: [...secretZones] } }, select: { uuid: true } });
  const known = new Set(zones.map(({ uuid }) => uuid));
  for (const [index, uuid] of secretZones.entries()) {
    if (!known.has(uuid)) faults.add(`/secretZones/${index}`, 'UNKNOWN_REFERENCE', `there is no zone ${uuid}`);
  }
  faults.throwIfAny();
  return { settings: { ...given, defaultMetadata: metadata }, secrets };
};

const asInput = ({ defaultCapabilities, ...type }: AdaptorType): AdaptorTypeInput => ({
  ...type,
  defaultCapabilities: defaultCapabilities.map((capability) => ({ ...capability })),
});

/** Types of adaptors, with the values that their adaptors inherit. */
export const createAdaptorTypeActions = (
  tools: StoreTools & {
    /** Sends the new configuration to connected adaptors of the type; called after the commit. */
    readonly announceType: (adaptorTypeUuid: string) => Promise<void>;
    readonly metadataSecrets: MetadataSecrets;
  },
): AdaptorTypeActions => {
  const { database, now, newUuid, announceType, metadataSecrets } = tools;
  const { prisma } = database;

  const log = (
    tx: PrismaTransaction,
    principal: Principal,
    action: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    type: AdaptorType,
  ) =>
    logAs(tx, principal, {
      action,
      resourceType: 'AdaptorType',
      resource: `/adaptor-types/${type.uuid}`,
      resourceUuid: type.uuid,
      ...(type.zoneUuid === null ? {} : { zoneUuid: type.zoneUuid }),
      data: type,
    });

  const uniquely = async <T>(input: AdaptorTypeInput, work: (tx: PrismaTransaction) => Promise<T>): Promise<T> => {
    try {
      return await inTransaction(database, work);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new AppError('DUPLICATE_NAME', `an adaptor type is named ${input.name ?? 'so'}`, {
        errors: [{ pointer: '/name', code: 'DUPLICATE_NAME', detail: 'names of adaptor types differ' }],
      });
    }
  };

  const update = async (
    uuid: string,
    input: AdaptorTypeInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<AdaptorType> => {
    const updated = await uniquely(input, async (tx) => {
      await lockSecretNames(tx, 'change');
      const current = await requireType(tx, uuid);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      const { settings, secrets } = await readSettings(
        tx,
        action === 'PATCH' ? { ...asInput(current), ...input } : input,
        await metadataSecrets.defaultsOf(tx, uuid),
        faults,
      );
      requireRenamable(current, settings.name);
      const { count } = await tx.adaptorType.updateMany({
        where: { uuid, changeVersion: current.changeVersion },
        data: { ...adaptorTypeColumns(settings), lastUpdated: now(), changeVersion: { increment: 1 } },
      });
      if (count === 0) throw staleChangeVersion((await requireType(tx, uuid)).changeVersion);
      await tx.adaptorTypeCapability.deleteMany({ where: { adaptorTypeUuid: uuid } });
      await tx.adaptorTypeCapability.createMany({
        data: capabilityRows(settings.defaultCapabilities).map((row) => ({ ...row, adaptorTypeUuid: uuid })),
      });
      await metadataSecrets.saveOfType(tx, uuid, secrets);
      await sealAddedNames(tx, metadataSecrets, uuid, current.secretProperties, settings.secretProperties);
      const type = await requireType(tx, uuid);
      await log(tx, principal, action, type);
      return type;
    });
    await announceType(uuid);
    return updated;
  };

  const visibleWhere = async (principal: Principal) => {
    if (principal.permits('GET', '/adaptor-types/?')) return {};
    const types = await prisma.adaptorType.findMany({ select: { uuid: true } });
    const visible = types.filter((type) => mayReadAdaptorType(principal, type)).map((type) => type.uuid);
    if (visible.length === 0) requireAnyOf(principal, ['/adaptor-types']);
    return { uuid: { in: visible } };
  };

  return {
    list: async ({ adaptorTypeUuid, name, sort }, page, principal) => {
      const orderBy = orderOf(sort, sortFields, 'name');
      const wantedName = filterText('name', name);
      const where = {
        AND: [await visibleWhere(principal), adaptorTypeUuid ? { uuid: adaptorTypeUuid } : {}],
        ...(wantedName === undefined ? {} : { name: wantedName }),
      };
      return readPage(
        page,
        () => prisma.adaptorType.count({ where }),
        async (range) =>
          (await prisma.adaptorType.findMany({ where, orderBy, ...range, include: withDefaultCapabilities })).map(
            toAdaptorType,
          ),
      );
    },
    read: (uuid) => requireType(prisma, uuid),
    create: (input, principal, faults = new FaultList()) =>
      uniquely(input, async (tx) => {
        const { settings, secrets } = await readSettings(tx, input, noMetadata, faults);
        const uuid = newUuid();
        const time = now();
        await tx.adaptorType.create({
          data: {
            uuid,
            ...adaptorTypeColumns(settings),
            createdByUuid: principal.uuid,
            dateCreated: time,
            lastUpdated: time,
            defaultCapabilities: { create: capabilityRows(settings.defaultCapabilities) },
          },
          select: { uuid: true },
        });
        await metadataSecrets.saveOfType(tx, uuid, secrets);
        const type = await requireType(tx, uuid);
        await log(tx, principal, 'POST', type);
        return type;
      }),
    replace: (uuid, input, principal, faults = new FaultList()) => update(uuid, input, principal, 'PUT', faults),
    patch: (uuid, input, principal, faults = new FaultList()) => update(uuid, input, principal, 'PATCH', faults),
    remove: async (uuid, changeVersion, principal) => {
      try {
        await inTransaction(database, async (tx) => {
          const type = await requireType(tx, uuid);
          requireNotStale(changeVersion, type.changeVersion);
          requireRemovable(type);
          requireUnused('adaptor type', { adaptors: await tx.adaptor.count({ where: { adaptorTypeUuid: uuid } }) });
          await tx.adaptorType.delete({ where: { uuid }, select: { uuid: true } });
          await log(tx, principal, 'DELETE', type);
        });
      } catch (error) {
        throw isReferenceViolation(error) ? new AppError('IN_USE', 'another request started to use the type') : error;
      }
    },
  };
};
