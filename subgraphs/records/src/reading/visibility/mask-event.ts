import type { Visible } from '@fds/access-rules';
import type { Visibility } from '@fds/search';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { EventDestination, ListedEvent } from '../../store/events/list-data-events.js';
import type { CrossedEvent, EventCrossings } from '../../store/events/load-crossings.js';
import { isSeenAt } from './is-seen-at.js';
import { maskRecords } from './mask-records.js';

/** The members that are shown with an event. */
export interface EventRelations extends EventCrossings {
  readonly destinations: readonly EventDestination[];
}

export interface MaskedEvent extends ListedEvent, EventRelations {}

interface MaskedRecord {
  readonly view: Pick<CatalogView, 'findAdaptor'>;
  readonly recordUuid: string;
}

const shows = (visible: Visible | undefined, property: string): boolean =>
  visible === undefined || visible.extent === 'ALL' || visible.names.has(property);

/** Those of events that may be seen themselves, with the properties that both let the caller see. */
const maskCrossed = async (
  crossed: readonly CrossedEvent[],
  visibility: Visibility,
  { view }: Pick<MaskedRecord, 'view'>,
  own: { readonly domainVersionUuid: string; readonly visible: Visible | undefined },
): Promise<readonly CrossedEvent[]> => {
  const { domainVersionUuid } = own;
  const seen: CrossedEvent[] = [];
  for (const each of crossed) {
    const { sourceAdaptorUuid: adaptorUuid, recordUuid } = each;
    if (
      adaptorUuid !== null &&
      !(await isSeenAt(visibility, view, { drUuid: recordUuid, domainVersionUuid, adaptorUuid }))
    )
      continue;
    const named = { uuid: recordUuid, domainVersionUuid, holderUuid: adaptorUuid, drKey: '{}', json: null };
    const [{ visible } = {}] = await maskRecords([named], visibility, view);
    const properties = each.properties.filter((name) => shows(own.visible, name) && shows(visible, name));
    // none stands for all of them
    if (properties.length > 0 || each.properties.length === 0) seen.push({ ...each, properties });
  }
  return seen;
};

/** The text of an adaptor may contain any data. */
const maskedReason = 'the adaptor did not apply it';

/** The properties that a destination could not apply, as far as both the event and the destination let the caller see them. */
const maskNotApplied = async (
  { notApplied, adaptorUuid }: EventDestination,
  visibility: Visibility,
  { view, recordUuid }: MaskedRecord,
  own: { readonly domainVersionUuid: string; readonly visible: Visible | undefined },
): Promise<EventDestination['notApplied']> => {
  if (notApplied.length === 0) return notApplied;
  const { domainVersionUuid } = own;
  const named = { uuid: recordUuid, domainVersionUuid, holderUuid: adaptorUuid, drKey: '{}', json: null };
  const [{ visible } = {}] = await maskRecords([named], visibility, view);
  const seesAll = [own.visible, visible].every((each) => each === undefined || each.extent === 'ALL');
  return notApplied
    .filter(({ property }) => shows(own.visible, property) && shows(visible, property))
    .map(({ property, reason }) => ({ property, reason: seesAll ? reason : maskedReason }));
};

/** Takes from an event of a record that may be seen the values, the destinations and the other events that may not be. */
export const maskEvent = async (
  event: ListedEvent,
  relations: EventRelations,
  visibility: Visibility | undefined,
  masked: MaskedRecord,
): Promise<MaskedEvent> => {
  if (visibility === undefined) return { ...event, ...relations };
  const { view, recordUuid } = masked;
  const { domainVersionUuid, sourceAdaptorUuid: holderUuid, drKey } = event;
  const record = { uuid: recordUuid, domainVersionUuid, holderUuid, drKey, json: null };
  const [{ drKey: seenKey, visible } = { drKey, visible: undefined }] = await maskRecords([record], visibility, view);
  const own = { domainVersionUuid, visible };
  const seenDestinations: EventDestination[] = [];
  for (const destination of relations.destinations) {
    const { adaptorUuid } = destination;
    if (
      adaptorUuid === null ||
      (await isSeenAt(visibility, view, { drUuid: recordUuid, domainVersionUuid, adaptorUuid }))
    ) {
      const notApplied = await maskNotApplied(destination, visibility, masked, own);
      seenDestinations.push({ ...destination, notApplied });
    }
  }
  return {
    ...event,
    drKey: seenKey,
    destinations: seenDestinations,
    overrides: await maskCrossed(relations.overrides, visibility, masked, own),
    overriddenBy: await maskCrossed(relations.overriddenBy, visibility, masked, own),
  };
};
