import { AppError } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import type { DomainVersionView } from '../../../domain/catalog.js';
import type {
  AcceptedEvent,
  DeliveredAction,
  EventOutcome,
  RecordChange,
} from '../../../domain/events/event-outcome.js';
import type { RoutedEvent } from '../../../domain/routing/compose-message.js';
import type { RoutingContext } from '../../../domain/routing/routing-context.js';
import type { DeliveryPlan } from '../../../domain/routing/routing-plan.js';
import type { RecordState } from '../../../domain/records/record-book.js';
import type { ReferenceBook } from '../../../domain/references/reference-book.js';
import type { WriteResult } from './record-write.js';
import type { WriteGuard } from './write-guard.js';

/** Data for decisions on writes besides the write. */
export interface WriteContext extends RoutingContext {
  readonly references: ReferenceBook;
  /** The person who writes. */
  readonly writerUuid: string;
  /** The `X-Request-Id` of the person's request. */
  readonly requestId?: string | undefined;
  readonly nowMs: number;
  newUuid(): string;
  /** The rules for the writer's writes. Default: everything may be written. */
  readonly guard?: WriteGuard | undefined;
  /** Is an event stored for a change without a receiver? */
  readonly keptEvents: 'ALL' | 'ROUTED';
  /** Changes by record, to be routed after the last write. Undefined: each write is routed by itself. */
  readonly folded?: Map<string, FoldedChange> | undefined;
}

/** The change of a record that several writes make together. */
interface FoldedChange extends StoredChange {
  readonly version: DomainVersionView;
  readonly record: RecordState;
}

/** A change of a data-store record. */
export interface StoredChange {
  readonly action: 'POST' | 'PUT';
  readonly logged: 'POST' | 'PUT' | 'PATCH';
  /** The record with the keys of its references. */
  readonly keyed: JsonObject;
  /** The record before; null: it is new. */
  readonly before: JsonObject | null;
}

/** The answer to a write, and the rows to write besides the changes in the books. */
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
 * A change through the API on its way to the adaptors. The data store has no adaptor: in governance the zone that owns the
 * domain represents it, and the acting zone represents a person who deletes a federated record.
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

/** A change of a record and the messages about it. */
interface MadeChange {
  readonly action: DeliveredAction;
  readonly plan: DeliveryPlan;
  readonly logged?: RecordChange['action'];
  /** Names of the properties that it changes. Undefined: all. */
  readonly changed?: ReadonlySet<string> | undefined;
}

const keptEvent = (
  { keptEvents, writerUuid, requestId }: WriteContext,
  routed: RoutedEvent,
  record: RecordState,
  { action, plan, changed }: Pick<MadeChange, 'action' | 'plan' | 'changed'>,
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
    ...(changed === undefined ? {} : { changed: [...changed] }),
    writerUuid,
    requestId,
    createTime: routed.createTime,
  };
  return { event };
};

/** The entry of a change in the change log. */
export const changeOf = (
  { writerUuid }: WriteContext,
  { uuid, domainVersionUuid, drKey, json }: RecordState,
  action: RecordChange['action'],
  transactionUuid: string,
): RecordChange => {
  const [recordUuid, actorUuid] = [uuid, writerUuid];
  // member by member: a spread costs more, and an import makes many changes
  return json === null
    ? { action, recordUuid, domainVersionUuid, actorUuid, transactionUuid, drKey }
    : { json, action, recordUuid, domainVersionUuid, actorUuid, transactionUuid, drKey };
};

/** The rows of a change: its event, its messages, and its change log entry. */
export const outcomeOf = (
  context: WriteContext,
  routed: RoutedEvent,
  record: RecordState,
  made: MadeChange,
): EventOutcome => ({
  ...keptEvent(context, routed, record, made),
  deliveries: made.plan.deliveries,
  consulted: made.plan.consulted,
  notes: made.plan.notes,
  change: changeOf(context, record, made.logged ?? made.action, routed.transactionUuid),
});
