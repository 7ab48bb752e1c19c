import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import type { Preference, PreferenceType } from '../domain/preference.js';
import { logAs } from './catalog-writer.js';

type PreferenceRow = Omit<Preference, 'preferenceType'> & { readonly preferenceType: string };

export const toPreference = ({ preferenceType, ...row }: PreferenceRow): Preference => ({
  ...row,
  preferenceType: preferenceType as PreferenceType,
});

export const logPreference = (
  tx: PrismaTransaction,
  principal: Principal,
  action: 'POST' | 'PUT' | 'DELETE',
  preference: Preference,
): Promise<void> =>
  logAs(tx, principal, {
    action,
    resourceType: 'Preference',
    resource: `/zones/${preference.zoneUuid}/settings/domain-version-adaptor-preferences/${preference.uuid}`,
    resourceUuid: preference.uuid,
    zoneUuid: preference.zoneUuid,
    data: preference,
  });

/** Removes preferences and logs each. */
export const removePreferences = async (
  tx: PrismaTransaction,
  preferences: readonly Preference[],
  principal: Principal,
): Promise<void> => {
  await tx.adaptorPreference.deleteMany({ where: { uuid: { in: preferences.map(({ uuid }) => uuid) } } });
  for (const preference of preferences) await logPreference(tx, principal, 'DELETE', preference);
};

/** Removes what zones prefer of an adaptor, or all that a zone prefers: they go with it. */
export const removePreferencesOf = async (
  tx: PrismaTransaction,
  owner: { readonly adaptorUuid: string } | { readonly zoneUuid: string },
  principal: Principal,
): Promise<void> => {
  const rows = await tx.adaptorPreference.findMany({ where: owner, orderBy: { uuid: 'asc' } });
  await removePreferences(tx, rows.map(toPreference), principal);
};
