import { isJsonObject, parseJson } from '@fds/json';
import { isCapable, type AdaptorView, type Catalog, type DomainVersionView } from '../../domain/catalog.js';
import type { DeliveredAction, Denial } from '../../domain/events/event-outcome.js';
import { readExplanation } from '../../domain/events/explanation.js';
import type { DestinationNote } from '../../domain/routing/destination-note.js';
import { namesProperty } from '../../domain/routing/sent-content.js';
import type { RecordedAdaptor, RecordedEvent, RecordedStore } from './recorded-event.js';

/** A message of an event: the content of the first attempt, and the status of the last one. */
export interface KeptMessage {
  readonly adaptorUuid: string;
  readonly action: DeliveredAction;
  readonly status: string;
  readonly removedProperties: readonly string[];
  /** Hexadecimal, see `SentContent`; null: a deletion. */
  readonly content: string | null;
  /** Was the adaptor sent the record before? False for other messages than POST. */
  readonly wasSent: boolean;
}

/** An event with its messages, as the tables keep it. */
export interface KeptRecordedEvent {
  readonly uuid: string;
  readonly recordUuid: string;
  readonly action: DeliveredAction;
  readonly matchStatus: string | null;
  readonly domainVersionUuid: string;
  readonly sourceAdaptorUuid: string | null;
  /** JSON text. */
  readonly drKey: string;
  readonly denied: readonly Denial[] | null;
  readonly notStored: readonly string[] | null;
  readonly changed: readonly string[] | null;
  readonly explanation: string | null;
  readonly messages: readonly KeptMessage[];
}

const changes = ['POST', 'PUT', 'DELETE'] as const;
const noNames: readonly string[] = [];

/** The members of an event that its destinations share. */
interface Shared {
  readonly kept: KeptRecordedEvent;
  readonly version: DomainVersionView;
  readonly changed: ReadonlySet<string> | undefined;
  readonly names: readonly string[];
}

const contentNames = ({ content }: KeptMessage, { model }: DomainVersionView): readonly string[] =>
  content === null ? noNames : model.properties.map(({ name }) => name).filter((name) => namesProperty(content, name));

const actionsOf = (adaptor: AdaptorView, version: DomainVersionView, recorded: DeliveredAction | undefined) =>
  new Set(changes.filter((action) => action === recorded || isCapable(adaptor, version, action)));

const asSent = (
  message: KeptMessage,
  note: DestinationNote | undefined,
  { kept, changed, version }: Shared,
): Omit<RecordedAdaptor, 'place' | 'actions'> => {
  const { action, status, removedProperties, wasSent } = message;
  const content = contentNames(message, version);
  const isKnown = action !== 'POST' || wasSent;
  // without a note, nothing that is new to it was removed; an event from before explanations has no notes
  const removedNews =
    note?.removed?.map(({ property }) => property) ?? (kept.explanation === null ? removedProperties : []);
  const newNames = isKnown ? (note?.changed ?? content.filter((name) => changed?.has(name) !== false)) : content;
  return {
    status,
    action,
    isSent: true,
    reason: null,
    isKnown,
    names: [...new Set([...content, ...removedProperties])],
    news: new Set([...newNames, ...removedNews]),
    removed: removedProperties,
    withheld: removedProperties.filter(
      (name) =>
        changed?.has(name) === false &&
        !version.model.drKeyProperties.includes(name) &&
        note?.removed?.some(({ property, aclUuid }) => property === name && aclUuid !== null) !== true,
    ),
  };
};

const asNotSent = (note: DestinationNote, { kept, names }: Shared): Omit<RecordedAdaptor, 'place' | 'actions'> => {
  const { reason, action } = note;
  const removed = (note.removed ?? []).map(({ property }) => property);
  const isDenied = kept.denied?.some(({ adaptorUuid }) => adaptorUuid === note.adaptorUuid) === true;
  // kept from all adaptors, because the store does not take the event
  const isUnasked = reason === 'DENIED' && !isDenied;
  return {
    status: isDenied ? 'DENIED' : reason === 'TOO_LARGE' ? 'FAILED' : 'NOT_SENT',
    action: action ?? null,
    isSent: false,
    reason,
    isKnown: action === undefined ? kept.action === 'PUT' : action !== 'POST',
    names: [...new Set([...names, ...removed])],
    news: new Set(isUnasked ? names : [...(note.changed ?? noNames), ...removed]),
    removed,
    withheld: (note.removed ?? []).filter(({ aclUuid }) => aclUuid === null).map(({ property }) => property),
  };
};

