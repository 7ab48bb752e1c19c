import { decideEvent } from '../domain/events/decide-event.js';
import type { DecisionContext } from '../domain/events/decision-context.js';
import type { EventOutcome } from '../domain/events/event-outcome.js';
import type { IncomingEvent } from '../domain/events/incoming-event.js';
import { laneDigestOf } from '../domain/events/named-record.js';
import { noteNoneWaits } from '../domain/events/note-waiting.js';
import { isComplete } from '../domain/issues/is-complete.js';
import type { Seen } from '../domain/routing/seen.js';
import type { HeldEvent } from '../store/issues/held-event.js';
import { laneOf, type HeldLanes } from '../domain/issues/held-lanes.js';
import type { HeldSettlement } from './held-settlement.js';
import type { QueuedEvent } from './queued-event.js';
import { refusedEvent, type RefusedEvent } from './refused-events.js';
import { type NewIssue, newIssueOf } from './tell-refusals.js';

/** The events that wait, as the decisions on a batch change them. */
export interface WaitingEvents {
  readonly lanes: HeldLanes;
  readonly settlement: HeldSettlement;
  /** Issues whose adaptor has reported later of the same record. */
  readonly oldNews: ReadonlySet<string>;
}

export interface DecidedBatch {
  /** In the order of the events; an event that is not tried has none. */
  readonly outcomes: readonly EventOutcome[];
  /** Events for which the catalog lacked something. */
  readonly refused: readonly RefusedEvent[];
  /** Issues of which adaptors are informed. */
  readonly newIssues: readonly NewIssue[];
}

/** The decision about its match goes with the event. */
const withDecision = (event: IncomingEvent, held: HeldEvent | undefined): IncomingEvent =>
  held?.order?.settled !== undefined && (event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED')
    ? { ...event, settled: held.order.settled }
    : event;

/** Does an event of the adaptor and the key wait? */
const waitsIn = (lanes: HeldLanes, { adaptor, event }: QueuedEvent, keyDigest: string | undefined): boolean =>
  event.version !== undefined &&
  keyDigest !== undefined &&
  lanes.hasWaiting(laneOf({ adaptorUuid: adaptor.uuid, domainVersionUuid: event.version.uuid, keyDigest }));

/**
 * Decides on accepted events one after another: those that arrive, and those that have waited with an issue. Changes the book
 * and the waiting events.
 *
 * @param seenOf the messages that the source had applied when it made the event
 */
export const decideBatch = (
  context: Omit<DecisionContext, 'isHeld'>,
  accepted: readonly QueuedEvent[],
  { lanes, settlement, oldNews }: WaitingEvents,
  seenOf: (queued: QueuedEvent) => Seen,
): DecidedBatch => {
  const { book } = context;
  const outcomes: EventOutcome[] = [];
  const refused: RefusedEvent[] = [];
  const newIssues: NewIssue[] = [];
  for (const queued of accepted) {
    const { adaptor, event, held } = queued;
    if (held !== undefined && (!settlement.mayTry(held) || oldNews.has(held.issueUuid))) continue;
    const digest = laneDigestOf(book, event);
    if (digest !== undefined && isComplete(event)) settlement.supersede(adaptor, event, digest, held?.issueUuid);
    const decided = decideEvent(
      {
        // before the spread: members after a spread cost a microsecond each on Node 20
        isHeld: (adaptorUuid, domainVersionUuid, keyDigest) =>
          held === undefined
            ? lanes.isHeld(laneOf({ adaptorUuid, domainVersionUuid, keyDigest }), undefined)
            : settlement.isHeld(held, event),
        ...context,
      },
      adaptor,
      withDecision(event, held),
      seenOf(queued),
    );
    const refusal = refusedEvent(queued, decided);
    if (refusal !== undefined) refused.push(refusal);
    const outcome = held === undefined ? decided : settlement.settle(held, event, decided);
    outcomes.push(outcome);
    const newIssue = newIssueOf(queued, outcome);
    if (newIssue !== undefined) newIssues.push(newIssue);
    if (decided.issue === undefined && !waitsIn(lanes, queued, digest)) noteNoneWaits(book, event);
    const { issue } = outcome;
    if (issue !== undefined && issue.domainVersionUuid !== null && issue.keyDigest !== null) {
      const { adaptorUuid, domainVersionUuid, keyDigest } = issue;
      lanes.raise(laneOf({ adaptorUuid, domainVersionUuid, keyDigest }), issue.uuid, issue.cause);
    }
  }
  return { outcomes, refused, newIssues };
};
