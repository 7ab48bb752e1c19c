import type { CursorSealer, Principal } from '@fds/auth';
import { statesTopic, type EventSource, type ReconciliationReading } from '@fds/change-events';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';

export interface ReconciliationArguments {
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
  readonly reconciliationUuid?: string | null;
}

const mayRead = (
  { permits }: Principal,
  { zoneUuid, adaptorUuid, reconciliationUuid }: ReconciliationReading,
): boolean => permits('GET', `/zones/${zoneUuid}/adaptors/${adaptorUuid}/reconciliations/${reconciliationUuid}`);

/** The progress of reconciliations of an adaptor, for `reconciliationStates`. @throws AppError FORBIDDEN */
export const createReconciliationSource = (
  { zoneUuid, adaptorUuid, reconciliationUuid }: ReconciliationArguments,
  { principal }: Pick<RequestContext, 'principal'>,
  { cursors }: { readonly cursors: CursorSealer },
): EventSource => {
  const path = `/zones/${zoneUuid}/adaptors/${adaptorUuid}/reconciliations/${reconciliationUuid ?? '?'}`;
  if (!principal.permits('GET', path)) throw new AppError('FORBIDDEN', `GET ${path} is not granted to you`);
  const isMeant = (reading: ReconciliationReading): boolean =>
    reading.zoneUuid === zoneUuid &&
    reading.adaptorUuid === adaptorUuid &&
    (typeof reconciliationUuid !== 'string' || reading.reconciliationUuid === reconciliationUuid);
  return {
    name: 'reconciliationStates',
    events: [],
    topics: [statesTopic],
    after: undefined,
    see: (receiver, item) => {
      if (item.kind !== 'STATES') return undefined;
      const seen = item.reconciliations.filter((reading) => isMeant(reading) && mayRead(receiver, reading));
      return seen.length === 0 ? undefined : { cursor: cursors.sealSalted(item.position), reconciliations: seen };
    },
  };
};
