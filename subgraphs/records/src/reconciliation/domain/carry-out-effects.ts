import type { JsonObject } from '@fds/json';
import type { AdaptorView, DomainVersionView } from '../../domain/catalog.js';
import type { DecisionContext } from '../../domain/events/decision-context.js';
import { discoveredContent } from '../../domain/events/discovered-content.js';
import { decideRecordChange } from '../../domain/events/decide-record-change.js';
import type { Denial, EventOutcome, PlannedDelivery } from '../../domain/events/event-outcome.js';
import { sendAgain } from '../../domain/issues/send-again.js';
import type { RecordState } from '../../domain/records/record-book.js';
import { applyPlan } from '../../domain/routing/apply-plan.js';
import type { EventSource } from '../../domain/routing/ask-governance.js';
import type { RoutedEvent } from '../../domain/routing/compose-message.js';
import type { Consultation } from '../../domain/routing/count-decisions.js';
import { completeNotes, type DestinationNote } from '../../domain/routing/destination-note.js';
import { contentOf, without } from '../../domain/routing/content-hashes.js';
import { awaitsDeletion, nothingKnown, overlay, type KnownContent } from '../../domain/routing/known-content.js';
import { planChange } from '../../domain/routing/plan-deliveries.js';
import { everythingSeen } from '../../domain/routing/seen.js';
import type { Reading } from './compare-record.js';
import type { RecordTransfer, ValueTransfer } from './plan-effects.js';

/** The knowledge of an adaptor's content before it was asked. Undefined: it had no link and was sent nothing. */
type KnownBefore = ReadonlyMap<string, KnownContent | undefined>;

/** A record with the answers about it, and the effects that were planned by them. */
export interface ReadRecord {
  readonly recordUuid: string;
  readonly readings: ReadonlyMap<string | null, Reading>;
  readonly knownBefore: KnownBefore;
  readonly values: readonly ValueTransfer[];
  readonly records: readonly RecordTransfer[];
  /** The record as messages have it, and its version; null: it is federated. */
  readonly stored: { readonly json: JsonObject; readonly changeVersion: number | undefined } | null;
}

/** The reconciliation that acts. */
export interface ActingReconciliation {
  readonly uuid: string;
  readonly version: DomainVersionView;
  readonly nowMs: number;
}

/** The effects on a record. */
export interface CarriedOut {
  readonly outcomes: readonly EventOutcome[];
  /** Messages and changes of the store. */
  readonly sent: number;
}

const lastSent = (known: KnownContent | undefined): number => known?.sent.at(-1)?.sequence ?? 0;

/**
 * Has nothing been committed about these properties of the record at the adaptor since it was asked, and had it applied all
 * its messages? A change that arrives in the meantime wins over the values that were read.
 */
const isAsRead = (
  { book, outbox }: DecisionContext,
  record: RecordState,
  { knownBefore, stored }: ReadRecord,
  { side, properties }: { readonly side: string | null; readonly properties: readonly string[] },
): boolean => {
  if (side === null) return record.changeVersion === stored?.changeVersion;
  const now = book.knownAt(record, side);
  const before = knownBefore.get(side);
  if (awaitsDeletion(now) || lastSent(now) !== lastSent(before)) return false;
  if (lastSent(now) > 0 && lastSent(now) > outbox.acked(side)) return false;
  return properties.every((name) => now?.hashes[name] === before?.hashes[name]);
};

const valuesAt = ({ readings }: ReadRecord, side: string | null): JsonObject => {
  const reading = readings.get(side);
  return reading?.kind === 'VALUES' ? reading.values : {};
};

const pick = (record: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));

/**
 * Notes the values that an adaptor held when it was asked. An adaptor that did not link the record is linked. In a data-store version
 * this is a discovery: the adaptor keeps its other values, and the store's other values are not sent to it.
 *
 * @returns false: another record has the key at the adaptor
 */
const noteRead = (
  { book }: DecisionContext,
  record: RecordState,
  adaptorUuid: string,
  {
    read,
    whole,
    stored,
  }: { readonly read: JsonObject; readonly whole: JsonObject; readonly stored: JsonObject | undefined },
): boolean => {
  const link = record.links.get(adaptorUuid);
  if (link !== undefined) {
    book.link(record, { ...link, known: overlay(link.known, contentOf(read)) });
    return true;
  }
  const { domainVersionUuid, keyDigest, drKey } = record;
  const isTaken = book
    .byKey(domainVersionUuid, keyDigest)
    .some((other) => other !== record && other.links.get(adaptorUuid)?.keyDigest === keyDigest);
  if (isTaken) return false;
  const expected = record.expected.get(adaptorUuid);
  const before =
    stored === undefined ? expected : discoveredContent(expected ?? nothingKnown, contentOf(whole), contentOf(stored));
  const known = overlay(before, contentOf(read));
  record.expected.delete(adaptorUuid);
  book.link(record, { adaptorUuid, keyDigest, drKey, known });
  book.touch(record);
  return true;
};

/** The values of an adaptor change the store, and go from there to the other adaptors, as a report of the adaptor does. */
const reportToStore = (
  context: DecisionContext,
  { uuid: transactionUuid, version, nowMs }: ActingReconciliation,
  record: RecordState,
  read: ReadRecord,
  { source, properties }: { readonly source: AdaptorView; readonly properties: readonly string[] },
): EventOutcome => {
  const values = pick(valuesAt(read, source.uuid), properties);
  const link = record.links.get(source.uuid);
  // the values are news also where the adaptor is known to hold them
  if (link !== undefined) {
    const { known } = link;
    const [hashes, failed] = [without(known.hashes, properties), without(known.failed, properties)];
    const skipped = without(known.skipped, properties);
    context.book.link(record, { ...link, known: { ...known, hashes, failed, skipped } });
  }
  const key = link ?? { drKey: record.drKey, keyDigest: record.keyDigest };
  return decideRecordChange(
    context,
    source,
    {
      kind: 'RECORD_CHANGED',
      sourceAdaptorUuid: source.uuid,
      version,
      transactionUuid,
      createTime: nowMs,
      drUuid: record.uuid,
      text: () => '{}',
      linkOnly: false,
      key: { drKey: key.drKey, digest: key.keyDigest },
      record: { ...key.drKey, ...values },
    },
    everythingSeen,
  );
};

