import type { AdaptorView } from '../catalog.js';
import { confirmChange } from '../routing/confirm-to-source.js';
import { contentOf } from '../routing/content-hashes.js';
import { awaitsDeletion } from '../routing/known-content.js';
import { overriddenByChange } from '../routing/overridden-events.js';
import type { RoutedEvent } from '../routing/compose-message.js';
import { planChange } from '../routing/plan-deliveries.js';
import { applyPlan } from '../routing/apply-plan.js';
import { noteAll } from '../routing/destination-note.js';
import { nothingToRoute, type DeliveryPlan } from '../routing/routing-plan.js';
import { newsOf, type ChangedState } from './change-record-state.js';
import type { DecisionContext } from './decision-context.js';
import type { FreshChange } from './drop-stale-values.js';
import type { OverriddenEvent } from './event-outcome.js';
import type { RecordChanged } from './incoming-event.js';
import { pickMembers } from './read-change.js';

/** The way of a change to the other adaptors. */
export interface RoutedChange extends DeliveryPlan {
  readonly uuid: string;
  /** The events that the change overrides although its source had not seen them. */
  readonly overrides: readonly OverriddenEvent[];
}

/**
 * Queues the messages of a change in the outbox, and notes in the book what each destination will have. A source whose values
 * might be overwritten by messages on their way to it is sent its own values again.
 */
export const routeChange = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  { record, before, changed, isNew }: ChangedState,
  { fresh, change, crossing, sorted }: FreshChange,
): RoutedChange => {
  const { keyed } = change.resolution;
  const { reported } = change;
  const isStored = event.version.domainType === 'SERVICE_DATA_STORE';
  const routed: RoutedEvent = {
    uuid: context.newUuid(),
    source,
    version: event.version,
    transactionUuid: event.transactionUuid,
    createTime: event.createTime,
    creates: isNew,
    drKey: fresh === event ? event.key.drKey : { ...event.key.drKey, ...pickMembers(fresh.record, event.key.drKey) },
  };
  const repeated =
    isStored || awaitsDeletion(before)
      ? []
      : Object.keys(reported).filter((name) => before?.hashes[name] === reported[name]);
  const content = isStored ? contentOf(keyed) : reported;
  const plan = event.linkOnly
    ? nothingToRoute(noteAll(context.catalog, event.version, source.uuid, { reason: 'DISCOVERY' }))
    : planChange(context, routed, record, { json: keyed, content, changed, repeated });
  applyPlan(context, record, plan);
  const { deliveries, denied, consulted, notes } = plan;
  const { uuid } = routed;
  if (crossing === undefined || event.linkOnly) return { uuid, deliveries, denied, consulted, notes, overrides: [] };
  const news = newsOf(reported, crossing.known);
  const overrides = overriddenByChange(context.outbox, crossing, news);
  const confirmation = confirmChange(context, routed, record, {
    source,
    crossing,
    news,
    json: { ...event.key.drKey, ...pickMembers(keyed, news), ...sorted?.restored },
    changed: [...new Set([...Object.keys(news), ...Object.keys(sorted?.restored ?? {})])],
  });
  const sent = confirmation === undefined ? deliveries : [...deliveries, confirmation];
  return { uuid, deliveries: sent, denied, consulted, notes, overrides };
};
