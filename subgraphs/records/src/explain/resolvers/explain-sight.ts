import type { Principal } from '@fds/auth';
import type { Visible } from '@fds/access-rules';
import { readVisibility, type Visibility } from '@fds/search';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { RemovedProperty } from '../../domain/routing/destination-note.js';
import { visibleOfIssue } from '../../issues/visibility/visible-of-issue.js';
import { isSeenAt } from '../../reading/visibility/is-seen-at.js';
import { maskRecords } from '../../reading/visibility/mask-records.js';
import type { ExplainedCandidate, ExplainedDestination, ExplainedStep } from '../domain/explained.js';

/** The record of an event, and the adaptor that reported it. */
export interface ExplainedPlace {
  readonly drUuid: string;
  readonly domainVersionUuid: string;
  readonly sourceAdaptorUuid: string | null;
  /** How the caller sees the event: as data of its source, or as a message to an adaptor whose data it sees. */
  readonly sight: 'SOURCE' | 'DESTINATION';
}

/** A part of an answer, and whether something was left out of it. */
export interface Seen<Part> {
  readonly part: Part;
  readonly hidden: boolean;
}

const shows = (visible: Visible | undefined, property: string): boolean =>
  visible === undefined || visible.extent === 'ALL' || visible.names.has(property);

const propertyOf = (comparison: unknown): string => {
  const property =
    typeof comparison === 'object' && comparison !== null && 'property' in comparison ? comparison.property : undefined;
  return typeof property === 'string' ? (property.split('.')[0] ?? '') : '';
};

/** The parts of an explanation that a caller may see. */
export class ExplainSight {
  readonly #principal: Principal;
  readonly #view: CatalogView;
  readonly #visibility: Visibility | undefined;
  /** May the caller see data of records? */
  readonly readsData: boolean;

  constructor(principal: Principal, view: CatalogView) {
    this.#principal = principal;
    this.#view = view;
    this.#visibility =
      principal.dataAccess === undefined ? undefined : readVisibility(principal, [...view.catalog.versions()]);
    this.readsData = principal.permits('GET', '/drs');
  }

  get isRestricted(): boolean {
    return this.#visibility !== undefined;
  }

  mayGet(path: string): boolean {
    return this.#principal.permits('GET', path);
  }

  isSelf(personUuid: string): boolean {
    return this.#principal.uuid === personUuid;
  }

  mayKnowAdaptor({ uuid, zoneUuid }: { readonly uuid: string; readonly zoneUuid: string }): boolean {
    return this.mayGet(`/zones/${zoneUuid}/adaptors/${uuid}`);
  }

