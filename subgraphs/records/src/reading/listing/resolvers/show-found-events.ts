import { JsonText } from '@fds/graphql';
import type { Visibility } from '@fds/search';
import { loadDestinations } from '../../../store/events/list-data-events.js';
import { loadCrossings } from '../../../store/events/load-crossings.js';
import type { FoundEvent } from '../../../store/events/search-events.js';
import { listPage } from '../store/read-page.js';
import { maskEvent, type MaskedEvent } from '../../visibility/mask-event.js';
import type { RecordsAccess } from './list-data-records.js';

/** An event of a search, as far as the caller may see it. */
export type SeenEvent = MaskedEvent & FoundEvent;

/** A search of a caller. */
export interface EventSearch {
  readonly access: RecordsAccess;
  readonly visibility: Visibility | undefined;
}

/** Existing records are known by their listing, as their own histories are. Events of others outlive them. */
const withoutUnlisted = async (
  { access: { database }, visibility }: EventSearch,
  events: readonly FoundEvent[],
): Promise<readonly FoundEvent[]> => {
  if (visibility === undefined || events.length === 0) return events;
  const drUuids = [...new Set(events.map(({ recordUuid }) => recordUuid))];
  const { rows } = await database.reads.query<{ readonly uuid: string }>({
    name: 'records-existing-of',
    text: 'SELECT uuid FROM data_record WHERE uuid = ANY ($1::uuid[])',
    values: [drUuids],
  });
  const existing = rows.map(({ uuid }) => uuid);
  if (existing.length === 0) return events;
  const filter = { drUuids: existing, rows: 'PER_RECORD', visibility } as const;
  const page = { order: [], offset: 0, limit: existing.length };
  const listed = new Set((await listPage(database.reads, filter, page)).records.map(({ uuid }) => uuid));
  const hidden = new Set(existing.filter((uuid) => !listed.has(uuid)));
  return events.filter(({ recordUuid }) => !hidden.has(recordUuid));
};

/** The visible part of events, with their destinations. */
export const showEvents = async (search: EventSearch, found: readonly FoundEvent[]): Promise<SeenEvent[]> => {
  const { access, visibility } = search;
  const { reads } = access.database;
  const events = await withoutUnlisted(search, found);
  const versions = new Map<string, string | undefined>();
  for (const uuid of new Set(events.map(({ domainVersionUuid }) => domainVersionUuid))) {
    versions.set(uuid, (await access.view().findVersionByUuid(uuid))?.domainType);
  }
  const isStored = ({ domainVersionUuid }: FoundEvent): boolean =>
    versions.get(domainVersionUuid) === 'SERVICE_DATA_STORE';
  const uuidsOf = (hasStore: boolean): string[] =>
    events.filter((event) => isStored(event) === hasStore).map(({ uuid }) => uuid);
  const destinations = new Map([
    ...(await loadDestinations(reads, uuidsOf(true), true)),
    ...(await loadDestinations(reads, uuidsOf(false), false)),
  ]);
  const shown: SeenEvent[] = [];
  for (const event of events) {
    const relations = { destinations: destinations.get(event.uuid) ?? [], overrides: [], overriddenBy: [] };
    const masked = await maskEvent(event, relations, visibility, {
      view: access.view(),
      recordUuid: event.recordUuid,
    });
    shown.push({ ...event, ...masked });
  }
  return shown;
};

/** An event as GraphQL shows it. The others that it crossed are only loaded when they are asked for. */
export const toDataEvent = ({ access, visibility }: EventSearch, event: SeenEvent) => {
  const { uuid, recordUuid } = event;
  let crossed: Promise<MaskedEvent> | undefined;
  const load = async (): Promise<MaskedEvent> => {
    const crossings = await loadCrossings(access.database.reads, recordUuid, [uuid]);
    const found = crossings.get(uuid) ?? { overrides: [], overriddenBy: [] };
    return maskEvent(event, { destinations: [], ...found }, visibility, { view: access.view(), recordUuid });
  };
  return {
    ...event,
    drUuid: recordUuid,
    drKey: new JsonText(event.drKey),
    overrides: async () => (await (crossed ??= load())).overrides,
    overriddenBy: async () => (await (crossed ??= load())).overriddenBy,
  };
};
