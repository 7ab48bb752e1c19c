import type { GovernanceRules, OperationalRules } from '@fds/governance-rules';
import { consult } from '../../domain/routing/ask-governance.js';
import { decideAgain, isSettled, notSent, type Decided } from './decide-again.js';
import type { RecordedAdaptor, RecordedEvent } from './recorded-event.js';
import { wholly, type Deviation, type RehearsedRecords } from './rehearsed-records.js';

/** The chains of a rehearsal. */
export interface RehearsedRules {
  readonly governance: GovernanceRules;
  readonly operational: OperationalRules;
}

/** The recorded decision on a destination, and the rehearsed one. */
export interface Rehearsed {
  /** Null: the server's own store. */
  readonly adaptorUuid: string | null;
  readonly zoneUuid: string;
  readonly before: Omit<Decided, 'status' | 'names'> & { readonly status: string; readonly isSent: boolean };
  readonly after: Decided;
}

const toRecorded = ({ place, status, action, isSent, removed }: RecordedAdaptor): Omit<Rehearsed, 'after'> => ({
  adaptorUuid: place.uuid,
  zoneUuid: place.zoneUuid,
  before: {
    status,
    action: status === 'NOT_SENT' ? null : action,
    isSent,
    removed: status === 'NOT_SENT' ? [] : removed,
  },
});

/** Does a destination have the record after the event: as recorded, and as rehearsed? */
const holdersAfter = (
  { action }: RecordedEvent,
  { reason, isSent, isKnown }: RecordedAdaptor,
  { record }: Deviation,
  { status }: Decided,
): { readonly recorded: boolean; readonly rehearsed: boolean; readonly hadBefore: boolean } => {
  const isDeletion = action === 'DELETE';
  const had = isDeletion ? reason === null || reason === 'DENIED' : isKnown;
  const hadBefore = record === 'UNCHANGED' ? had : record === 'HAS';
  const isQueued = status === 'QUEUED';
  return isDeletion
    ? { recorded: had && !isSent, rehearsed: hadBefore && !isQueued, hadBefore }
    : { recorded: had || isSent, rehearsed: hadBefore || isQueued, hadBefore };
};

const deviationAfter = (
  event: RecordedEvent,
  destination: RecordedAdaptor,
  before: Deviation,
  decided: Decided,
): Deviation => {
  const { recorded, rehearsed, hadBefore } = holdersAfter(event, destination, before, decided);
  const record = recorded === rehearsed ? 'UNCHANGED' : rehearsed ? 'HAS' : 'LACKS';
  if (event.action === 'DELETE' || !rehearsed) return wholly(record);
  const [lacks, stale, has] = [new Set(before.lacks), new Set(before.stale), new Set(before.has)];
  const [removed, sent] = [new Set(destination.removed), new Set(decided.names)];
  for (const name of destination.names) {
    const [wasSent, isSent] = [destination.isSent && !removed.has(name), sent.has(name)];
    const misses = wasSent && !isSent && (destination.news.has(name) || lacks.has(name) || stale.has(name));
    if (misses) (hadBefore && !lacks.has(name) ? stale : lacks).add(name);
    else if (wasSent === isSent || isSent) for (const missed of [lacks, stale]) missed.delete(name);
    if (!wasSent && isSent) has.add(name);
    else if (wasSent || event.changed?.has(name) !== false) has.delete(name);
  }
  return { record, lacks, stale, has };
};

/** Repeats the decisions on recorded events, oldest first, with other chains. */
export class RehearsedRouting {
  readonly #rules: RehearsedRules;
  readonly #records: RehearsedRecords;

  constructor(rules: RehearsedRules, records: RehearsedRecords) {
    this.#rules = rules;
    this.#records = records;
  }

  /** Decides on an event for every destination. */
  decide(event: RecordedEvent): readonly Rehearsed[] {
    const isRouted = this.#isRouted(event);
    const store = isRouted ? this.#store(event) : undefined;
    const { recordUuid, source } = event;
    if (source.uuid !== null) this.#records.keep(recordUuid, source.uuid, wholly(this.#atSource(event, isRouted)));
    const rehearsed = event.adaptors.map((destination): Rehearsed => {
      const deviation = this.#records.at(recordUuid, destination.place.uuid);
      const after = isRouted ? this.#adaptor(event, destination, deviation, store) : notSent;
      if (!isSettled(destination)) {
        const next = deviationAfter(event, destination, deviation, after);
        this.#records.keep(recordUuid, destination.place.uuid, next);
      }
      return { ...toRecorded(destination), after };
    });
    return event.store === undefined ? rehearsed : [...rehearsed, this.#asStore(event, event.store, store ?? notSent)];
  }

  /** The source has what it reports, but an event that waits neither links nor unlinks it. */
  #atSource({ recordUuid, source, action }: RecordedEvent, isRouted: boolean): Deviation['record'] {
    if (isRouted) return 'UNCHANGED';
    if (action !== 'DELETE') return this.#records.isMissing(recordUuid) ? 'LACKS' : 'UNCHANGED';
    return this.#records.at(recordUuid, source.uuid).record === 'LACKS' ? 'UNCHANGED' : 'HAS';
  }