const storeOf = (
  { denied, notStored, sourceAdaptorUuid }: KeptRecordedEvent,
  { domainType }: DomainVersionView,
): RecordedStore | undefined =>
  sourceAdaptorUuid === null || domainType === 'FEDERATED'
    ? undefined
    : { isDenied: denied?.some(({ adaptorUuid }) => adaptorUuid === null) === true, removed: notStored ?? noNames };

const keyNames = (drKey: string): readonly string[] => {
  const key = parseJson(drKey);
  return isJsonObject(key) ? Object.keys(key) : noNames;
};

/** Reads an event as it was recorded. Undefined: its version or its source is gone, so that the chains cannot be asked. */
export const readRecordedEvent = (
  kept: KeptRecordedEvent,
  catalog: Pick<Catalog, 'adaptor' | 'versionByUuid'>,
): RecordedEvent | undefined => {
  const version = catalog.versionByUuid(kept.domainVersionUuid);
  const source = kept.sourceAdaptorUuid === null ? undefined : catalog.adaptor(kept.sourceAdaptorUuid);
  if (version === undefined || (kept.sourceAdaptorUuid !== null && source === undefined)) return undefined;
  const explanation = kept.explanation === null ? undefined : readExplanation(kept.explanation);
  const notes = new Map((explanation?.notes ?? []).map((note) => [note.adaptorUuid, note]));
  for (const { adaptorUuid, chain, aclUuid } of kept.denied ?? []) {
    if (adaptorUuid === null || notes.has(adaptorUuid)) continue;
    notes.set(adaptorUuid, { adaptorUuid, reason: 'DENIED', by: { chain, aclUuid } });
  }
  const changed = kept.changed === null ? undefined : new Set(kept.changed);
  const messages = kept.messages.filter(({ adaptorUuid }) => adaptorUuid !== kept.sourceAdaptorUuid);
  const names = [
    ...new Set([
      ...keyNames(kept.drKey),
      ...(kept.changed ?? noNames),
      ...(kept.notStored ?? noNames),
      ...messages.flatMap((message) => [...contentNames(message, version), ...message.removedProperties]),
      ...[...notes.values()].flatMap((note) => (note.removed ?? []).map(({ property }) => property)),
    ]),
  ];
  const shared: Shared = { kept, version, changed, names };
  const adaptors: RecordedAdaptor[] = [];
  const add = (uuid: string, message: KeptMessage | undefined): void => {
    const adaptor = catalog.adaptor(uuid);
    const note = notes.get(uuid);
    if (adaptor === undefined || uuid === kept.sourceAdaptorUuid) return;
    const decided = message !== undefined ? asSent(message, note, shared) : note && asNotSent(note, shared);
    if (decided === undefined) return;
    const place = { uuid, zoneUuid: adaptor.zoneUuid };
    adaptors.push({ place, actions: actionsOf(adaptor, version, decided.action ?? undefined), ...decided });
  };
  for (const message of messages) add(message.adaptorUuid, message);
  for (const uuid of notes.keys()) if (!messages.some(({ adaptorUuid }) => adaptorUuid === uuid)) add(uuid, undefined);
  return {
    uuid: kept.uuid,
    recordUuid: kept.recordUuid,
    action: kept.action,
    version,
    source: { uuid: kept.sourceAdaptorUuid, zoneUuid: source?.zoneUuid ?? version.zoneUuid },
    drKey: kept.drKey,
    matchStatus: kept.matchStatus,
    changed,
    names,
    isOperation: explanation?.operation !== undefined,
    adaptors,
    store: storeOf(kept, version),
  };
};
