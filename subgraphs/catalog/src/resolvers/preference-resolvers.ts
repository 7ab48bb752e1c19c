import type { Principal } from '@fds/auth';
import { AppError, FaultList } from '@fds/errors';
import { guarded, requirePage, type FieldAccess } from '@fds/graphql';
import type { AdaptorTier, AskedPreference } from '../domain/preferences/preference.js';
import type { PreferenceFilter, PreferenceActions } from '../actions/preferences/preference-actions.js';

interface PageArguments {
  readonly page?: number | null;
  readonly size?: number | null;
}

interface ZoneArguments {
  readonly zoneUuid: string;
}

interface SetArguments extends ZoneArguments {
  readonly adaptorUuid: string;
  readonly input: { readonly domainVersionUuid: string; readonly preferenceType: AdaptorTier };
}

const collection = '/zones/{zoneUuid}/settings/domain-version-adaptor-preferences';
const access = (action: FieldAccess['action'], resource: string): FieldAccess => ({
  mode: 'require',
  action,
  resource,
});

/** The list has a second path below `adaptors`, and its parts have their own paths. A grant on any of them is enough. */
const requireReadable = (principal: Principal, { zoneUuid, adaptorOrPreferenceUuid }: PreferenceFilter): void => {
  const path = `/zones/${zoneUuid}/settings/domain-version-adaptor-preferences`;
  const paths = [
    path,
    `/zones/${zoneUuid}/adaptors/settings/domain-version-adaptor-preferences`,
    ...(adaptorOrPreferenceUuid ? [`${path}/${adaptorOrPreferenceUuid}`] : []),
  ];
  if (!paths.some((it) => principal.permits('GET', it))) {
    throw new AppError('FORBIDDEN', `GET ${path} is not granted to you`);
  }
};

export const preferenceResolvers = (actions: PreferenceActions) => ({
  Query: {
    adaptorPreferences: guarded<PreferenceFilter & PageArguments>(
      { mode: 'filter', action: 'GET', resource: collection },
      (args, { principal }) => {
        requireReadable(principal, args);
        return actions.list(args, requirePage(args));
      },
    ),
  },
  Mutation: {
    createAdaptorPreference: guarded<ZoneArguments & { readonly input: AskedPreference }>(
      access('POST', collection),
      ({ zoneUuid, input }, { principal, purpose }) =>
        actions.create(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceAdaptorPreferences: guarded<ZoneArguments & { readonly inputs: readonly AskedPreference[] }>(
      access('PUT', collection),
      ({ zoneUuid, inputs }, { principal, purpose }) =>
        actions.replaceAll(zoneUuid, inputs, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    setAdaptorPreference: guarded<SetArguments>(
      access('PUT', `${collection}/{adaptorUuid}`),
      ({ zoneUuid, adaptorUuid, input }, { principal, purpose }) =>
        actions.set({ zoneUuid, adaptorUuid }, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deleteAdaptorPreference: guarded<ZoneArguments & { readonly adaptorOrPreferenceUuid: string }>(
      access('DELETE', `${collection}/{adaptorOrPreferenceUuid}`),
      async ({ zoneUuid, adaptorOrPreferenceUuid }, { principal }) => {
        await actions.remove(zoneUuid, adaptorOrPreferenceUuid, principal);
        return true;
      },
    ),
  },
});
