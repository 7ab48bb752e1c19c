import { AppError } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import type { DomainVersionView } from '../catalog.js';
import type { AcceptedEvent, DeliveredAction, EventOutcome, RecordChange } from '../events/event-outcome.js';
import type { DeliveryPlan, RoutedEvent, RoutingContext } from '../routing/plan-deliveries.js';
import type { RecordState } from '../records/record-book.js';
import type { ReferenceBook } from '../references/reference-book.js';
import type { WriteResult } from './record-write.js';
import type { WriteGuard } from './write-guard.js';

/** What decisions on writes need beside the write. */
export interface WriteContext extends RoutingContext {
  readonly references: ReferenceBook;
  /** Who asks: the person. */
  readonly writerUuid: string;
  readonly nowMs: number;
  newUuid(): string;
  /** What rules say of the writer's writes. Default: everything may be written. */
  readonly guard?: WriteGuard | undefined;
  /** Is an event kept of a change that goes to nobody? */
  readonly keptEvents: 'ALL' | 'ROUTED';
}

/** A write's answer, and what to write beside the changes in the books. */
export interface WriteDecision {
  readonly result: WriteResult;
  readonly outcome: EventOutcome;
}

/** Nothing is written. */
export const refused = (...error: ConstructorParameters<typeof AppError>): WriteDecision => ({
  result: { outcome: 'REFUSED', error: new AppError(...error) },
  outcome: { deliveries: [] },
});

export const refusedBy = (error: AppError): WriteDecision => ({
  result: { outcome: 'REFUSED', error },
  outcome: { deliveries: [] },
});

/**
 * A change through the API on its way to the adaptors. The data store has no adaptor: the zone that owns the domain stands
 * for it in governance, and the acting zone for who deletes a federated record.
 */
export const routedEvent = (
  context: WriteContext,
  version: DomainVersionView,
  drKey: JsonObject,
  zoneUuid = version.zoneUuid,
): RoutedEvent => ({
  uuid: context.newUuid(),
  source: { uuid: null, zoneUuid },
  version,
  transactionUuid: context.newUuid(),
  createTime: context.nowMs,
  drKey,
});

const keptEvent = (
  { keptEvents }: WriteContext,
  routed: RoutedEvent,
  record: RecordState,
  { action, plan }: { readonly action: DeliveredAction; readonly plan: DeliveryPlan },
): { readonly event?: AcceptedEvent } => {
  if (keptEvents === 'ROUTED' && plan.deliveries.length + plan.denied.length === 0) return {};
  const event: AcceptedEvent = {
    uuid: routed.uuid,
    transactionUuid: routed.transactionUuid,
    action,
    matchStatus: action === 'POST' ? 'PRESUMED_NEW' : 'RESOLVED',
    recordUuid: record.uuid,
    domainVersionUuid: record.domainVersionUuid,
    sourceAdaptorUuid: null,
    drKey: routed.drKey,
    denied: plan.denied,
    createTime: routed.createTime,
  };
  return { event };
};

/** A change's word in the change log. */
export const changeOf = (
  { writerUuid }: WriteContext,
  { uuid, domainVersionUuid, drKey, json }: RecordState,
  action: RecordChange['action'],
): RecordChange => {
  const change = { action, recordUuid: uuid, domainVersionUuid, actorUuid: writerUuid, drKey };
  return json === null ? change : { json, ...change };
};

/** What is written of a change: its event, its messages, and its word in the change log. */
export const outcomeOf = (
  context: WriteContext,
  routed: RoutedEvent,
  record: RecordState,
  made: { readonly action: DeliveredAction; readonly plan: DeliveryPlan; readonly logged?: RecordChange['action'] },
): EventOutcome => ({
  ...keptEvent(context, routed, record, made),
  deliveries: made.plan.deliveries,
  consulted: made.plan.consulted,
  change: changeOf(context, record, made.logged ?? made.action),
});