  /** Do the data access rules show the record, at the adaptor that reported it? */
  async seesRecord({ drUuid, domainVersionUuid, sourceAdaptorUuid }: Omit<ExplainedPlace, 'sight'>): Promise<boolean> {
    if (this.#visibility === undefined) return true;
    if (sourceAdaptorUuid !== null) {
      const at = { drUuid, domainVersionUuid, adaptorUuid: sourceAdaptorUuid };
      return isSeenAt(this.#visibility, this.#view, at);
    }
    const version = this.#visibility.versions.find(({ uuid }) => uuid === domainVersionUuid);
    return version === undefined || version.access.own.of(drUuid).extent !== 'NONE';
  }

  /** The visible part of the record at a holder; undefined: all of it. */
  async #visibleAt(
    { drUuid, domainVersionUuid }: Pick<ExplainedPlace, 'drUuid' | 'domainVersionUuid'>,
    holderUuid: string | null,
    drKey = '{}',
  ) {
    const named = { uuid: drUuid, domainVersionUuid, holderUuid, drKey, json: null };
    const [seen] = await maskRecords([named], this.#visibility, this.#view);
    return seen;
  }

  /** JSON text of the DR Key; null: it may not be seen. */
  async key(place: ExplainedPlace, drKey: string): Promise<Seen<string | null>> {
    if (!this.readsData || place.sight === 'DESTINATION') return { part: null, hidden: true };
    const seen = await this.#visibleAt(place, place.sourceAdaptorUuid, drKey);
    return { part: seen?.drKey ?? null, hidden: seen?.drKey !== drKey };
  }

  /** The destination, without entries and properties that the caller may not know. Undefined: the adaptor is hidden. */
  async destination(
    place: ExplainedPlace,
    destination: ExplainedDestination,
    sourceZoneUuid: string,
  ): Promise<Seen<ExplainedDestination> | undefined> {
    const { adaptor, chain, aclUuid, changed, removed, notApplied } = destination;
    if (!this.mayKnowAdaptor(adaptor)) return undefined;
    const { drUuid, domainVersionUuid } = place;
    const at = { drUuid, domainVersionUuid, adaptorUuid: adaptor.uuid };
    if (this.#visibility !== undefined && !(await isSeenAt(this.#visibility, this.#view, at))) return undefined;
    const own = place.sight === 'SOURCE' ? (await this.#visibleAt(place, place.sourceAdaptorUuid))?.visible : undefined;
    // the event itself is not seen, only its message
    if (place.sight === 'DESTINATION' && destination.sequence === null) return undefined;
    const there = (await this.#visibleAt(place, adaptor.uuid))?.visible;
    const sees = (property: string): boolean => shows(own, property) && shows(there, property);
    const mayName = (entry: Pick<RemovedProperty, 'chain' | 'aclUuid'>): boolean =>
      entry.aclUuid === null || this.#mayReadEntry(entry, sourceZoneUuid, adaptor.zoneUuid);
    const seesAll = [own, there].every((visible) => visible === undefined || visible.extent === 'ALL');
    const seen: ExplainedDestination = {
      ...destination,
      aclUuid: mayName({ chain, aclUuid }) ? aclUuid : null,
      changed: changed.filter(sees),
      removed: removed
        .filter(({ property }) => sees(property))
        .map((each) => (mayName(each) ? each : { ...each, aclUuid: null })),
      // the text of an adaptor may contain any data
      notApplied: notApplied
        .filter(({ property }) => sees(property))
        .map(({ property, reason }) => ({
          property,
          reason: seesAll && this.readsData ? reason : 'the adaptor did not apply it',
        })),
    };
    const hidden =
      seen.aclUuid !== aclUuid ||
      seen.changed.length < changed.length ||
      seen.removed.length < removed.length ||
      seen.removed.some((each, index) => each.aclUuid !== removed[index]?.aclUuid) ||
      seen.notApplied.length < notApplied.length ||
      seen.notApplied.some(({ reason }, index) => reason !== notApplied[index]?.reason);
    return { part: seen, hidden };
  }

  #mayReadEntry(
    { chain, aclUuid }: Pick<RemovedProperty, 'chain' | 'aclUuid'>,
    sourceZoneUuid: string,
    destinationZoneUuid: string,
  ): boolean {
    if (chain === null) return this.mayGet(`/operational-acls/entries/${aclUuid}`);
    return chain === 'INBOUND'
      ? this.mayGet(`/zones/${destinationZoneUuid}/inbound-acls/${aclUuid}`)
      : this.mayGet(`/zones/${sourceZoneUuid}/outbound-acls/${aclUuid}`);
  }

  /** The step, without candidates, values and entries that the caller may not know. */
  async step(version: string | null, step: ExplainedStep): Promise<Seen<ExplainedStep>> {
    const { candidates, aclUuid } = step;
    const named = aclUuid === undefined || aclUuid === null || this.mayGet(`/operational-acls/entries/${aclUuid}`);
    const entry = aclUuid === undefined ? {} : { aclUuid: named ? aclUuid : null };
    if (candidates === undefined) return { part: { ...step, ...entry }, hidden: !named };
    const seen: ExplainedCandidate[] = [];
    let hidden = !named;
    for (const candidate of candidates) {
      const shown = await this.#candidate(version, candidate);
      hidden ||= shown === undefined || shown.comparisons.length < candidate.comparisons.length;
      if (shown !== undefined) seen.push(shown);
    }
    return { part: { ...step, ...entry, candidates: seen }, hidden };
  }

  async #candidate(
    domainVersionUuid: string | null,
    candidate: ExplainedCandidate,
  ): Promise<ExplainedCandidate | undefined> {
    const { drUuid, adaptorUuid, comparisons } = candidate;
    const adaptorUuids = adaptorUuid === null ? [] : [adaptorUuid];
    const subject = { recordUuid: drUuid, domainVersionUuid, adaptorUuids };
    const visible = await visibleOfIssue(this.#visibility, this.#view, subject);
    if (visible?.extent === 'NONE') return undefined;
    if (!this.readsData) return { ...candidate, comparisons: [] };
    const seen = comparisons.filter((comparison) => shows(visible, propertyOf(comparison)));
    return { ...candidate, score: seen.length === comparisons.length ? candidate.score : null, comparisons: seen };
  }
}
