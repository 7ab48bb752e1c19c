import type { Principal } from '@fds/auth';
import { inTransaction, isReferenceViolation, isUniqueViolation, type PrismaTransaction } from '@fds/database';
import { AppError, type FaultList } from '@fds/errors';
import { maxPageSize, orderOf, type Paged, type PageRequest, readPage, toPaged } from '@fds/graphql';
import {
  planPreferences,
  readPreference,
  requireDistinct,
  type AdaptorTier,
  type AskedPreference,
  type Preference,
  type PreferenceInput,
  type PreferenceType,
} from '../../domain/preferences/preference.js';
import type { StoreTools } from '../../store/catalog-writer.js';
import {
  addPreferences,
  changePreferences,
  removePreferences,
  toPreference,
} from '../../store/preferences/preference-rows.js';
import { lockZone, requireZone } from '../zones/require-zone.js';

type Reference = 'domainVersionUuid' | 'adaptorUuid';

/**
 * Checks that the resources in preferences exist. An adaptor may belong to any zone, and need not have the capability
 * GET yet.
 *
 * @param pointerOf pointer to a preference in the input
 */
const checkPreferenceReferences = async (
  tx: PrismaTransaction,
  inputs: readonly Pick<AskedPreference, Reference>[],
  pointerOf: (index: number) => string,
  faults: FaultList,
): Promise<void> => {
  const among = (name: Reference) => ({
    where: { uuid: { in: [...new Set(inputs.map((input) => input[name]))] } },
    select: { uuid: true },
  });
  const known = new Set(
    [
      ...(await tx.domainVersion.findMany(among('domainVersionUuid'))),
      ...(await tx.adaptor.findMany(among('adaptorUuid'))),
    ].map(({ uuid }) => uuid),
  );
  const resources = { domainVersionUuid: 'domain version', adaptorUuid: 'adaptor' } as const;
  for (const [index, input] of inputs.entries()) {
    for (const name of ['domainVersionUuid', 'adaptorUuid'] as const) {
      if (known.has(input[name])) continue;
      faults.add(`${pointerOf(index)}/${name}`, 'UNKNOWN_REFERENCE', `there is no ${resources[name]} ${input[name]}`);
    }
  }
};

export interface PreferenceFilter {
  readonly zoneUuid: string;
  readonly adaptorUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  readonly preferenceType?: PreferenceType | null;
  /** The preference with this uuid, or those of the adaptor with this uuid. */
  readonly adaptorOrPreferenceUuid?: string | null;
  readonly sort?: string | null;
}

/** A preference as it was set; BRONZE is not stored. */
type SetPreference =
  | Preference
  | (Pick<Preference, 'zoneUuid' | 'domainVersionUuid' | 'adaptorUuid'> & { readonly preferenceType: 'BRONZE' });

/** A zone's gold and silver adaptors by domain version (docs/reference/adaptor-operations.md#preferences). */
export interface PreferenceActions {
  /** @throws AppError NOT_FOUND for the zone, and for a uuid that belongs neither to an adaptor nor to a preference */
  list(filter: PreferenceFilter, page: PageRequest): Promise<Paged<Preference>>;
  /** @throws AppError NOT_FOUND, UNKNOWN_REFERENCE, CONFLICT when the adaptor already has a preference for the version */
  create(zoneUuid: string, input: AskedPreference, principal: Principal, faults: FaultList): Promise<Preference>;
  /**
   * Replaces the zone's preferences. Returns the first page of them.
   *
   * @throws AppError NOT_FOUND, VALIDATION_FAILED, UNKNOWN_REFERENCE
   */
  replaceAll(
    zoneUuid: string,
    asked: readonly AskedPreference[],
    principal: Principal,
    faults: FaultList,
  ): Promise<Paged<Preference>>;
  /** Idempotent. @throws AppError NOT_FOUND for the zone and the adaptor, UNKNOWN_REFERENCE */
  set(
    key: { readonly zoneUuid: string; readonly adaptorUuid: string },
    input: { readonly domainVersionUuid: string; readonly preferenceType: AdaptorTier },
    principal: Principal,
    faults: FaultList,
  ): Promise<SetPreference>;
  /**
   * Removes the preference with this uuid, or those of the adaptor with this uuid. @throws AppError NOT_FOUND when no
   * preference exists
   */
  remove(zoneUuid: string, adaptorOrPreferenceUuid: string, principal: Principal): Promise<void>;
}

const sortFields = ['preferenceType', 'dateCreated', 'lastUpdated', 'domainVersionUuid', 'adaptorUuid'];

const ofUuid = (uuid: string) => ({ OR: [{ uuid }, { adaptorUuid: uuid }] });

