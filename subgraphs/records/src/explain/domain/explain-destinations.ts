import type { AdaptorView, Catalog, DomainVersionView } from '../../domain/catalog.js';
import type { Explanation } from '../../domain/events/explanation.js';
import { completeNotes, type DestinationNote, type RemovedProperty } from '../../domain/routing/destination-note.js';
import { listNotApplied } from '../../domain/routing/not-applied.js';
import { namesProperty } from '../../domain/routing/sent-content.js';
import type { KeptDelivery, KeptEvent } from './kept-event.js';
import type { ExplainedDestination, ExplainReason } from './explained.js';

/** The catalog, as far as an explanation needs it. */
export type ExplainCatalog = Pick<Catalog, 'adaptor' | 'destinations' | 'bystanders'>;

/** States in which an adaptor is not connected. */
const away: ReadonlySet<string> = new Set(['DOWN', 'STARTING']);
const paused: ReadonlySet<string> = new Set(['PAUSED', 'PAUSING', 'DOWN_PAUSED']);

/** Why a message has not been applied. Null: it has been, or nothing is in its way. */
const reasonOf = ({ status, state, ahead }: KeptDelivery, adaptor: AdaptorView): ExplainReason | null => {
  if (status === 'FAILED') return 'REFUSED_BY_ADAPTOR';
  if (status !== 'QUEUED' && status !== 'DELIVERED') return null;
  if (!adaptor.active) return 'INACTIVE';
  if (paused.has(state ?? '')) return 'PAUSED';
  if (away.has(state ?? '')) return 'AWAY';
  return status === 'QUEUED' && ahead > 0 ? 'QUEUED_BEHIND' : null;
};

/** The names that a message has: only hashes of them are kept. */
const namesOf = ({ content }: KeptDelivery, version: DomainVersionView | undefined): readonly string[] =>
  content === null || version === undefined
    ? []
    : version.model.properties.map(({ name }) => name).filter((name) => namesProperty(content, name));

const changedBy = (
  delivery: KeptDelivery,
  note: DestinationNote | undefined,
  { changed }: Pick<KeptEvent, 'changed'>,
  version: DomainVersionView | undefined,
): readonly string[] => {
  if (delivery.action === 'DELETE') return [];
  if (note?.changed !== undefined) return note.changed;
  const names = namesOf(delivery, version);
  return delivery.action === 'POST' || changed === null ? names : changed.filter((name) => names.includes(name));
};

const byProperty = (a: RemovedProperty, b: RemovedProperty): number => (a.property < b.property ? -1 : 1);

const asSent = (
  adaptor: AdaptorView,
  delivery: KeptDelivery,
  note: DestinationNote | undefined,
  { event, version }: { readonly event: KeptEvent; readonly version: DomainVersionView | undefined },
): ExplainedDestination => {
  const isQueued = delivery.status === 'QUEUED';
  const removed =
    note?.removed ??
    // an event from before explanations were kept
    (event.explanation === null
      ? delivery.removedProperties.map((property) => ({ property, chain: null, aclUuid: null }))
      : []);
  return {
    adaptor,
    action: delivery.action,
    status: delivery.status,
    reason: reasonOf(delivery, adaptor),
    chain: null,
    aclUuid: null,
    changed: changedBy(delivery, note, event, version),
    removed: removed.toSorted(byProperty),
    notApplied: listNotApplied(delivery.notApplied),
    sequence: delivery.sequence,
    queuedAt: delivery.dateCreated,
    sentAt: delivery.sentAt,
    acknowledgedAt: delivery.acknowledgedAt,
    attempts: Math.max(0, delivery.attempts - (isQueued ? 1 : 0)),
    ahead: isQueued ? delivery.ahead : null,
  };
};

