import type { Denial, PlannedDelivery } from '../events/event-outcome.js';
import type { OversizedMessage } from '../events/raise-oversized-message.js';
import type { Consultation } from './count-decisions.js';
import type { DestinationNote } from './destination-note.js';
import type { KnownContent } from './known-content.js';

/** The messages to the destinations of an event. */
export interface DeliveryPlan {
  readonly deliveries: readonly PlannedDelivery[];
  readonly denied: readonly Denial[];
  /** The questions to governance, also about values that then turned out to be known. */
  readonly consulted: readonly Consultation[];
  /** The decision on every adaptor that has a capability for the version. */
  readonly notes: readonly DestinationNote[];
}

/** The content that an adaptor is known to have once the plan is applied. */
export interface NextContent {
  readonly adaptorUuid: string;
  readonly known: KnownContent;
  /** The adaptor is sent the record as new: the book forgets the link that it removed earlier. */
  readonly forgetsRemoved: boolean;
}

/** The messages of an event about one record, and their effects on the book and the outbox. */
export interface RoutingPlan extends DeliveryPlan {
  /** Messages that are not sent, because the message bus cannot carry them. */
  readonly oversized: readonly OversizedMessage[];
  readonly nextContents: readonly NextContent[];
}

/** No destination gets a message. */
export const nothingToRoute = (notes: readonly DestinationNote[]): RoutingPlan => ({
  deliveries: [],
  denied: [],
  consulted: [],
  notes,
  oversized: [],
  nextContents: [],
});
