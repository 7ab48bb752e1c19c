import { guarded, requirePage } from '@fds/graphql';
import { FaultList, type GivenChangeVersion } from '@fds/errors';
import type { Zone, ZoneInput } from '../domain/zones/zone.js';
import type { ChildZoneFilter, ZoneFilter, ZoneActions } from '../actions/zones/zone-actions.js';
import type { LoadersOf } from './loaders.js';

interface PageArguments {
  readonly page?: number | null;
  readonly size?: number | null;
}

interface ZoneArguments {
  readonly zoneUuid: string;
}

interface WriteArguments extends ZoneArguments {
  readonly input: ZoneInput;
}

const one = '/zones/{zoneUuid}';

export const zoneResolvers = (actions: ZoneActions, loadersOf: LoadersOf) => ({
  Query: {
    zones: guarded<ZoneFilter & PageArguments>(
      { mode: 'filter', action: 'GET', resource: one },
      (args, { principal }) => actions.list(args, requirePage(args), principal),
    ),
    childZones: guarded<ZoneArguments & ChildZoneFilter & PageArguments>(
      { mode: 'require', action: 'GET', resource: `${one}/child-zones` },
      ({ zoneUuid, page, size, ...filter }) => actions.listChildren(zoneUuid, filter, requirePage({ page, size })),
    ),
    zone: guarded<ZoneArguments>({ mode: 'require', action: 'GET', resource: one }, ({ zoneUuid }) =>
      actions.read(zoneUuid),
    ),
  },
  Mutation: {
    createZone: guarded<{ readonly input: ZoneInput }>(
      { mode: 'require', action: 'POST', resource: '/zones' },
      ({ input }, { principal, purpose }) => actions.create(input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    createChildZone: guarded<WriteArguments>(
      { mode: 'require', action: 'POST', resource: `${one}/child-zones` },
      ({ zoneUuid, input }, { principal, purpose }) =>
        actions.createChild(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceZone: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ zoneUuid, input }, { principal, purpose }) =>
        actions.replace(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchZone: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ zoneUuid, input }, { principal, purpose }) =>
        actions.patch(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deleteZone: guarded<ZoneArguments & { readonly changeVersion?: GivenChangeVersion }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ zoneUuid, changeVersion }, { principal }) => {
        await actions.remove(zoneUuid, changeVersion, principal);
        return true;
      },
    ),
  },
  Zone: {
    zoneUuid: ({ uuid }: Zone) => uuid,
    __resolveReference: ({ uuid }: { uuid: string }, context: Parameters<LoadersOf>[0]) =>
      loadersOf(context).zone.load(uuid),
  },
});
