import type { GovernanceRules } from '@fds/governance-rules';
import type { JsonObject } from '@fds/json';
import { isCapable, type AdaptorView, type DomainVersionView } from '../catalog.js';
import type { EventOutcome } from '../events/event-outcome.js';
import type { RecordState } from '../records/record-book.js';
import { applyPlan } from '../routing/apply-plan.js';
import type { EventSource } from '../routing/ask-governance.js';
import type { RoutedEvent } from '../routing/compose-message.js';
import { contentOf } from '../routing/content-hashes.js';
import { completeNotes } from '../routing/destination-note.js';
import { awaitsDeletion, type KnownContent } from '../routing/known-content.js';
import { planChange } from '../routing/plan-deliveries.js';
import type { RoutingContext } from '../routing/routing-context.js';

/** Values of a record, with the adaptor that has them; or all of it, from the data store. */
export interface HeldValues {
  readonly source: EventSource;
  readonly json: JsonObject;
}

/** A record, and the adaptor that has lost it or never had it. */
export interface LostRecord {
  readonly record: RecordState;
  readonly destination: AdaptorView;
  readonly version: DomainVersionView;
  /** The one with the most values first. */
  readonly held: readonly HeldValues[];
  /** The transaction of the message. */
  readonly transactionUuid: string;
  readonly nowMs: number;
  /** The values that the adaptor held when a reconciliation asked it. Default: it was not asked. */
  readonly read?: JsonObject;
}

/** The values of other sources, as far as the chains let them to the destination. */
const permitted = (
  governance: GovernanceRules,
  { record, destination, version }: LostRecord,
  { source, json }: HeldValues,
): JsonObject => {
  const { outcome, removedProperties } = governance.decide({
    action: 'POST',
    properties: Object.keys(json),
    sourceZoneUuid: source.zoneUuid,
    sourceAdaptorUuid: source.uuid ?? undefined,
    destinationZoneUuid: destination.zoneUuid,
    destinationAdaptorUuid: destination.uuid,
    domainVersionUuid: version.uuid,
    drUuid: record.uuid,
  });
  if (outcome === 'DENIED') return {};
  const removed = new Set(removedProperties);
  return Object.fromEntries(Object.entries(json).filter(([name]) => !removed.has(name)));
};

/** The adaptor has lost the record: every value is new to it. */
const forgetKnown = (
  { book }: Pick<RoutingContext, 'book'>,
  record: RecordState,
  adaptorUuid: string,
  change: (known: KnownContent) => KnownContent,
): void => {
  const link = record.links.get(adaptorUuid);
  const expected = record.expected.get(adaptorUuid);
  if (link !== undefined) book.link(record, { ...link, known: change(link.known) });
  else if (expected !== undefined) {
    record.expected.set(adaptorUuid, change(expected));
    book.touch(record);
  }
};

/**
 * Sends a record to an adaptor that does not have it, with all its values, through the chains, and to no other adaptor. Queues the
 * message and notes the content in the book.
 *
 * @returns undefined: a deletion is on its way to the adaptor, there are no values, or the chains keep them from the adaptor
 */
export const sendAgain = (
  context: RoutingContext,
  newUuid: () => string,
  lost: LostRecord,
): EventOutcome | undefined => {
  const { record, destination, version, held, transactionUuid, nowMs, read } = lost;
  const known = record.links.get(destination.uuid)?.known ?? record.expected.get(destination.uuid);
  const allowed = held.map((each) => ({ ...each, json: permitted(context.governance, lost, each) }));
  const most = Math.max(...allowed.map(({ json }) => Object.keys(json).length));
  // the chains decide on each value for the adaptor that has it; the message names the one with the most values that go
  const place = allowed.findIndex(({ json }) => Object.keys(json).length === most);
  const main = held[place];
  if (awaitsDeletion(known) || main === undefined) return undefined;
  const ofOthers: JsonObject = Object.assign(
    {},
    ...allowed.filter((_, index) => index !== place).map(({ json }) => json),
  );
  // an adaptor that may not create records gets a PUT
  const isEmpty = isCapable(destination, version, 'POST');
  forgetKnown(context, record, destination.uuid, ({ sent, withheld, waiting }) => ({
    hashes: {},
    failed: {},
    skipped: {},
    sent,
    withheld,
    waiting,
    deletionSent: isEmpty,
  }));
  const json: JsonObject = { ...ofOthers, ...main.json };
  const routed: RoutedEvent = {
    uuid: newUuid(),
    source: main.source,
    version,
    transactionUuid,
    createTime: nowMs,
    drKey: record.drKey,
  };
  const isStored = version.domainType === 'SERVICE_DATA_STORE';
  const plan = planChange(
    { ...context, catalog: { destinations: () => [destination], bystanders: () => [] } },
    routed,
    record,
    {
      json,
      content: contentOf(json),
      permitted: new Set(Object.keys(ofOthers)),
      // no event changes the record: the store is the owner of its values
      ...(isStored ? { changed: new Set<string>() } : {}),
      ...(read === undefined ? {} : { read }),
    },
  );
  applyPlan(context, record, plan);
  if (plan.deliveries.length === 0) {
    forgetKnown(context, record, destination.uuid, (left) => ({ ...left, deletionSent: false }));
    return undefined;
  }
  return {
    event: {
      uuid: routed.uuid,
      transactionUuid,
      action: 'PUT',
      // it changes no value
      changed: [],
      matchStatus: 'RESOLVED',
      recordUuid: record.uuid,
      domainVersionUuid: version.uuid,
      sourceAdaptorUuid: main.source.uuid,
      drKey: record.drKey,
      denied: plan.denied,
      createTime: nowMs,
    },
    deliveries: plan.deliveries,
    consulted: plan.consulted,
    notes: completeNotes(context.catalog, version, main.source.uuid, plan.notes),
  };
};