export const createPreferenceActions = (tools: StoreTools): PreferenceActions => {
  const { database, now, newUuid } = tools;
  const { prisma } = database;

  const newPreference = (zoneUuid: string, input: PreferenceInput, principal: Principal): Preference => {
    const { domainVersionUuid, adaptorUuid, preferenceType } = input;
    const time = now();
    return {
      uuid: newUuid(),
      zoneUuid,
      domainVersionUuid,
      adaptorUuid,
      preferenceType,
      createdByUuid: principal.uuid,
      dateCreated: time,
      lastUpdated: time,
      changeVersion: 1,
    };
  };

  /** Concurrent changes of a zone's preferences are serialised. */
  const inZone = async <T>(zoneUuid: string, work: (tx: PrismaTransaction) => Promise<T>): Promise<T> => {
    try {
      return await inTransaction(database, async (tx) => {
        await lockZone(tx, zoneUuid);
        return work(tx);
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new AppError('CONFLICT', 'the adaptor has a preference for the version');
      throw isReferenceViolation(error)
        ? new AppError('CONFLICT', 'another request deleted the adaptor or the domain version')
        : error;
    }
  };

  return {
    list: async ({ zoneUuid, adaptorUuid, domainVersionUuid, preferenceType, adaptorOrPreferenceUuid, sort }, page) => {
      const orderBy = orderOf(sort, sortFields, 'domainVersionUuid,preferenceType');
      await requireZone(prisma, zoneUuid);
      const where = {
        zoneUuid,
        ...(adaptorOrPreferenceUuid ? ofUuid(adaptorOrPreferenceUuid) : {}),
        ...(domainVersionUuid ? { domainVersionUuid } : {}),
        ...(preferenceType ? { preferenceType } : {}),
        ...(adaptorUuid ? { AND: { adaptorUuid } } : {}),
      };
      const paged = await readPage(
        page,
        () => prisma.adaptorPreference.count({ where }),
        async (range) => (await prisma.adaptorPreference.findMany({ where, orderBy, ...range })).map(toPreference),
      );
      if (!adaptorOrPreferenceUuid || paged.page.totalElements > 0) return paged;
      if ((await prisma.adaptor.count({ where: { uuid: adaptorOrPreferenceUuid } })) > 0) return paged;
      throw new AppError('NOT_FOUND', `${adaptorOrPreferenceUuid} is neither an adaptor nor a preference of the zone`);
    },

    create: (zoneUuid, asked, principal, faults) =>
      inZone(zoneUuid, async (tx) => {
        const input = readPreference(asked, '', faults);
        await checkPreferenceReferences(tx, [asked], () => '', faults);
        faults.throwIfAny();
        const preference = newPreference(zoneUuid, input, principal);
        await addPreferences(tx, [preference], principal, 'POST');
        return preference;
      }),

    replaceAll: (zoneUuid, asked, principal, faults) =>
      inZone(zoneUuid, async (tx) => {
        const pointerOf = (index: number): string => `/${index}`;
        const inputs = asked.map((preference, index) => readPreference(preference, pointerOf(index), faults));
        requireDistinct(asked, faults);
        await checkPreferenceReferences(tx, asked, pointerOf, faults);
        faults.throwIfAny();
        const current = (await tx.adaptorPreference.findMany({ where: { zoneUuid } })).map(toPreference);
        const { added, changed, removed } = planPreferences(current, inputs);
        await removePreferences(tx, removed, principal);
        await changePreferences(tx, changed, now(), principal);
        const fresh = added.map((input) => newPreference(zoneUuid, input, principal));
        await addPreferences(tx, fresh, principal, 'PUT');
        const orderBy = orderOf(undefined, sortFields, 'domainVersionUuid,preferenceType');
        const rows = await tx.adaptorPreference.findMany({ where: { zoneUuid }, orderBy, take: maxPageSize });
        return toPaged(rows.map(toPreference), { page: 0, size: maxPageSize }, inputs.length);
      }),

    set: ({ zoneUuid, adaptorUuid }, { domainVersionUuid, preferenceType }, principal, faults) =>
      inZone(zoneUuid, async (tx) => {
        if ((await tx.adaptor.count({ where: { uuid: adaptorUuid } })) === 0) {
          throw new AppError('NOT_FOUND', `there is no adaptor ${adaptorUuid}`);
        }
        await checkPreferenceReferences(tx, [{ domainVersionUuid, adaptorUuid }], () => '', faults);
        faults.throwIfAny();
        const row = await tx.adaptorPreference.findFirst({ where: { zoneUuid, domainVersionUuid, adaptorUuid } });
        const current = row === null ? undefined : toPreference(row);
        if (preferenceType === 'BRONZE') {
          if (current !== undefined) await removePreferences(tx, [current], principal);
          return { zoneUuid, domainVersionUuid, adaptorUuid, preferenceType };
        }
        if (current === undefined) {
          const preference = newPreference(zoneUuid, { domainVersionUuid, adaptorUuid, preferenceType }, principal);
          await addPreferences(tx, [preference], principal, 'PUT');
          return preference;
        }
        if (current.preferenceType === preferenceType) return current;
        const [changed = current] = await changePreferences(tx, [{ ...current, preferenceType }], now(), principal);
        return changed;
      }),

    remove: (zoneUuid, adaptorOrPreferenceUuid, principal) =>
      inZone(zoneUuid, async (tx) => {
        const rows = await tx.adaptorPreference.findMany({ where: { zoneUuid, ...ofUuid(adaptorOrPreferenceUuid) } });
        if (rows.length === 0) throw new AppError('NOT_FOUND', `there is no preference ${adaptorOrPreferenceUuid}`);
        await removePreferences(tx, rows.map(toPreference), principal);
      }),
  };
};
