import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import type { Preference, PreferenceType } from '../../domain/preferences/preference.js';
import { logManyAs } from '../catalog-writer.js';

type PreferenceRow = Omit<Preference, 'preferenceType'> & { readonly preferenceType: string };

export const toPreference = ({ preferenceType, ...row }: PreferenceRow): Preference => ({
  ...row,
  preferenceType: preferenceType as PreferenceType,
});

const logPreferences = (
  tx: PrismaTransaction,
  principal: Principal,
  action: 'POST' | 'PUT' | 'DELETE',
  preferences: readonly Preference[],
): Promise<void> =>
  logManyAs(
    tx,
    principal,
    preferences.map((preference) => ({
      action,
      resourceType: 'Preference',
      resource: `/zones/${preference.zoneUuid}/settings/domain-version-adaptor-preferences/${preference.uuid}`,
      resourceUuid: preference.uuid,
      zoneUuid: preference.zoneUuid,
      data: preference,
    })),
  );

/** Adds preferences and logs each. */
export const addPreferences = async (
  tx: PrismaTransaction,
  preferences: readonly Preference[],
  principal: Principal,
  action: 'POST' | 'PUT',
): Promise<void> => {
  await tx.adaptorPreference.createMany({ data: [...preferences] });
  await logPreferences(tx, principal, action, preferences);
};

/** Saves the types of preferences, increments their changeVersions, and logs each. Returns their new state. */
export const changePreferences = async (
  tx: PrismaTransaction,
  preferences: readonly Preference[],
  lastUpdated: Date,
  principal: Principal,
): Promise<Preference[]> => {
  for (const preferenceType of ['GOLD', 'SILVER'] as const) {
    const uuids = preferences.filter((it) => it.preferenceType === preferenceType).map(({ uuid }) => uuid);
    if (uuids.length === 0) continue;
    await tx.adaptorPreference.updateMany({
      where: { uuid: { in: uuids } },
      data: { preferenceType, lastUpdated, changeVersion: { increment: 1 } },
    });
  }
  const changed = preferences.map((it) => ({ ...it, lastUpdated, changeVersion: it.changeVersion + 1 }));
  await logPreferences(tx, principal, 'PUT', changed);
  return changed;
};

/** Removes preferences and logs each. */
export const removePreferences = async (
  tx: PrismaTransaction,
  preferences: readonly Preference[],
  principal: Principal,
): Promise<void> => {
  await tx.adaptorPreference.deleteMany({ where: { uuid: { in: preferences.map(({ uuid }) => uuid) } } });
  await logPreferences(tx, principal, 'DELETE', preferences);
};

/** Removes the preferences for a deleted adaptor, or all preferences of a deleted zone. */
export const removePreferencesOf = async (
  tx: PrismaTransaction,
  owner: { readonly adaptorUuid: string } | { readonly zoneUuid: string },
  principal: Principal,
): Promise<void> => {
  const rows = await tx.adaptorPreference.findMany({ where: owner, orderBy: { uuid: 'asc' } });
  await removePreferences(tx, rows.map(toPreference), principal);
};