/** The transfers of one source, which are one event. */
interface SourceTransfers {
  readonly source: EventSource;
  readonly to: readonly { readonly destination: AdaptorView; readonly properties: readonly string[] }[];
}

const sendValues = (
  context: DecisionContext,
  { uuid: transactionUuid, version, nowMs }: ActingReconciliation,
  record: RecordState,
  read: ReadRecord,
  { source, to }: SourceTransfers,
): EventOutcome | undefined => {
  const routed: RoutedEvent = {
    uuid: context.newUuid(),
    source,
    version,
    transactionUuid,
    createTime: nowMs,
    drKey: record.drKey,
  };
  const deliveries: PlannedDelivery[] = [];
  const denied: Denial[] = [];
  const consulted: Consultation[] = [];
  const notes: DestinationNote[] = [];
  const changed = new Set<string>();
  for (const { destination, properties } of to) {
    const readThere = valuesAt(read, destination.uuid);
    const held = pick(readThere, properties);
    // a key by itself changes nothing
    const noted = pick(readThere, [...properties, ...version.model.drKeyProperties]);
    if (!noteRead(context, record, destination.uuid, { read: noted, whole: readThere, stored: read.stored?.json }))
      continue;
    const taken = pick(valuesAt(read, source.uuid), properties);
    const drKey = record.links.get(destination.uuid)?.drKey ?? record.drKey;
    const json = read.stored?.json ?? { ...drKey, ...taken };
    const only = { ...context, catalog: { destinations: () => [destination], bystanders: () => [] } };
    const plan = planChange(only, { ...routed, drKey }, record, {
      json,
      content: contentOf(json),
      ...(read.stored === null ? {} : { changed: new Set(properties) }),
      read: held,
    });
    applyPlan(context, record, plan);
    deliveries.push(...plan.deliveries);
    denied.push(...plan.denied);
    consulted.push(...plan.consulted);
    notes.push(...plan.notes);
    for (const name of properties) changed.add(name);
  }
  if (deliveries.length + denied.length === 0) return undefined;
  return {
    event: {
      uuid: routed.uuid,
      transactionUuid,
      action: 'PUT',
      matchStatus: 'RESOLVED',
      recordUuid: record.uuid,
      domainVersionUuid: version.uuid,
      sourceAdaptorUuid: source.uuid,
      drKey: record.drKey,
      denied,
      changed: [...changed],
      createTime: nowMs,
    },
    deliveries,
    consulted,
    notes: completeNotes(context.catalog, version, source.uuid, notes),
  };
};

/** The transfers that are still right, by their source. */
const stillRight = (
  context: DecisionContext,
  record: RecordState,
  read: ReadRecord,
): readonly (readonly [from: string | null, transfers: readonly ValueTransfer[]])[] => {
  const right = read.values.filter(
    ({ from, to, properties }) =>
      isAsRead(context, record, read, { side: from, properties }) &&
      isAsRead(context, record, read, { side: to, properties }),
  );
  return [...new Set(right.map(({ from }) => from))].map((from) => [from, right.filter((each) => each.from === from)]);
};

/**
 * Carries out the effects on a record in the books of a transaction: by the planner and the chains of every change. Properties
 * that were changed since the sides were asked are not sent.
 *
 * @param adaptorOf undefined: the adaptor is not active or has no channel
 */
export const carryOutEffects = (
  context: DecisionContext,
  acting: ActingReconciliation,
  read: ReadRecord,
  adaptorOf: (uuid: string) => AdaptorView | undefined,
): CarriedOut => {
  const record = context.book.byUuid(read.recordUuid);
  if (record === undefined) return { outcomes: [], sent: 0 };
  const { version } = acting;
  const outcomes: EventOutcome[] = [];
  let sent = 0;
  const add = (outcome: EventOutcome | undefined): void => {
    if (outcome === undefined) return;
    outcomes.push(outcome);
    sent += outcome.deliveries.length + (outcome.stored === undefined ? 0 : 1);
  };
  for (const [from, transfers] of stillRight(context, record, read)) {
    const adaptor = from === null ? undefined : adaptorOf(from);
    if (from !== null && adaptor === undefined) continue;
    const toStore = transfers.find(({ to }) => to === null);
    if (toStore !== undefined && adaptor !== undefined) {
      add(reportToStore(context, acting, record, read, { source: adaptor, properties: toStore.properties }));
    }
    const to = transfers.flatMap(({ to: uuid, properties }) => {
      const destination = uuid === null ? undefined : adaptorOf(uuid);
      return destination === undefined ? [] : [{ destination, properties }];
    });
    const source: EventSource = adaptor ?? { uuid: null, zoneUuid: version.zoneUuid };
    if (to.length > 0) add(sendValues(context, acting, record, read, { source, to }));
  }
  for (const { to, held } of read.records) {
    const destination = adaptorOf(to);
    if (destination === undefined || !isAsRead(context, record, read, { side: to, properties: [] })) continue;
    const { uuid: transactionUuid, nowMs } = acting;
    add(sendAgain(context, context.newUuid, { record, destination, version, held, transactionUuid, nowMs, read: {} }));
  }
  return { outcomes, sent };
};
