import { contentOf, type ContentHashes } from '../routing/content-hashes.js';
import type { AdaptorView } from '../catalog.js';
import { decideEvent } from '../events/decide-event.js';
import type { DecisionContext } from '../events/decision-context.js';
import type { EventOutcome } from '../events/event-outcome.js';
import type { RecordChanged } from '../events/incoming-event.js';
import type { RecordState } from '../records/record-book.js';
import { planDeletion } from '../routing/plan-deliveries.js';
import { applyPlan } from '../routing/apply-plan.js';
import { restoreRecord, type StateBefore } from './restore-record.js';
import type { SettledMatch } from './settled-match.js';

/** A presumption, and the present knowledge about it. */
export interface PresumedEvent {
  /** The event as received. */
  readonly event: RecordChanged;
  /** The record that it was presumed to be about; a new one where `before` is undefined. */
  readonly record: RecordState;
  readonly before: StateBefore | undefined;
  /** Adaptors that were sent the record as new: their data of it came from here. */
  readonly sentTo: ReadonlySet<string>;
}

/** What to write, and the record that the event is about now, where it made or changed one; or why it cannot be done. */
export type Undoing =
  | { readonly outcomes: readonly EventOutcome[]; readonly recordUuid: string | undefined }
  | { readonly refusal: string };

/**
 * The adaptor's data, as far as it is known: for a federated record the values of the event that it has not reported
 * otherwise since.
 */
const presentContent = ({ event, record }: PresumedEvent, known: ContentHashes): RecordChanged['record'] => {
  if (event.version.domainType === 'SERVICE_DATA_STORE') return record.json ?? event.record;
  const hashes = contentOf(event.record);
  return Object.fromEntries(Object.entries(event.record).filter(([name]) => hashes[name] === known[name]));
};

/** The event once more, for the record that was decided on. */
const decideAgain = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  settled: SettledMatch,
): EventOutcome => decideEvent(context, source, { ...event, drUuid: undefined, settled });

/** Links and messages in flight move to the right record; adaptors that were sent both are ordered to delete the wrong one. */
const moveHolders = (
  context: DecisionContext,
  source: AdaptorView,
  { event, record, sentTo }: PresumedEvent,
  target: RecordState,
): EventOutcome => {
  const { book } = context;
  const ordered = new Set<string>();
  for (const adaptorUuid of new Set([...record.links.keys(), ...record.expected.keys()])) {
    if (adaptorUuid === source.uuid) continue;
    const link = record.links.get(adaptorUuid);
    const expected = record.expected.get(adaptorUuid);
    if (target.links.has(adaptorUuid) || target.expected.has(adaptorUuid)) {
      if (expected !== undefined || sentTo.has(adaptorUuid)) ordered.add(adaptorUuid);
    } else if (link !== undefined) {
      book.link(target, { ...link });
    } else if (expected !== undefined) {
      target.expected.set(adaptorUuid, expected);
      book.touch(target);
    }
  }
  const routed = {
    uuid: context.newUuid(),
    source,
    version: event.version,
    transactionUuid: event.transactionUuid,
    createTime: event.createTime,
    drKey: record.drKey,
  };
  const plan = planDeletion(context, routed, record, ordered);
  applyPlan(context, record, plan);
  const { uuid: recordUuid, domainVersionUuid, drKey, json } = record;
  const { transactionUuid } = routed;
  book.delete(record);
  return {
    deliveries: plan.deliveries,
    consulted: plan.consulted,
    change: {
      action: 'DELETE',
      recordUuid,
      domainVersionUuid,
      actorUuid: undefined,
      transactionUuid,
      drKey,
      ...(json === null ? {} : { json }),
    },
  };
};

/**
 * Undoes a presumption that proved wrong, and lets the event be about the record that was decided on. A record that it
 * created is removed; a record that it changed gets its former values back. Changes the books, also where it is
 * refused: they are to be dropped then.
 */
export const undoPresumption = (
  context: DecisionContext,
  source: AdaptorView,
  presumed: PresumedEvent,
  settled: SettledMatch,
): Undoing => {
  const { book, references } = context;
  const { record, before, event } = presumed;
  const link = record.links.get(source.uuid);
  const parked = link === undefined ? undefined : presentContent(presumed, link.known.hashes);
  const key = link === undefined ? event.key : { drKey: link.drKey, digest: link.keyDigest };
  const outcomes: EventOutcome[] = [];
  let again: RecordChanged | undefined;
  if (before === undefined) {
    const target = settled.drUuid === null ? undefined : book.byUuid(settled.drUuid);
    if (target === undefined) return { refusal: 'there is no such record' };
    if (references.countReferrers(record.uuid) > 0) return { refusal: 'other records refer to the one that was made' };
    outcomes.push(moveHolders(context, source, presumed, target));
    if (parked !== undefined) again = { ...event, key, record: parked };
  } else {
    if (key.digest !== event.key.digest) return { refusal: 'the adaptor holds the record under another key by now' };
    const restored = restoreRecord(context, source, { event, record, before });
    if ('refusal' in restored) return restored;
    outcomes.push(restored.outcome);
    const said = event.version.domainType === 'FEDERATED' ? parked : event.record;
    if (said !== undefined) again = { ...event, record: said };
  }
  if (again === undefined) return { outcomes, recordUuid: undefined };
  const outcome = decideAgain(context, source, again, settled);
  if (outcome.issue !== undefined) return { refusal: outcome.issue.title };
  return { outcomes: [...outcomes, outcome], recordUuid: outcome.event?.recordUuid };
};
