import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { EventDestination, ListedEvent } from '../store/events/list-data-events.js';
import type { Visibility } from '../store/listing/visibility.js';
import { isSeenAt } from './is-seen-at.js';
import { maskRecords } from './mask-records.js';

export interface MaskedEvent extends ListedEvent {
  readonly destinations: readonly EventDestination[];
}

/** Takes from an event of a record that may be seen the values and the destinations that may not be. */
export const maskEvent = async (
  event: ListedEvent,
  destinations: readonly EventDestination[],
  visibility: Visibility | undefined,
  { view, recordUuid }: { readonly view: Pick<CatalogView, 'findAdaptor'>; readonly recordUuid: string },
): Promise<MaskedEvent> => {
  if (visibility === undefined) return { ...event, destinations };
  const { domainVersionUuid, sourceAdaptorUuid: holderUuid, drKey } = event;
  const record = { uuid: recordUuid, domainVersionUuid, holderUuid, drKey, json: null };
  const [seen = record] = await maskRecords([record], visibility, view);
  const seenDestinations: EventDestination[] = [];
  for (const destination of destinations) {
    const { adaptorUuid } = destination;
    if (await isSeenAt(visibility, view, { drUuid: recordUuid, domainVersionUuid, adaptorUuid })) {
      seenDestinations.push(destination);
    }
  }
  return { ...event, drKey: seen.drKey, destinations: seenDestinations };
};