const asNotSent = (adaptor: AdaptorView, note: DestinationNote, denied: KeptEvent['denied']): ExplainedDestination => {
  const isListed = denied?.some(({ adaptorUuid }) => adaptorUuid === adaptor.uuid) === true;
  return {
    adaptor,
    action: note.action ?? null,
    status: isListed ? 'DENIED' : note.reason === 'TOO_LARGE' ? 'FAILED' : 'NOT_SENT',
    reason: note.reason,
    chain: note.by?.chain ?? null,
    aclUuid: note.by?.aclUuid ?? null,
    changed: note.changed ?? [],
    removed: (note.removed ?? []).toSorted(byProperty),
    notApplied: [],
    sequence: null,
    queuedAt: null,
    sentAt: null,
    acknowledgedAt: null,
    attempts: 0,
    ahead: null,
  };
};

/** The notes of an event from before explanations were kept: the adaptors that its rows name. */
const notesOfRows = ({ denied, sourceAdaptorUuid }: KeptEvent): readonly DestinationNote[] => [
  ...(sourceAdaptorUuid === null ? [] : [{ adaptorUuid: sourceAdaptorUuid, reason: 'SOURCE' as const }]),
  ...(denied ?? []).flatMap(({ adaptorUuid, chain, aclUuid }) =>
    adaptorUuid === null ? [] : { adaptorUuid, reason: 'DENIED' as const, by: { chain, aclUuid } },
  ),
];

const notesOf = (event: KeptEvent, explanation: Explanation | undefined): readonly DestinationNote[] => {
  if (explanation === undefined) return notesOfRows(event);
  const { sourceAdaptorUuid } = event;
  return sourceAdaptorUuid === null
    ? explanation.notes
    : [{ adaptorUuid: sourceAdaptorUuid, reason: 'SOURCE' }, ...explanation.notes];
};

const byName = (a: ExplainedDestination, b: ExplainedDestination): number =>
  a.adaptor.name < b.adaptor.name ? -1 : a.adaptor.name > b.adaptor.name ? 1 : a.adaptor.uuid < b.adaptor.uuid ? -1 : 1;

/** The way of an event to every adaptor that had a capability for its version, by name. */
export const explainDestinations = (
  event: KeptEvent,
  explanation: Explanation | undefined,
  deliveries: readonly KeptDelivery[],
  { catalog, version }: { readonly catalog: ExplainCatalog; readonly version: DomainVersionView | undefined },
): readonly ExplainedDestination[] => {
  const notes = new Map(notesOf(event, explanation).map((note) => [note.adaptorUuid, note]));
  const sent = new Map(deliveries.map((delivery) => [delivery.adaptorUuid, delivery]));
  const destinations: ExplainedDestination[] = [];
  for (const uuid of new Set([...sent.keys(), ...notes.keys()])) {
    const adaptor = catalog.adaptor(uuid);
    if (adaptor === undefined) continue;
    const [delivery, note] = [sent.get(uuid), notes.get(uuid)];
    if (delivery !== undefined) destinations.push(asSent(adaptor, delivery, note, { event, version }));
    else if (note !== undefined) destinations.push(asNotSent(adaptor, note, event.denied));
  }
  return destinations.toSorted(byName);
};

/** The adaptors to which an event that waits with an issue would go. */
export const explainWaiting = (
  sourceAdaptorUuid: string | null,
  version: DomainVersionView,
  catalog: ExplainCatalog,
  why: { readonly isDenied: boolean; readonly aclUuid: string | null },
): readonly ExplainedDestination[] =>
  completeNotes(catalog, version, sourceAdaptorUuid, [])
    .flatMap(({ adaptorUuid, reason }) => {
      const adaptor = catalog.adaptor(adaptorUuid);
      if (adaptor === undefined) return [];
      const denied = why.isDenied && reason !== 'SOURCE';
      const shown = denied ? 'OPERATIONAL' : reason === 'NOTHING_NEW' ? null : reason;
      const note = { adaptorUuid, reason: shown };
      return { ...asNotSent(adaptor, note, null), aclUuid: denied ? why.aclUuid : null };
    })
    .toSorted(byName);
