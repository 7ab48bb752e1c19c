import type { Database } from '@fds/database';
import { AppError, FaultList, type GivenChangeVersion } from '@fds/errors';
import { guarded, requirePage, type FieldAccess, type RequestContext } from '@fds/graphql';
import { capabilitiesInEffect, metadataInEffect, type Adaptor, type AdaptorInput } from '../domain/adaptors/adaptor.js';
import { mayReadAdaptorType } from '../domain/visibility.js';
import { listAdaptors, type AdaptorFilter } from '../actions/adaptors/adaptor-list.js';
import type { AdaptorActions } from '../actions/adaptors/adaptor-actions.js';
import type { RegistrationActions } from '../actions/adaptors/registration-actions.js';
import { minuteMs, type LoadersOf } from './loaders.js';

interface AdaptorArguments {
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
}

interface WriteArguments extends AdaptorArguments {
  readonly input: AdaptorInput;
}

const collection = '/zones/{zoneUuid}/adaptors';
const one = `${collection}/{adaptorUuid}`;
const access = (action: FieldAccess['action'], resource: string): FieldAccess => ({
  mode: 'require',
  action,
  resource,
});

export interface AdaptorParts {
  readonly database: Database;
  readonly adaptors: AdaptorActions;
  readonly registrations: RegistrationActions;
  readonly loadersOf: LoadersOf;
  readonly now: () => Date;
}

const [usualMinutes, maxMinutes] = [60, 240];

/** @throws AppError INVALID_PARAMETER */
const requireMinutes = (minutes: number): number => {
  if (minutes >= 1 && minutes <= maxMinutes) return minutes;
  const detail = `minutes must be from 1 to ${maxMinutes}`;
  throw new AppError('INVALID_PARAMETER', detail, { errors: [{ pointer: 'minutes', code: 'OUT_OF_RANGE', detail }] });
};

export const adaptorResolvers = ({ database, adaptors, registrations, loadersOf, now }: AdaptorParts) => ({
  Query: {
    adaptors: guarded<AdaptorFilter & { readonly page?: number | null; readonly size?: number | null }>(
      { mode: 'filter', action: 'GET', resource: collection },
      (args, { principal }) => listAdaptors(database, args, requirePage(args), principal),
    ),
    adaptor: guarded<AdaptorArguments>(access('GET', one), ({ zoneUuid, adaptorUuid }) =>
      adaptors.read(zoneUuid, adaptorUuid),
    ),
    adaptorRegistration: guarded<AdaptorArguments>(access('GET', `${one}/registration`), ({ zoneUuid, adaptorUuid }) =>
      registrations.read(zoneUuid, adaptorUuid),
    ),
  },
  Mutation: {
    createAdaptor: guarded<{ readonly zoneUuid: string; readonly input: AdaptorInput }>(
      access('POST', collection),
      ({ zoneUuid, input }, { principal, purpose }) =>
        adaptors.create(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceAdaptor: guarded<WriteArguments>(
      access('PUT', one),
      ({ zoneUuid, adaptorUuid, input }, { principal, purpose }) =>
        adaptors.replace(zoneUuid, adaptorUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchAdaptor: guarded<WriteArguments>(
      access('PATCH', one),
      ({ zoneUuid, adaptorUuid, input }, { principal, purpose }) =>
        adaptors.patch(zoneUuid, adaptorUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deleteAdaptor: guarded<
      AdaptorArguments & { readonly force?: boolean | null; readonly changeVersion?: GivenChangeVersion }
    >(access('DELETE', one), async ({ zoneUuid, adaptorUuid, force, changeVersion }, { principal }) => {
      if (force === true) await adaptors.remove(zoneUuid, adaptorUuid, changeVersion, principal);
      else await adaptors.deactivate(zoneUuid, adaptorUuid, changeVersion, principal);
      return true;
    }),
    reissueAdaptorRegistration: guarded<AdaptorArguments>(
      access('POST', `${one}/registration`),
      ({ zoneUuid, adaptorUuid }, { principal }) => registrations.reissue(zoneUuid, adaptorUuid, principal),
    ),
  },
  Adaptor: {
    capabilities: capabilitiesInEffect,
    metadata: metadataInEffect,
    discovery: ({ uuid }: Adaptor, _args: object, context: RequestContext) =>
      loadersOf(context).discoveriesOf.load(uuid),
    verified: ({ uuid }: Adaptor, _args: object, context: RequestContext) =>
      loadersOf(context).verificationsOf.load(uuid),
    queue: ({ zoneUuid, uuid }: Adaptor, _args: object, context: RequestContext) =>
      context.principal.permits('GET', `/zones/${zoneUuid}/adaptors/${uuid}/queue`)
        ? loadersOf(context).queueOf.load(uuid)
        : null,
    lastMinutes: (
      { zoneUuid, uuid: adaptorUuid }: Adaptor,
      { minutes }: { readonly minutes?: number | null },
      context: RequestContext,
    ) => {
      const after = Math.floor(now().getTime() / minuteMs) - requireMinutes(minutes ?? usualMinutes);
      return context.principal.permits('GET', `/zones/${zoneUuid}/adaptors/${adaptorUuid}/metrics`)
        ? loadersOf(context).minutesOf.load({ adaptorUuid, after })
        : null;
    },
    adaptorTypeSummary: ({ adaptorType }: Adaptor) => adaptorType,
    adaptorType: ({ adaptorType }: Adaptor, _args: object, { principal }: RequestContext) => {
      if (mayReadAdaptorType(principal, adaptorType)) return adaptorType;
      throw new AppError('FORBIDDEN', `GET /adaptor-types/${adaptorType.uuid} is not granted to you`);
    },
    zone: async ({ zoneUuid }: Adaptor, _args: object, context: RequestContext) => {
      const zone = await loadersOf(context).zone.load(zoneUuid);
      if (zone === null) throw new AppError('FORBIDDEN', `GET /zones/${zoneUuid} is not granted to you`);
      return zone;
    },
    __resolveReference: ({ uuid }: { uuid: string }, context: RequestContext) => loadersOf(context).adaptor.load(uuid),
  },
});