  #asStore(
    { version, action }: RecordedEvent,
    { isDenied, removed }: NonNullable<RecordedEvent['store']>,
    after: Decided,
  ): Rehearsed {
    const status = isDenied ? 'DENIED' : 'APPLIED';
    return {
      adaptorUuid: null,
      zoneUuid: version.zoneUuid,
      before: { status, action, isSent: !isDenied, removed },
      after,
    };
  }

  /** Does the event come as far as the chains of zones? An event that the operational chain denies waits, and later ones of its source with it. */
  #isRouted(event: RecordedEvent): boolean {
    const { recordUuid, source, version, action, isOperation } = event;
    const records = this.#records;
    if (records.isHeld(event)) return false;
    const isMissing = records.isMissing(recordUuid);
    if (isMissing && (action === 'DELETE' || source.uuid === null)) return false;
    const atSource = records.at(recordUuid, source.uuid).record;
    // a source that never got the record deletes nothing, and one that was not ordered to delete it needs the permission
    if (action === 'DELETE' && source.uuid !== null && atSource === 'LACKS') return false;
    const isAsked = isOperation || isMissing || (action === 'DELETE' && atSource === 'HAS');
    if (source.uuid === null || !isAsked) return true;
    const { outcome } = this.#rules.operational.decide({
      action: action === 'DELETE' ? 'DELETE' : 'POST',
      sourceZoneUuid: source.zoneUuid,
      sourceAdaptorUuid: source.uuid,
      domainVersionUuid: version.uuid,
    });
    if (outcome === 'ALLOWED') {
      records.create(recordUuid);
      return true;
    }
    records.hold(event);
    if (action !== 'DELETE') records.lose(recordUuid);
    return false;
  }

  #adaptor(
    event: RecordedEvent,
    destination: RecordedAdaptor,
    deviation: Deviation,
    store: Decided | undefined,
  ): Decided {
    // an event that the store does not take goes to no adaptor
    if (store?.status === 'DENIED') return notSent;
    if (store === undefined || event.action === 'DELETE') {
      return decideAgain(this.#rules.governance, event, destination, deviation);
    }
    const wasRemoved = new Set(event.store?.removed);
    const removed = new Set(store.removed);
    // a property that the store does not take goes to no adaptor, unless the store had a value of it before
    const goes = (name: string): boolean => !removed.has(name) || wasRemoved.has(name);
    const taken = [...wasRemoved].filter((name) => !removed.has(name));
    const names = [...new Set([...destination.names.filter(goes), ...taken])];
    const news = new Set([...[...destination.news].filter(goes), ...taken]);
    const changed = new Set(
      [...(event.changed ?? event.names).values(), ...taken].filter((name) => !removed.has(name)),
    );
    return decideAgain(this.#rules.governance, { ...event, changed }, { ...destination, names, news }, deviation);
  }

  /** The part that the store takes. Undefined: the store is not a destination. */
  #store(event: RecordedEvent): Decided | undefined {
    if (event.store === undefined) return undefined;
    const { action, version, recordUuid, changed } = event;
    const properties = action === 'DELETE' ? [] : event.names;
    const { decision } = consult(
      this.#rules.governance,
      event,
      { uuid: recordUuid },
      {
        destination: { uuid: null, zoneUuid: version.zoneUuid },
        action,
        properties,
      },
    );
    const { properties: model, drKeyProperties } = version.model;
    const removed = new Set(decision.removedProperties);
    // every event carries the key: the key of a known record is not news
    const isNews = (name: string): boolean =>
      changed?.has(name) ?? (action === 'POST' || !drKeyProperties.includes(name));
    const news = properties.filter(isNews);
    const required = model.filter((property) => property.required).map(({ name }) => name);
    const lacksKey = action === 'POST' && [...drKeyProperties, ...required].some((name) => removed.has(name));
    const hasNothingLeft = removed.size > 0 && news.length > 0 && news.every((name) => removed.has(name));
    const isDenied = decision.outcome === 'DENIED' || lacksKey || hasNothingLeft;
    return isDenied
      ? { status: 'DENIED', action, names: [], removed: [] }
      : { status: 'QUEUED', action, names: properties.filter((name) => !removed.has(name)), removed: [...removed] };
  }
}
