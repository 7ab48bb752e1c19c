import { maskMembers, type Visible } from '@fds/access-rules';
import type { Principal } from '@fds/auth';
import { isJsonObject, parseJson, stringifyJson } from '@fds/json';
import { readVisibility, type Visibility } from '@fds/search';
import type { CatalogTables } from '../../catalog-view/catalog-tables.js';
import { mayKnowDestination } from '../../reading/visibility/may-know-destination.js';
import type { SeenEvents } from '../../store/events/search-events.js';
import type { RecordedAdaptor, RecordedEvent } from '../domain/recorded-event.js';
import type { Rehearsed } from '../domain/rehearse-event.js';

const shows = (visible: Visible | undefined, name: string): boolean =>
  visible === undefined || visible.extent === 'ALL' || visible.names.has(name);

/** The part of recorded events that a caller may see. Decisions are repeated on this part only: hidden data has no effect. */
export class RehearsalSight {
  readonly #principal: Principal;
  readonly #zoneUuid: string;
  readonly #visibility: Visibility | undefined;
  readonly #readsData: boolean;
  /** Which events the caller may see. Undefined: all. */
  readonly seen: SeenEvents | undefined;

  constructor(principal: Principal, zoneUuid: string, catalog: CatalogTables) {
    const versions = [...catalog.versions()];
    this.#principal = principal;
    this.#zoneUuid = zoneUuid;
    this.#visibility = readVisibility(principal, versions);
    this.#readsData = principal.permits('GET', '/drs');
    this.seen =
      principal.dataAccess === undefined
        ? undefined
        : { visibility: this.#visibility, versionUuids: versions.map(({ uuid }) => uuid) };
  }

  /** The visible part of a record at a place. Undefined: all of it. */
  visibleAt(
    { recordUuid, version }: Pick<RecordedEvent, 'recordUuid' | 'version'>,
    place: { readonly uuid: string | null; readonly zoneUuid: string },
  ): Visible | undefined {
    const access = this.#visibility?.versions.find(({ uuid }) => uuid === version.uuid)?.access;
    if (access === undefined) return undefined;
    const isOwn = place.uuid === null || version.domainType === 'SERVICE_DATA_STORE';
    const source = isOwn ? access.own : access.at({ adaptorUuid: place.uuid, zoneUuid: place.zoneUuid });
    return source.of(recordUuid);
  }

  /** JSON text of the DR Key; null: it may not be seen. */
  key(event: RecordedEvent): string | null {
    if (!this.#readsData) return null;
    const visible = this.visibleAt(event, event.source);
    if (visible === undefined || visible.extent === 'ALL') return event.drKey;
    const key = parseJson(event.drKey);
    return isJsonObject(key) ? stringifyJson(maskMembers(key, visible)) : null;
  }

  /** May the caller know that the destination is one? */
  tells(
    { version, source }: RecordedEvent,
    { adaptorUuid, zoneUuid }: Pick<Rehearsed, 'adaptorUuid' | 'zoneUuid'>,
  ): boolean {
    return mayKnowDestination(
      (path) => this.#principal.permits('GET', path),
      { zoneUuid: this.#zoneUuid, sourceZoneUuid: source.zoneUuid, domainVersionUuid: version.uuid },
      { adaptorUuid, zoneUuid },
    );
  }

  #isHolderSeen({ recordUuid, version }: RecordedEvent, { uuid, zoneUuid }: RecordedAdaptor['place']): boolean {
    const access = this.#visibility?.versions.find((each) => each.uuid === version.uuid)?.access;
    return access === undefined || access.at({ adaptorUuid: uuid, zoneUuid }).of(recordUuid).extent !== 'NONE';
  }

  /** The visible part of an event. Undefined: the caller may see no property of it. */
  event(event: RecordedEvent): RecordedEvent | undefined {
    const own = this.visibleAt(event, event.source);
    if (own === undefined) return event;
    if (own.extent === 'NONE') return undefined;
    return {
      ...event,
      changed: event.changed && new Set([...event.changed].filter((name) => shows(own, name))),
      names: event.names.filter((name) => shows(own, name)),
      adaptors: event.adaptors.flatMap((destination) => this.#adaptor(event, destination, own)),
      store: event.store && { ...event.store, removed: event.store.removed.filter((name) => shows(own, name)) },
    };
  }

  /** None: the caller may not see the adaptor's copy, or nothing that was new to it. */
  #adaptor(event: RecordedEvent, destination: RecordedAdaptor, own: Visible): RecordedAdaptor[] {
    const { place, isKnown, isSent, removed, news } = destination;
    if (!this.#isHolderSeen(event, place)) return [];
    const there = this.visibleAt(event, place);
    if ([own, there].every((visible) => visible === undefined || visible.extent === 'ALL')) return [destination];
    if (event.action === 'DELETE') return [destination];
    const sees = (name: string): boolean => shows(own, name) && shows(there, name);
    const names = destination.names.filter(sees);
    const seenNews = new Set([...news].filter(sees));
    const seenRemoved = removed.filter(sees);
    if (names.length === 0 || (isKnown && seenNews.size === 0)) return [];
    const seen = {
      ...destination,
      names,
      news: seenNews,
      removed: seenRemoved,
      withheld: destination.withheld.filter(sees),
    };
    const { drKeyProperties } = event.version.model;
    const isLeft = (isKnown ? [...seenNews] : names).some((name) => !seenRemoved.includes(name));
    if (!isSent || isLeft) return [seen];
    // every visible property of the message was kept back
    const isDenied = seenRemoved.some((name) => seenNews.has(name) && !drKeyProperties.includes(name));
    return [
      { ...seen, isSent: false, status: isDenied ? 'DENIED' : 'NOT_SENT', reason: isDenied ? 'DENIED' : 'NOTHING_NEW' },
    ];
  }
}
