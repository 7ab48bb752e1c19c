import type { CursorSealer, Principal } from '@fds/auth';
import { statesTopic, type AdaptorReading, type EventSource } from '@fds/change-events';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';

export interface StateArguments {
  readonly zoneUuid?: string | null;
  readonly adaptorUuid?: string | null;
}

const mayRead = ({ permits }: Principal, { zoneUuid, adaptorUuid }: AdaptorReading): boolean =>
  permits('GET', `/zones/${zoneUuid}/adaptors/${adaptorUuid}`);

/** The states of adaptors, at most once a second, for `adaptorStates`. @throws AppError FORBIDDEN */
export const createStateSource = (
  { zoneUuid, adaptorUuid }: StateArguments,
  { principal }: Pick<RequestContext, 'principal'>,
  { cursors }: { readonly cursors: CursorSealer },
): EventSource => {
  const zones = typeof zoneUuid === 'string' ? [zoneUuid] : ['?', ...principal.zones.map((zone) => zone.zoneUuid)];
  const held = zones.map((zone) => `/zones/${zone}/adaptors/${adaptorUuid ?? '?'}`);
  // without a zone in the arguments, the zone of the adaptor is not known yet
  const isOpen = zoneUuid === undefined || zoneUuid === null ? typeof adaptorUuid === 'string' : false;
  if (!isOpen && !held.some((path) => principal.permits('GET', path)))
    throw new AppError('FORBIDDEN', `GET ${held[0]} is not granted to you`);
  const isMeant = (reading: AdaptorReading): boolean =>
    (typeof zoneUuid !== 'string' || reading.zoneUuid === zoneUuid) &&
    (typeof adaptorUuid !== 'string' || reading.adaptorUuid === adaptorUuid);
  return {
    name: 'adaptorStates',
    events: [],
    topics: [statesTopic],
    after: undefined,
    see: (receiver, item) => {
      if (item.kind !== 'STATES') return undefined;
      const seen = item.readings.filter((reading) => isMeant(reading) && mayRead(receiver, reading));
      return {
        cursor: cursors.sealSalted(item.position),
        adaptors: seen.map((reading) => ({
          ...reading,
          adaptor: { uuid: reading.adaptorUuid },
          zone: { uuid: reading.zoneUuid },
        })),
      };
    },
  };
};
