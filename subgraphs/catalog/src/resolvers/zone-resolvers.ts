import { guarded, requirePage } from '@fds/graphql';
import type { Zone, ZoneInput } from '../domain/zone.js';
import type { ZoneFilter, ZoneStore } from '../store/zone-store.js';
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

export const zoneResolvers = (store: ZoneStore, loadersOf: LoadersOf) => ({
  Query: {
    zones: guarded<ZoneFilter & PageArguments>(
      { mode: 'filter', action: 'GET', resource: one },
      (args, { principal }) => store.list(args, requirePage(args), principal),
    ),
    zone: guarded<ZoneArguments>({ mode: 'require', action: 'GET', resource: one }, ({ zoneUuid }) =>
      store.read(zoneUuid),
    ),
  },
  Mutation: {
    createZone: guarded<{ readonly input: ZoneInput }>(
      { mode: 'require', action: 'POST', resource: '/zones' },
      ({ input }, { principal }) => store.create(input, principal),
    ),
    createChildZone: guarded<WriteArguments>(
      { mode: 'require', action: 'POST', resource: `${one}/child-zones` },
      ({ zoneUuid, input }, { principal }) => store.createChild(zoneUuid, input, principal),
    ),
    replaceZone: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ zoneUuid, input }, { principal }) => store.replace(zoneUuid, input, principal),
    ),
    patchZone: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ zoneUuid, input }, { principal }) => store.patch(zoneUuid, input, principal),
    ),
    deleteZone: guarded<ZoneArguments>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ zoneUuid }, { principal }) => {
        await store.remove(zoneUuid, principal);
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
